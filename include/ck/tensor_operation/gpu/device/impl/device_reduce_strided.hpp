#pragma once
// Reductions of tensors of any strides.
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/tensor_operation/gpu/conv/argument/reduce_argument.hpp"
#include "ck/tensor_operation/gpu/conv/operation/kernel_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_reduce.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_reduce.hpp"

#include <limits>
#include <utility>

namespace ck::tensor_operation::device {

/// Kernel: GridwiseReduce.
template <class In,
          class Acc,
          class Out,
          class ReduceOperation,
          class InOperation,
          class AccOperation,
          bool propagate_nan,
          index_t sharers>
struct ReduceLaunch
{
    using Kernel    = grid::GridwiseReduce<In,
                                        Acc,
                                        Out,
                                        ReduceOperation,
                                        InOperation,
                                        AccOperation,
                                        propagate_nan,
                                        sharers>;
    using Arguments = ReduceArguments<InOperation, AccOperation>;

    static const PlainKernel<Arguments>& get()
    {
        static const PlainKernel<Arguments> kernel{"DeviceReduce<" +
                                                       std::to_string(Kernel::block_size) + ", " +
                                                       std::to_string(sharers) + '>',
                                                   &supports,
                                                   &run};
        return kernel;
    }

    static Support supports(const Arguments& a)
    {
        if(const Support s = a.check(sizeof(In), sizeof(Out)); !s)
            return s;
        if(const long_index_t blocks = Kernel::grid_size(make_params(a));
           blocks > std::numeric_limits<index_t>::max())
            return refused("the output has " + std::to_string(element_count(a.kept)) +
                           " elements, which makes " + std::to_string(blocks) +
                           " blocks, but a launch has fewer than 2^31");
        return {};
    }

    static float run(const Arguments& a, const StreamConfig& config)
    {
        a.require_addresses();
        const auto params = make_params(a);
        return launch_and_time_kernel<Kernel>(
            config, static_cast<index_t>(Kernel::grid_size(params)), params);
    }

private:
    static typename Kernel::Params make_params(const Arguments& a)
    {
        return {static_cast<const In*>(a.in.address),
                static_cast<Out*>(a.out.written),
                FlatIndex<6, 2>::make(a.kept, std::array{a.in.strides, a.out.strides}),
                FlatIndex<6, 1>::make(a.reduced, std::array<TensorStrides, 1>{a.in.strides}),
                static_cast<Acc>(a.alpha),
                static_cast<Acc>(a.beta),
                a.in_operation,
                a.acc_operation};
    }
};

/// See DeviceReduce. At most 6 dimensions, no indices. Sharers: threads that compute one result
/// together, a power of two up to 256; use many if there are few results.
template <class InDataType,
          class AccDataType,
          class OutDataType,
          index_t Rank,
          index_t NumReduceDim,
          class ReduceOperation,
          class InElementwiseOperation,
          class AccElementwiseOperation,
          bool PropagateNan,
          index_t Sharers>
struct DeviceReduceStrided
    : public OwnKernelOperation<DeviceReduce<InDataType,
                                             AccDataType,
                                             OutDataType,
                                             Rank,
                                             NumReduceDim,
                                             ReduceOperation,
                                             InElementwiseOperation,
                                             AccElementwiseOperation,
                                             PropagateNan,
                                             false>,
                                ReduceArguments<InElementwiseOperation, AccElementwiseOperation>,
                                ReduceLaunch<InDataType,
                                             AccDataType,
                                             OutDataType,
                                             ReduceOperation,
                                             InElementwiseOperation,
                                             AccElementwiseOperation,
                                             PropagateNan,
                                             Sharers>>
{};

} // namespace ck::tensor_operation::device
