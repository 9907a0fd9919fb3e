#pragma once
// Backward data of a convolution without groups as one launch of an implicit GEMM, on any engine:
// the tuning's matrix instruction names it.
#include "ck/tensor_operation/gpu/device/convolution_backward_data_specialization.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_bwd_data.hpp"
#include "ck/tensor_operation/gpu/device/impl/conv_operation.hpp"
#include "ck/tensor_operation/gpu/device/impl/type_string.hpp"

#include <stdexcept>

namespace ck::tensor_operation::device {

/// The operation of DeviceConvBwdData (see there for shapes) with the tuning of a kernel.
/// Supported: any stride, dilation, padding and filter; K a multiple of a_vector, C of b_vector and
/// c_vector; images of less than 2 GiB, in any number.
template <index_t NDimSpatial,
          typename InLayout,
          typename WeiLayout,
          typename OutLayout,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          GemmTuning tuning,
          ConvolutionBackwardDataSpecialization specialization =
              ConvolutionBackwardDataSpecialization::Default>
struct DeviceConvNdBwdDataImplicitGemm : public DeviceConvBwdData<NDimSpatial,
                                                                  InLayout,
                                                                  WeiLayout,
                                                                  OutLayout,
                                                                  InDataType,
                                                                  WeiDataType,
                                                                  OutDataType,
                                                                  InElementwiseOperation,
                                                                  WeiElementwiseOperation,
                                                                  OutElementwiseOperation>
{
    static_assert(1 <= NDimSpatial && NDimSpatial <= 3,
                  "convolutions have 1 to 3 spatial dimensions");
    using Operation = ConvOperation<BackwardDataDirection,
                                    grid::GemmTypes<OutDataType,
                                                    WeiDataType,
                                                    InDataType,
                                                    OutElementwiseOperation,
                                                    WeiElementwiseOperation,
                                                    InElementwiseOperation>,
                                    tuning>;
    using Kernel    = typename Operation::Kernel;

    struct Argument : public BaseArgument, public Operation::Argument
    {};

    struct Invoker : public BaseInvoker
    {
        float Run(const Argument& argument, const StreamConfig& stream_config = StreamConfig{})
        {
            if(const Support s = supports(argument); !s)
                throw std::runtime_error(type_string() +
                                         " does not support this problem: " + s.reason);
            return Operation::run(argument, stream_config);
        }
        float Run(const BaseArgument* argument,
                  const StreamConfig& stream_config = StreamConfig{}) override
        {
            return Run(dynamic_cast<const Argument&>(*argument), stream_config);
        }
    };

    /// Strides, dilations and pads as in MakeArgumentPointer. A problem that makes no sense is kept
    /// and refused by supports().
    static Argument MakeArgument(void* p_in,
                                 const void* p_wei,
                                 const void* p_out,
                                 index_t N,
                                 index_t K,
                                 index_t C,
                                 const std::vector<index_t>& input_spatial_lengths,
                                 const std::vector<index_t>& filter_spatial_lengths,
                                 const std::vector<index_t>& output_spatial_lengths,
                                 const std::vector<index_t>& conv_filter_strides,
                                 const std::vector<index_t>& conv_filter_dilations,
                                 const std::vector<index_t>& input_left_pads,
                                 const std::vector<index_t>& input_right_pads,
                                 InElementwiseOperation in_element_op,
                                 WeiElementwiseOperation wei_element_op,
                                 OutElementwiseOperation out_element_op)
    {
        Argument a{};
        a.a           = static_cast<const OutDataType*>(p_out);
        a.b           = static_cast<const WeiDataType*>(p_wei);
        a.c           = static_cast<InDataType*>(p_in);
        a.operation_a = out_element_op;
        a.operation_b = wei_element_op;
        a.operation_c = in_element_op;

        const std::pair<const char*, const std::vector<index_t>*> lists[] = {
            {"input lengths", &input_spatial_lengths},
            {"filter lengths", &filter_spatial_lengths},
            {"output lengths", &output_spatial_lengths},
            {"strides", &conv_filter_strides},
            {"dilations", &conv_filter_dilations},
            {"left pads", &input_left_pads},
            {"right pads", &input_right_pads}};
        for(const auto& [what, list] : lists)
            if(list->size() != static_cast<std::size_t>(NDimSpatial))
            {
                a.valid = refused("there are " + std::to_string(list->size()) + " " + what +
                                  ", but a " + std::to_string(NDimSpatial) + "D convolution has " +
                                  std::to_string(NDimSpatial));
                return a;
            }

        ConvProblem& p = a.problem;
        p.rank         = NDimSpatial;
        p.batch        = N;
        p.out_channels = K;
        p.in_channels  = C;
        p.input        = to_spatial(input_spatial_lengths, 1);
        p.filter       = to_spatial(filter_spatial_lengths, 1);
        p.stride       = to_spatial(conv_filter_strides, 1);
        p.dilation     = to_spatial(conv_filter_dilations, 1);
        p.pad_low      = to_spatial(input_left_pads, 0);
        p.pad_high     = to_spatial(input_right_pads, 0);
        a.valid        = validate(p);
        if(!a.valid)
            return a;
        const Spatial expected = p.output(), given = to_spatial(output_spatial_lengths, 1);
        for(std::size_t i = 0; i < 3; ++i)
            if(given[i] != expected[i])
                a.valid = refused("an output length is " + std::to_string(given[i]) +
                                  ", but input, filter, stride, dilation and pads make it " +
                                  std::to_string(expected[i]));
        set_packed_strides(p);
        return a;
    }

    static Invoker MakeInvoker() { return {}; }

    /// Whether, on the current device, the argument can be run; if not, why.
    static Support supports(const Argument& a)
    {
        if(const Support s = Operation::supports(a); !s)
            return s;
        if(specialization == ConvolutionBackwardDataSpecialization::Filter1x1Stride1Pad0 &&
           !is_1x1_stride1_pad0(a.problem))
            return refused(
                "the specialisation Filter1x1Stride1Pad0 is for filters of length 1, stride "
                "1 and no padding");
        return {};
    }
    static bool IsSupportedArgument(const Argument& a) { return static_cast<bool>(supports(a)); }

    bool IsSupportedArgument(const BaseArgument* a) override
    {
        return IsSupportedArgument(dynamic_cast<const Argument&>(*a));
    }
    std::string WhyNotSupported(const BaseArgument* a) const override
    {
        return supports(dynamic_cast<const Argument&>(*a)).reason;
    }

    std::unique_ptr<BaseArgument>
    MakeArgumentPointer(void* p_in,
                        const void* p_wei,
                        const void* p_out,
                        index_t N,
                        index_t K,
                        index_t C,
                        std::vector<index_t> input_spatial_lengths,
                        std::vector<index_t> filter_spatial_lengths,
                        std::vector<index_t> output_spatial_lengths,
                        std::vector<index_t> conv_filter_strides,
                        std::vector<index_t> conv_filter_dilations,
                        std::vector<index_t> input_left_pads,
                        std::vector<index_t> input_right_pads,
                        InElementwiseOperation in_element_op,
                        WeiElementwiseOperation wei_element_op,
                        OutElementwiseOperation out_element_op) override
    {
        return std::make_unique<Argument>(MakeArgument(p_in,
                                                       p_wei,
                                                       p_out,
                                                       N,
                                                       K,
                                                       C,
                                                       input_spatial_lengths,
                                                       filter_spatial_lengths,
                                                       output_spatial_lengths,
                                                       conv_filter_strides,
                                                       conv_filter_dilations,
                                                       input_left_pads,
                                                       input_right_pads,
                                                       in_element_op,
                                                       wei_element_op,
                                                       out_element_op));
    }
    std::unique_ptr<BaseInvoker> MakeInvokerPointer() override
    {
        return std::make_unique<Invoker>();
    }

    std::string GetTypeString() const override { return type_string(); }

private:
    static std::string type_string()
    {
        return conv_type_string("DeviceConvNdBwdDataNwcKxcNwk", tuning, specialization_suffix());
    }
    static const char* specialization_suffix()
    {
        return specialization == ConvolutionBackwardDataSpecialization::Filter1x1Stride1Pad0
                   ? " Filter1x1Stride1Pad0"
                   : "";
    }
};

} // namespace ck::tensor_operation::device
