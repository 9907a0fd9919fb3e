#pragma once
// ReferenceReduce: DeviceReduce on the CPU, by definition, for tensors in host memory.
#include "ck/tensor_operation/gpu/conv/argument/reduce_argument.hpp"
#include "ck/tensor_operation/gpu/conv/operation/kernel_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_reduce.hpp"
#include "ck/utility/reduction_operator.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::tensor_operation::host {

namespace detail {

/// Calls f(index) for every index of six dimensions, the last one fastest.
template <class F>
void for_each_index(const TensorLengths& lengths, const F& f)
{
    TensorLengths i{};
    for(long_index_t count = element_count(lengths); count > 0; --count)
    {
        f(i);
        for(std::size_t d = 6; d-- > 0 && ++i[d] == lengths[d];)
            i[d] = 0;
    }
}

inline long_index_t offset(const TensorLengths& index, const TensorStrides& strides)
{
    long_index_t sum = 0;
    for(std::size_t d = 0; d < 6; ++d)
        sum += index[d] * strides[d];
    return sum;
}

template <class In,
          class Acc,
          class Out,
          class Reduce,
          class InOperation,
          class AccOperation,
          bool propagate_nan>
struct ReduceLoops
{
    using Arguments = device::ReduceArguments<InOperation, AccOperation>;

    static const device::PlainKernel<Arguments>& get()
    {
        static const device::PlainKernel<Arguments> kernel{"ReferenceReduce", &supports, &run};
        return kernel;
    }
    static Support supports(const Arguments& a) { return a.check(sizeof(In), sizeof(Out)); }
    static float run(const Arguments& a, const StreamConfig&)
    {
        a.require_addresses();
        const auto* const in = static_cast<const In*>(a.in.address);
        auto* const out      = static_cast<Out*>(a.out.written);
        for_each_index(a.kept, [&](const TensorLengths& kept) {
            const long_index_t from = offset(kept, a.in.strides);
            Acc result              = Reduce::template GetIdentityValue<Acc>();
            for_each_index(a.reduced, [&](const TensorLengths& reduced) {
                Acc x{};
                a.in_operation(x, type_convert<Acc>(in[from + offset(reduced, a.in.strides)]));
                reduce::accumulate<propagate_nan>(Reduce{}, result, x);
            });
            Acc y{};
            a.acc_operation(y, result);
            y       = static_cast<Acc>(a.alpha) * y;
            Out& to = out[offset(kept, a.out.strides)];
            if(a.beta != 0)
                y += static_cast<Acc>(a.beta) * type_convert<Acc>(to);
            to = type_convert<Out>(y);
        });
        return 0;
    }
};

} // namespace detail

/// DeviceReduce for at most 6 dimensions and pointers to host memory, without indices. Elements are
/// folded in the order of the input's dimensions, the last one fastest.
template <typename InDataType,
          typename AccDataType,
          typename OutDataType,
          index_t Rank,
          index_t NumReduceDim,
          typename ReduceOperation,
          typename InElementwiseOperation,
          typename AccElementwiseOperation,
          bool PropagateNan,
          bool OutputIndex>
requires(!OutputIndex) struct ReferenceReduce
    : public device::OwnKernelOperation<
          device::DeviceReduce<InDataType,
                               AccDataType,
                               OutDataType,
                               Rank,
                               NumReduceDim,
                               ReduceOperation,
                               InElementwiseOperation,
                               AccElementwiseOperation,
                               PropagateNan,
                               OutputIndex>,
          device::ReduceArguments<InElementwiseOperation, AccElementwiseOperation>,
          detail::ReduceLoops<InDataType,
                              AccDataType,
                              OutDataType,
                              ReduceOperation,
                              InElementwiseOperation,
                              AccElementwiseOperation,
                              PropagateNan>>
{};

} // namespace ck::tensor_operation::host
