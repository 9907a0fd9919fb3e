// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "full_size/kernels.hpp"

namespace ck::test {

template <GemmTuning tuning>
struct RunForward
{
    static constexpr index_t dl_a = 8, dl_b = 8;

    static std::string run(const ConvProblem& p, half_t* x, half_t* w, half_t* y)
    {
        using namespace tensor_layout::convolution;
        using P = tensor_operation::element_wise::PassThrough;
        tensor_operation::device::DeviceGroupedConvFwdImplicitGemm<3,
                                                                   NDHWGC,
                                                                   GKZYXC,
                                                                   Tuple<>,
                                                                   NDHWGK,
                                                                   half_t,
                                                                   half_t,
                                                                   Tuple<>,
                                                                   half_t,
                                                                   P,
                                                                   P,
                                                                   P,
                                                                   tuning>
            op;
        const auto argument = op.MakeArgumentPointer(x,
                                                     w,
                                                     {},
                                                     y,
                                                     p.input_lengths(),
                                                     p.input_strides,
                                                     p.filter_lengths(),
                                                     p.filter_strides,
                                                     {},
                                                     {},
                                                     p.output_lengths(),
                                                     p.output_strides,
                                                     p.stride,
                                                     p.dilation,
                                                     p.pad_low,
                                                     p.pad_high,
                                                     {},
                                                     {},
                                                     {});
        if(const std::string reason = op.WhyNotSupported(argument.get()); reason != "")
            return reason;
        op.MakeInvokerPointer()->Run(argument.get());
        return "";
    }
};

void add_forward(std::vector<Kernel>& all) { add_engines<RunForward>(all, Direction::forward); }

} // namespace ck::test
