#pragma once
// Times and verifies all instances of a grouped forward convolution with an operation on its
// result.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_abd.hpp"

#include "common.hpp"
#include <functional>
#include <type_traits>

/// The first two types of a list.
template <class A, class B = void, class...>
struct First
{
    using type   = A;
    using second = B;
};

/// Times all instances. D: the type of a residual, which is Y itself if it has Y's type, then the
/// types of any per-channel biases. then: called with the result if the client does more with it;
/// returns an exit status. The exit status is failure if no instance supports the problem or if a
/// result is wrong.
template <class In, class Wei, class Out, class Operation, class... D>
int run_forward(const GroupedProblem<3>& problem,
                const Operation& operation,
                ck::Tuple<D...>                              = {},
                const std::function<int(Result<Out>&)>& then = {})
{
    using namespace ck::tensor_layout::convolution;
    using ck::Tuple, ck::tensor_operation::element_wise::PassThrough;
    constexpr std::size_t d_count = sizeof...(D);
    using DLayouts =
        std::conditional_t<d_count == 0,
                           Tuple<>,
                           std::conditional_t<d_count == 1, Tuple<NDHWGK>, Tuple<NDHWGK, G_K>>>;
    using DeviceOp    = ck::tensor_operation::device::DeviceGroupedConvFwdMultipleABD<3,
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
    const auto p      = problem.fitting();
    const auto x      = p.input<NDHWGC>();
    const auto w      = p.weight<GKZYXC>();
    const auto y      = p.output<NDHWGK>();
    const auto one    = p.all(1);
    const bool verify = verifies(p.flop());
    using Sum         = std::conditional_t<std::is_same_v<In, std::int8_t>, std::int32_t, float>;
    using Residual    = typename First<D..., float>::type;
    using Bias        = typename First<D..., float, float>::second;

    Operand<In> in(x.descriptor(), verify);
    Operand<Wei> wei(w.descriptor(), verify);
    Operand<Residual> residual(y.descriptor(), verify);
    const std::vector<std::size_t> channels{static_cast<std::size_t>(p.G * p.K)};
    Operand<Bias> bias(HostTensorDescriptor(channels), verify);
    Result<Out> out(y.descriptor(), verify, [&](Tensor<double>& expected) {
        using Reference = ck::tensor_operation::host::
            ReferenceConvFwd<3, In, Wei, double, PassThrough, PassThrough, PassThrough>;
        p.template compute<Reference>(in.host, wei.host, expected);
        apply_operation<Out, Sum>(expected, operation, [&](std::size_t i) {
            const auto& of_pixel   = residual.host.mData;
            const auto& of_channel = bias.host.mData;
            if constexpr(d_count == 0)
                return std::tuple<>();
            else if constexpr(d_count == 1)
                return std::tuple(of_pixel[i]);
            else
                return std::tuple(of_pixel[i], of_channel[i % channels[0]]);
        });
    });
    void* const to = out.device.p;
    std::array<const void*, d_count> ds{};
    std::array<Array<6>, d_count> d_lengths{}, d_strides{};
    if constexpr(d_count > 0)
    {
        ds[0] = residual.device.p;
        if constexpr(std::is_same_v<Residual, Out>)
        {
            ds[0] = to;
            if(verify)
                out.before = residual.host.mData;
        }
        d_lengths[0] = y.lengths;
        d_strides[0] = y.strides;
    }
    if constexpr(d_count > 1)
    {
        ds[1]        = bias.device.p;
        d_lengths[1] = {p.G, 1, p.K, 1, 1, 1};
        d_strides[1] = {p.K, 0, 1, 0, 0, 0};
    }
    const int status = run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        p.flop(),
        1. * sizeof(In) * x.size() + sizeof(Wei) * w.size() + sizeof(Out) * y.size(),
        [&](DeviceOp& op) {
            return op.MakeArgumentPointer(in.device.p,
                                          wei.device.p,
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
        },
        out);
    return status == EXIT_SUCCESS && then ? then(out) : status;
}
