#pragma once
// Times all instances of a grouped forward convolution with an operation on its result.
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_abd.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "../grouped_problem.hpp"

/// Times all instances. D are the types of a residual, which is Y itself, and then of a bias for
/// each channel, as many as there are. y_memory: the memory of Y, or null. byte: what each byte of
/// X and W is. Returns failure as exit status if no instance supports the problem.
template <class In, class Wei, class Out, class Operation, class... D>
int run_forward(const GroupedProblem<3>& problem,
                const Operation& operation,
                ck::Tuple<D...> = {},
                void* y_memory  = nullptr,
                int byte        = 0)
{
    using namespace ck::tensor_layout::convolution;
    using ck::Tuple, ck::tensor_operation::element_wise::PassThrough;
    constexpr std::size_t d_count = sizeof...(D);
    using DLayouts =
        std::conditional_t<d_count == 0,
                           Tuple<>,
                           std::conditional_t<d_count == 1, Tuple<NDHWGK>, Tuple<NDHWGK, G_K>>>;
    using DeviceOp = ck::tensor_operation::device::DeviceGroupedConvFwdMultipleABD<3,
                                                                                   NDHWGC,
                                                                                   GKZYXC,
                                                                                   DLayouts,
                                                                                   NDHWGK,
                                                                                   In,
                                                                                   Wei,
                                                                                   Tuple<D...>,
                                                                                   Out,
                                                                                   PassThrough,
                                                                                   PassThrough,
                                                                                   Operation,
                                                                                   In,
                                                                                   Wei>;
    const auto p   = problem.fitting();
    const auto x   = p.input<NDHWGC>();
    const auto w   = p.weight<GKZYXC>();
    const auto y   = p.output<NDHWGK>();
    const auto one = p.all(1);
    SimpleDeviceMem in(sizeof(In) * x.size()), wei(sizeof(Wei) * w.size()),
        out(sizeof(Out) * y.size()), residual(4 * y.size()), bias(4 * p.G * p.K);

    check(hipMemset(in.p, byte, sizeof(In) * x.size()), "hipMemset");
    check(hipMemset(wei.p, byte, sizeof(Wei) * w.size()), "hipMemset");
    void* const to = y_memory == nullptr ? out.p : y_memory;
    std::array<const void*, d_count> ds{};
    std::array<Array<6>, d_count> d_lengths{}, d_strides{};
    if constexpr(d_count > 0)
    {
        ds[0]        = std::is_same_v<ck::tuple_element_t<0, Tuple<D...>>, Out> ? to : residual.p;
        d_lengths[0] = y.lengths;
        d_strides[0] = y.strides;
    }
    if constexpr(d_count > 1)
    {
        ds[1]        = bias.p;
        d_lengths[1] = {p.G, 1, p.K, 1, 1, 1};
        d_strides[1] = {p.K, 0, 1, 0, 0, 0};
    }
    return run_instances(ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
                             DeviceOp>::GetInstances(),
                         p.flop(),
                         1. * sizeof(In) * x.size() + sizeof(Wei) * w.size() +
                             sizeof(Out) * y.size(),
                         [&](DeviceOp& op) {
                             return op.MakeArgumentPointer(in.p,
                                                           wei.p,
                                                           ds,
                                                           to,
                                                           x.lengths,
                                                           x.strides,
                                                           w.lengths,
                                                           w.strides,
                                                           d_lengths,
                                                           d_strides,
                                                           y.lengths,
                                                           y.strides,
                                                           one,
                                                           one,
                                                           one,
                                                           one,
                                                           PassThrough{},
                                                           PassThrough{},
                                                           operation);
                         });
}
