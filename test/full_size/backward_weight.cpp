// Labels: not sanitized
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "full_size/kernels.hpp"

namespace ck::test {

template <GemmTuning tuning>
struct RunBackwardWeight
{
    static constexpr index_t dl_a = 4, dl_b = 4;

    static std::string run(const ConvProblem& p, half_t* x, half_t* dw, half_t* dy)
    {
        using namespace tensor_layout::convolution;
        using P = tensor_operation::element_wise::PassThrough;
        tensor_operation::device::DeviceGroupedConvBwdWeightImplicitGemm<3,
                                                                         NDHWGC,
                                                                         GKZYXC,
                                                                         NDHWGK,
                                                                         half_t,
                                                                         half_t,
                                                                         half_t,
                                                                         P,
                                                                         P,
                                                                         P,
                                                                         tuning>
            op;
        constexpr index_t automatic = -1;
        const auto argument         = op.MakeArgumentPointer(x,
                                                     dw,
                                                     dy,
                                                     narrow(p.input_lengths()),
                                                     narrow(p.input_strides),
                                                     narrow(p.filter_lengths()),
                                                     narrow(p.filter_strides),
                                                     narrow(p.output_lengths()),
                                                     narrow(p.output_strides),
                                                     narrow(p.stride),
                                                     narrow(p.dilation),
                                                     narrow(p.pad_low),
                                                     narrow(p.pad_high),
                                                     {},
                                                     {},
                                                     {},
                                                     automatic);
        if(const std::string reason = op.WhyNotSupported(argument.get()); reason != "")
            return reason;
        const DeviceMem workspace(op.GetWorkSpaceSize(argument.get()));
        op.SetWorkSpacePointer(argument.get(), workspace.GetDeviceBuffer());
        op.MakeInvokerPointer()->Run(argument.get());
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        return "";
    }
};

void add_backward_weight(std::vector<Kernel>& all)
{
    add_engines<RunBackwardWeight>(all, Direction::backward_weight);
}

} // namespace ck::test
