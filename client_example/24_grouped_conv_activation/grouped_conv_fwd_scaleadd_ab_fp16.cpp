// Y = conv(2 X0 + X1, 2 W0 + W1) in three dimensions, fp16: all instances timed.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_scaleadd_ab.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_abd.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "../grouped_problem.hpp"

using namespace ck::tensor_layout::convolution;
using ck::half_t;
using ck::tensor_operation::element_wise::PassThrough;
using ck::tensor_operation::element_wise::ScaleAdd;
using DeviceOp =
    ck::tensor_operation::device::DeviceGroupedConvFwdMultipleABD<3,
                                                                  NDHWGC,
                                                                  GKZYXC,
                                                                  ck::Tuple<>,
                                                                  NDHWGK,
                                                                  ck::Tuple<half_t, half_t>,
                                                                  ck::Tuple<half_t, half_t>,
                                                                  ck::Tuple<>,
                                                                  half_t,
                                                                  ScaleAdd,
                                                                  ScaleAdd,
                                                                  PassThrough>;

static int run()
{
    const auto p   = GroupedProblem<3>{32, 64, 64, 32, {14, 14, 14}}.fitting();
    const auto x   = p.input<NDHWGC>();
    const auto w   = p.weight<GKZYXC>();
    const auto y   = p.output<NDHWGK>();
    const auto one = p.all(1);
    SimpleDeviceMem x0(2 * x.size()), x1(2 * x.size()), w0(2 * w.size()), w1(2 * w.size()),
        out(2 * y.size());
    // Named: operations of several tensors take arrays by reference.
    std::array<const void*, 2> xs{x0.p, x1.p}, ws{w0.p, w1.p};
    return run_instances(ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
                             DeviceOp>::GetInstances(),
                         p.flop(),
                         2. * (2 * x.size() + 2 * w.size() + y.size()),
                         [&](DeviceOp& op) {
                             return op.MakeArgumentPointer(xs,
                                                           ws,
                                                           {},
                                                           out.p,
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
                                                           ScaleAdd{2.f},
                                                           ScaleAdd{2.f},
                                                           PassThrough{});
                         });
}

int main(int argc, char* argv[]) { return report_errors(argc, argv, run); }
