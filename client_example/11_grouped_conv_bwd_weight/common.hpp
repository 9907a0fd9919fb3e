#pragma once
// Times all instances of a grouped backward weight convolution and runs the best one again.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "common/grouped_problem.hpp"

using PassThrough = ck::tensor_operation::element_wise::PassThrough;

/// Computes the sum in two parts. Exit status: failure if no instance supports the problem.
template <std::size_t rank,
          class In,
          class Wei,
          class Out,
          class InLayout,
          class WeiLayout,
          class OutLayout,
          class AComputeType = In,
          class BComputeType = AComputeType>
int run_grouped_conv_bwd_weight(const GroupedProblem<rank>& problem)
{
    using DeviceOp            = ck::tensor_operation::device::DeviceGroupedConvBwdWeight<rank,
                                                                              InLayout,
                                                                              WeiLayout,
                                                                              OutLayout,
                                                                              In,
                                                                              Wei,
                                                                              Out,
                                                                              PassThrough,
                                                                              PassThrough,
                                                                              PassThrough,
                                                                              AComputeType,
                                                                              BComputeType>;
    const ck::index_t split_k = 2;
    const auto p              = problem.fitting();
    const auto x              = p.template input<InLayout>();
    const auto w              = p.template weight<WeiLayout>();
    const auto y              = p.template output<OutLayout>();
    const auto one            = p.all(1);
    using Reference           = ck::tensor_operation::host::
        ReferenceConvBwdWeight<rank, In, double, Out, PassThrough, PassThrough, PassThrough>;
    const bool verify = verifies(p.flop());
    Operand<In> in(x.descriptor(), verify);
    Operand<Out> out(y.descriptor(), verify);
    Result<Wei> wei(w.descriptor(), verify, [&](Tensor<double>& expected) {
        p.template compute<Reference>(in.host, expected, out.host);
    });
    return run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        p.flop(),
        1. * sizeof(In) * x.size() + sizeof(Wei) * w.size() + sizeof(Out) * y.size(),
        [&](DeviceOp& op) {
            return op.MakeArgumentPointer(in.device.p,
                                          wei.device.p,
                                          out.device.p,
                                          x.lengths,
                                          x.strides,
                                          w.lengths,
                                          w.strides,
                                          y.lengths,
                                          y.strides,
                                          one,
                                          one,
                                          one,
                                          one,
                                          PassThrough{},
                                          PassThrough{},
                                          PassThrough{},
                                          split_k);
        },
        wei);
}
