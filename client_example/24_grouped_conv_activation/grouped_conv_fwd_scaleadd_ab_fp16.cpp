// Y = conv(2 X0 + X1, 2 W0 + W1) in three dimensions, fp16: all instances timed and verified.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_scaleadd_ab.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_abd.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "common/grouped_problem.hpp"

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
    const auto p      = GroupedProblem<3>{32, 64, 64, 32, {14, 14, 14}}.fitting();
    const auto x      = p.input<NDHWGC>();
    const auto w      = p.weight<GKZYXC>();
    const auto y      = p.output<NDHWGK>();
    const auto one    = p.all(1);
    const bool verify = verifies(p.flop());
    Operand<half_t> x0(x.descriptor(), verify), x1(x.descriptor(), verify),
        w0(w.descriptor(), verify), w1(w.descriptor(), verify);
    const ScaleAdd twice{2.f};
    Result<half_t> out(y.descriptor(), verify, [&](Tensor<double>& expected) {
        const auto sum = [&](const Tensor<half_t>& first, const Tensor<half_t>& second) {
            Tensor<half_t> r(first.mDesc);
            for(std::size_t i = 0; i < r.mData.size(); ++i)
                twice(r.mData[i], first.mData[i], second.mData[i]);
            return r;
        };
        using Reference = ck::tensor_operation::host::
            ReferenceConvFwd<3, half_t, half_t, double, PassThrough, PassThrough, PassThrough>;
        Tensor<half_t> of_x = sum(x0.host, x1.host), of_w = sum(w0.host, w1.host);
        p.compute<Reference>(of_x, of_w, expected);
    });
    // Named variables, because operations on several tensors take arrays by reference.
    std::array<const void*, 2> xs{x0.device.p, x1.device.p}, ws{w0.device.p, w1.device.p};
    return run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        p.flop(),
        2. * (2 * x.size() + 2 * w.size() + y.size()),
        [&](DeviceOp& op) {
            return op.MakeArgumentPointer(xs,
                                          ws,
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
                                          twice,
                                          twice,
                                          PassThrough{});
        },
        out);
}

int main(int argc, char* argv[]) { return report_errors(argc, argv, run); }
