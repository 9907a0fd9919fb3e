#pragma once
// Times all instances of a grouped backward data convolution and runs the best one again.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "common/grouped_problem.hpp"

using PassThrough = ck::tensor_operation::element_wise::PassThrough;

/// Runs the client for fp16. Exit status: failure if no instance supports the problem.
template <std::size_t rank,
          class OutLayout,
          class WeiLayout,
          class InLayout,
          class AComputeType = ck::half_t,
          class BComputeType = AComputeType>
int run_grouped_conv_bwd_data(const GroupedProblem<rank>& problem)
{
    using T         = ck::half_t;
    using DeviceOp  = ck::tensor_operation::device::DeviceGroupedConvBwdDataMultipleD<rank,
                                                                                     OutLayout,
                                                                                     WeiLayout,
                                                                                     ck::Tuple<>,
                                                                                     InLayout,
                                                                                     T,
                                                                                     T,
                                                                                     ck::Tuple<>,
                                                                                     T,
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
        ReferenceConvBwdData<rank, double, T, T, PassThrough, PassThrough, PassThrough>;
    const bool verify = verifies(p.flop());
    Operand<T> wei(w.descriptor(), verify), out(y.descriptor(), verify);
    Result<T> in(x.descriptor(), verify, [&](Tensor<double>& expected) {
        p.template compute<Reference>(expected, wei.host, out.host);
    });
    return run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        p.flop(),
        1. * sizeof(T) * (x.size() + w.size() + y.size()),
        [&](DeviceOp& op) {
            return op.MakeArgumentPointer(out.device.p,
                                          wei.device.p,
                                          {},
                                          in.device.p,
                                          y.lengths,
                                          y.strides,
                                          w.lengths,
                                          w.strides,
                                          {},
                                          {},
                                          x.lengths,
                                          x.strides,
                                          one,
                                          one,
                                          one,
                                          one,
                                          PassThrough{},
                                          PassThrough{},
                                          PassThrough{});
        },
        in);
}
