#pragma once
// Launches an element-wise operation on tensors of any strides.
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/conv/argument/elementwise_argument.hpp"
#include "ck/tensor_operation/gpu/conv/operation/kernel_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_elementwise.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_elementwise.hpp"

#include <limits>

namespace ck::tensor_operation::device {

/// Ins, Outs: Tuples of element types.
template <class Ins, class Outs, class Operation>
struct ElementwiseLaunch;

template <class... In, class... Out, class Operation>
struct ElementwiseLaunch<Tuple<In...>, Tuple<Out...>, Operation>
{
    using Kernel    = grid::GridwiseElementwise<Tuple<In...>, Tuple<Out...>, Operation>;
    using Arguments = ElementwiseArguments<Operation>;

    static const PlainKernel<Arguments>& get()
    {
        static const PlainKernel<Arguments> kernel{"DeviceElementwise<" +
                                                       std::to_string(Kernel::block_size) + ", " +
                                                       std::to_string(Kernel::steps) + '>',
                                                   &supports,
                                                   &run};
        return kernel;
    }

    static Support supports(const Arguments& a)
    {
        if(const Support s = a.check({sizeof(In)..., sizeof(Out)...}); !s)
            return s;
        if(const long_index_t blocks = Kernel::grid_size(make_params(a));
           blocks > std::numeric_limits<index_t>::max())
            return refused("the tensors have " + std::to_string(element_count(a.lengths)) +
                           " elements, which makes " + std::to_string(blocks) +
                           " blocks, but a launch has fewer than 2^31");
        return {};
    }

    static void add(LaunchList& list, const Arguments& a)
    {
        for(const auto* tensors : {&a.in, &a.out})
            for(const StridedTensor& t : *tensors)
                require_memory(t, a.lengths);
        const auto params = make_params(a);
        list.add<Kernel>(static_cast<index_t>(Kernel::grid_size(params)), params);
    }
    static float run(const Arguments& a, const StreamConfig& config)
    {
        LaunchList list;
        add(list, a);
        return list.run(config);
    }

private:
    static typename Kernel::Params make_params(const Arguments& a)
    {
        std::array<TensorStrides, sizeof...(In) + sizeof...(Out)> strides;
        std::size_t next = 0;
        for(const auto* tensors : {&a.out, &a.in})
            for(const StridedTensor& t : *tensors)
                strides[next++] = t.strides;
        return [&]<std::size_t... i, std::size_t... o>(std::index_sequence<i...>,
                                                       std::index_sequence<o...>)
        {
            return
                typename Kernel::Params{{static_cast<const In*>(a.in[i].address)...},
                                        {static_cast<Out*>(a.out[o].written)...},
                                        decltype(Kernel::Params::index)::make(a.lengths, strides),
                                        a.operation};
        }
        (std::index_sequence_for<In...>{}, std::index_sequence_for<Out...>{});
    }
};

/// See DeviceElementwise. Takes at most 6 dimensions.
template <class InDataTypeTuple, class OutDataTypeTuple, class ElementwiseOperation, index_t NumDim>
struct DeviceElementwiseStrided
    : public OwnKernelOperation<
          DeviceElementwise<InDataTypeTuple, OutDataTypeTuple, ElementwiseOperation, NumDim>,
          ElementwiseArguments<ElementwiseOperation>,
          ElementwiseLaunch<InDataTypeTuple, OutDataTypeTuple, ElementwiseOperation>>
{};

} // namespace ck::tensor_operation::device
