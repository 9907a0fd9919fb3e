// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "full_size/kernels.hpp"

namespace ck::test {

template <GemmTuning tuning>
struct RunBackwardData
{
    static constexpr index_t dl_a = 8, dl_b = 4;

    static std::string run(const ConvProblem& p, half_t* dx, half_t* w, half_t* dy)
    {
        using namespace tensor_layout::convolution;
        using P = tensor_operation::element_wise::PassThrough;
        tensor_operation::device::DeviceGroupedConvBwdDataImplicitGemm<3,
                                                                       NDHWGK,
                                                                       GKZYXC,
                                                                       Tuple<>,
                                                                       NDHWGC,
                                                                       half_t,
                                                                       half_t,
                                                                       Tuple<>,
                                                                       half_t,
                                                                       P,
                                                                       P,
                                                                       P,
                                                                       tuning>
            op;
        const auto argument = op.MakeArgumentPointer(dy,
                                                     w,
                                                     {},
                                                     dx,
                                                     narrow(p.output_lengths()),
                                                     narrow(p.output_strides),
                                                     narrow(p.filter_lengths()),
                                                     narrow(p.filter_strides),
                                                     {},
                                                     {},
                                                     narrow(p.input_lengths()),
                                                     narrow(p.input_strides),
                                                     narrow(p.stride),
                                                     narrow(p.dilation),
                                                     narrow(p.pad_low),
                                                     narrow(p.pad_high),
                                                     {},
                                                     {},
                                                     {});
        if(const std::string reason = op.WhyNotSupported(argument.get()); reason != "")
            return reason;
        op.MakeInvokerPointer()->Run(argument.get());
        return "";
    }
};

void add_backward_data(std::vector<Kernel>& all)
{
    add_engines<RunBackwardData>(all, Direction::backward_data);
}

} // namespace ck::test
