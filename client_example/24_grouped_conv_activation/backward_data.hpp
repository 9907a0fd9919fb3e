#pragma once
// Times and verifies all instances of a grouped backward data convolution with an operation on its
// result.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_data_multiple_d.hpp"

#include "common.hpp"

/// For fp16, with no D tensor or with one, which is dX itself. The exit status is failure if no
/// instance supports the problem or if a result is wrong.
template <class Operation, class... D>
int run_backward_data(const Operation& operation, ck::Tuple<D...> = {})
{
    using namespace ck::tensor_layout::convolution;
    using ck::Tuple, ck::tensor_operation::element_wise::PassThrough;
    using T           = ck::half_t;
    using DLayouts    = std::conditional_t<sizeof...(D) == 0, Tuple<>, Tuple<NDHWGC>>;
    using DeviceOp    = ck::tensor_operation::device::DeviceGroupedConvBwdDataMultipleD<3,
                                                                                     NDHWGK,
                                                                                     GKZYXC,
                                                                                     DLayouts,
                                                                                     NDHWGC,
                                                                                     T,
                                                                                     T,
                                                                                     Tuple<D...>,
                                                                                     T,
                                                                                     PassThrough,
                                                                                     PassThrough,
                                                                                     Operation>;
    const auto p      = GroupedProblem<3>{32, 64, 64, 32, {14, 14, 14}}.fitting();
    const auto x      = p.input<NDHWGC>();
    const auto w      = p.weight<GKZYXC>();
    const auto y      = p.output<NDHWGK>();
    const auto one    = p.all(1);
    const bool verify = verifies(p.flop());
    Operand<T> wei(w.descriptor(), verify), out(y.descriptor(), verify);
    Operand<T> residual(x.descriptor(), verify);
    Result<T> in(x.descriptor(), verify, [&](Tensor<double>& expected) {
        using Reference = ck::tensor_operation::host::
            ReferenceConvBwdData<3, double, T, T, PassThrough, PassThrough, PassThrough>;
        p.template compute<Reference>(expected, wei.host, out.host);
        apply_with_residuals<sizeof...(D)>(expected, operation, residual.host);
    });
    if(verify && sizeof...(D) > 0)
        in.before = residual.host.mData;

    const Residuals<sizeof...(D)> ds(in.device.p, x);
    return run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        p.flop(),
        1. * sizeof(T) * (x.size() + w.size() + y.size()),
        [&](DeviceOp& op) {
            return op.MakeArgumentPointer(out.device.p,
                                          wei.device.p,
                                          ds.pointers,
                                          in.device.p,
                                          y.lengths,
                                          y.strides,
                                          w.lengths,
                                          w.strides,
                                          ds.lengths,
                                          ds.strides,
                                          x.lengths,
                                          x.strides,
                                          one,
                                          one,
                                          one,
                                          one,
                                          PassThrough{},
                                          PassThrough{},
                                          operation);
        },
        in);
}
