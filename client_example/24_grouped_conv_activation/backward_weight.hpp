#pragma once
// Times and verifies all instances of a grouped backward weight convolution with an operation on
// its result.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_weight_multiple_d.hpp"

#include "common.hpp"

/// For fp16, with the sum in two parts, and no D tensor or one, which is dW itself. The exit status
/// is failure if no instance supports the problem.
template <class Operation, class... D>
int run_backward_weight(const Operation& operation, ck::Tuple<D...> = {})
{
    using namespace ck::tensor_layout::convolution;
    using ck::Tuple, ck::tensor_operation::element_wise::PassThrough;
    using T                   = ck::half_t;
    using DLayouts            = std::conditional_t<sizeof...(D) == 0, Tuple<>, Tuple<GKZYXC>>;
    using DeviceOp            = ck::tensor_operation::device::DeviceGroupedConvBwdWeightMultipleD<3,
                                                                                       NDHWGC,
                                                                                       GKZYXC,
                                                                                       NDHWGK,
                                                                                       DLayouts,
                                                                                       T,
                                                                                       T,
                                                                                       T,
                                                                                       Tuple<D...>,
                                                                                       PassThrough,
                                                                                       Operation,
                                                                                       PassThrough>;
    const ck::index_t split_k = 2;

    const auto p      = GroupedProblem<3>{32, 32, 32, 32, {14, 14, 14}}.fitting();
    const auto x      = p.input<NDHWGC>();
    const auto w      = p.weight<GKZYXC>();
    const auto y      = p.output<NDHWGK>();
    const auto one    = p.all(1);
    const bool verify = verifies(p.flop());
    Operand<T> in(x.descriptor(), verify), out(y.descriptor(), verify);
    Operand<T> residual(w.descriptor(), verify);
    Result<T> wei(w.descriptor(), verify, [&](Tensor<double>& expected) {
        using Reference = ck::tensor_operation::host::
            ReferenceConvBwdWeight<3, T, double, T, PassThrough, PassThrough, PassThrough>;
        p.template compute<Reference>(in.host, expected, out.host);
        apply_with_residuals<sizeof...(D)>(expected, operation, residual.host);
    });
    if(verify && sizeof...(D) > 0)
        wei.before = residual.host.mData;

    const Residuals<sizeof...(D)> ds(wei.device.p, w);
    return run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        p.flop(),
        1. * sizeof(T) * (x.size() + w.size() + y.size()),
        [&](DeviceOp& op) {
            return op.MakeArgumentPointer(in.device.p,
                                          wei.device.p,
                                          out.device.p,
                                          ds.pointers,
                                          x.lengths,
                                          x.strides,
                                          w.lengths,
                                          w.strides,
                                          y.lengths,
                                          y.strides,
                                          ds.lengths,
                                          ds.strides,
                                          one,
                                          one,
                                          one,
                                          one,
                                          PassThrough{},
                                          operation,
                                          PassThrough{},
                                          split_k);
        },
        wei);
}
