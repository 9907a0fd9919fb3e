#pragma once
// A grouped forward convolution: times all instances and runs the best one again.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_abd.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "grouped_problem.hpp"

using PassThrough = ck::tensor_operation::element_wise::PassThrough;

/// Exit status: failure if no instance supports the problem.
template <std::size_t rank,
          class In,
          class Wei,
          class Out,
          class InLayout,
          class WeiLayout,
          class OutLayout,
          class AComputeType = In,
          class BComputeType = AComputeType>
int run_grouped_conv_fwd(const GroupedProblem<rank>& problem)
{
    using DeviceOp  = ck::tensor_operation::device::DeviceGroupedConvFwdMultipleABD<rank,
                                                                                   InLayout,
                                                                                   WeiLayout,
                                                                                   ck::Tuple<>,
                                                                                   OutLayout,
                                                                                   In,
                                                                                   Wei,
                                                                                   ck::Tuple<>,
                                                                                   Out,
                                                                                   PassThrough,
                                                                                   PassThrough,
                                                                                   PassThrough,
                                                                                   AComputeType,
                                                                                   BComputeType>;
    const auto p    = problem.fitting();
    const auto x    = p.template input<InLayout>();
    const auto w    = p.template weight<WeiLayout>();
    const auto y    = p.template output<OutLayout>();
    const auto one  = p.all(1);
    using Reference = ck::tensor_operation::host::
        ReferenceConvFwd<rank, In, Wei, double, PassThrough, PassThrough, PassThrough>;
    const bool verify = verifies(p.flop());
    Operand<In> in(x.descriptor(), verify);
    Operand<Wei> wei(w.descriptor(), verify);
    Result<Out> out(y.descriptor(), verify, [&](Tensor<double>& expected) {
        p.template compute<Reference>(in.host, wei.host, expected);
    });
    return run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        p.flop(),
        1. * sizeof(In) * x.size() + sizeof(Wei) * w.size() + sizeof(Out) * y.size(),
        [&](DeviceOp& op) {
            return op.MakeArgumentPointer(in.device.p,
                                          wei.device.p,
                                          {},
                                          out.device.p,
                                          x.lengths,
                                          x.strides,
                                          w.lengths,
                                          w.strides,
                                          {},
                                          {},
                                          y.lengths,
                                          y.strides,
                                          one,
                                          one,
                                          one,
                                          one,
                                          PassThrough{},
                                          PassThrough{},
                                          PassThrough{});
        },
        out);
}
