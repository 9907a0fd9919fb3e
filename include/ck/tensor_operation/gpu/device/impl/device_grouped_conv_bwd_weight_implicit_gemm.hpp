#pragma once
// Backward weight of a grouped convolution as an implicit GEMM in two stages: parts of the sum side
// by side into a workspace, then their sum in a fixed order. Deterministic for any split.
#include "ck/tensor_operation/gpu/device/convolution_backward_weight_specialization.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_weight.hpp"
#include "ck/tensor_operation/gpu/device/impl/conv_operation.hpp"
#include "ck/tensor_operation/gpu/device/impl/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/device/impl/type_string.hpp"
#include "ck/tensor_operation/gpu/grid/sum_parts.hpp"

namespace ck::tensor_operation::device {

/// The operation of DeviceGroupedConvBwdWeight (see there for shapes) with the tuning of a kernel.
/// Supported: any strides of the tensors; K a multiple of a_vector, C of b_vector and c_vector, and
/// the channels of dY and X contiguous where the vectors are longer than 1; any positive split_k.
/// Needs GetWorkSpaceSize() bytes of workspace: a float for each element of dW and part of the sum.
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
          GemmTuning tuning>
struct DeviceGroupedConvBwdWeightImplicitGemm
    : public DeviceGroupedConvBwdWeight<NDimSpatial,
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
    using PassThrough = element_wise::PassThrough;
    using Operation   = ConvOperation<BackwardWeightDirection,
                                    grid::GemmTypes<OutDataType,
                                                    InDataType,
                                                    float,
                                                    OutElementwiseOperation,
                                                    InElementwiseOperation,
                                                    PassThrough>,
                                    tuning>;
    using Kernel      = typename Operation::Kernel;
    using Sum         = grid::SumParts<BackwardWeight, WeiDataType, WeiElementwiseOperation>;

    using Tensor   = std::array<index_t, NDimSpatial + 3>;
    using Spatials = std::array<index_t, NDimSpatial>;

    /// `problem` has dW packed, as the parts are; `filter_strides` are dW's own.
    struct Argument : public BaseArgument, public Operation::Argument
    {
        TensorStrides filter_strides;
        WeiDataType* filter;
        WeiElementwiseOperation filter_operation;

        index_t parts() const { return this->splits * Operation::chunks(this->problem); }
        long_index_t part_size() const { return element_count(this->problem.filter_lengths()); }
    };

    struct Invoker : public BaseInvoker
    {
        float Run(const Argument& argument, const StreamConfig& config = StreamConfig{})
        {
            if(const Support s = supports(argument); !s)
                throw std::runtime_error(type_string() +
                                         " does not support this problem: " + s.reason);
            Argument a    = argument;
            a.c           = static_cast<float*>(argument.p_workspace_);
            const float t = Operation::run(a, config);
            const auto s  = sum_params(a);
            return t +
                   launch_and_time_kernel<Sum>(
                       config, static_cast<index_t>(s.blocks_of_group.value * a.problem.groups), s);
        }
        float Run(const BaseArgument* argument,
                  const StreamConfig& config = StreamConfig{}) override
        {
            return Run(dynamic_cast<const Argument&>(*argument), config);
        }
    };

    static Argument MakeArgument(const void* p_in,
                                 void* p_wei,
                                 const void* p_out,
                                 const Tensor& in_g_n_c_wis_lengths,
                                 const Tensor& in_g_n_c_wis_strides,
                                 const Tensor& wei_g_k_c_xs_lengths,
                                 const Tensor& wei_g_k_c_xs_strides,
                                 const Tensor& out_g_n_k_wos_lengths,
                                 const Tensor& out_g_n_k_wos_strides,
                                 const Spatials& conv_filter_strides,
                                 const Spatials& conv_filter_dilations,
                                 const Spatials& input_left_pads,
                                 const Spatials& input_right_pads,
                                 InElementwiseOperation in_element_op,
                                 WeiElementwiseOperation wei_element_op,
                                 OutElementwiseOperation out_element_op,
                                 index_t split_k)
    {
        const GroupedProblem made = make_grouped_problem(in_g_n_c_wis_lengths,
                                                         in_g_n_c_wis_strides,
                                                         wei_g_k_c_xs_lengths,
                                                         wei_g_k_c_xs_strides,
                                                         out_g_n_k_wos_lengths,
                                                         out_g_n_k_wos_strides,
                                                         conv_filter_strides,
                                                         conv_filter_dilations,
                                                         input_left_pads,
                                                         input_right_pads);
        Argument a{};
        a.problem          = made.problem;
        a.valid            = made.valid;
        a.a                = static_cast<const OutDataType*>(p_out);
        a.b                = static_cast<const InDataType*>(p_in);
        a.operation_a      = out_element_op;
        a.operation_b      = in_element_op;
        a.filter           = static_cast<WeiDataType*>(p_wei);
        a.filter_operation = wei_element_op;
        a.filter_strides   = a.problem.filter_strides;
        a.splits           = split_k;
        if(a.valid && split_k < 1)
            a.valid = refused("split_k is " + std::to_string(split_k) + ", but must be at least 1");
        if(!a.valid)
            return a;
        ConvProblem packed = a.problem;
        set_packed_strides(packed);
        a.problem.filter_strides = packed.filter_strides;
        a.c_split                = a.part_size();
        a.c_chunk                = a.part_size() * split_k;
        return a;
    }

    static Invoker MakeInvoker() { return {}; }

    /// All but the workspace.
    static Support supports_problem(const Argument& a)
    {
        if(const Support s = Operation::supports(a); !s)
            return s;
        ConvProblem own    = a.problem; // dW where it lies
        own.filter_strides = a.filter_strides;
        return check_backward_weight(
            own,
            1,
            {Operation::element_bytes.input, sizeof(WeiDataType), Operation::element_bytes.output});
    }
    static Support supports(const Argument& a)
    {
        if(const Support s = supports_problem(a); !s)
            return s;
        if(a.p_workspace_ == nullptr && workspace_size(a) > 0)
            return refused("there is no workspace, but the operation needs " +
                           std::to_string(workspace_size(a)) +
                           " bytes; see GetWorkSpaceSize and SetWorkSpacePointer");
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
    std::size_t GetWorkSpaceSize(const BaseArgument* a) const override
    {
        const auto& argument = dynamic_cast<const Argument&>(*a);
        return supports_problem(argument) ? workspace_size(argument) : 0;
    }

    std::unique_ptr<BaseArgument> MakeArgumentPointer(const void* p_in,
                                                      void* p_wei,
                                                      const void* p_out,
                                                      const Tensor& in_g_n_c_wis_lengths,
                                                      const Tensor& in_g_n_c_wis_strides,
                                                      const Tensor& wei_g_k_c_xs_lengths,
                                                      const Tensor& wei_g_k_c_xs_strides,
                                                      const Tensor& out_g_n_k_wos_lengths,
                                                      const Tensor& out_g_n_k_wos_strides,
                                                      const Spatials& conv_filter_strides,
                                                      const Spatials& conv_filter_dilations,
                                                      const Spatials& input_left_pads,
                                                      const Spatials& input_right_pads,
                                                      InElementwiseOperation in_element_op,
                                                      WeiElementwiseOperation wei_element_op,
                                                      OutElementwiseOperation out_element_op,
                                                      index_t split_k) override
    {
        return std::make_unique<Argument>(MakeArgument(p_in,
                                                       p_wei,
                                                       p_out,
                                                       in_g_n_c_wis_lengths,
                                                       in_g_n_c_wis_strides,
                                                       wei_g_k_c_xs_lengths,
                                                       wei_g_k_c_xs_strides,
                                                       out_g_n_k_wos_lengths,
                                                       out_g_n_k_wos_strides,
                                                       conv_filter_strides,
                                                       conv_filter_dilations,
                                                       input_left_pads,
                                                       input_right_pads,
                                                       in_element_op,
                                                       wei_element_op,
                                                       out_element_op,
                                                       split_k));
    }
    std::unique_ptr<BaseInvoker> MakeInvokerPointer() override
    {
        return std::make_unique<Invoker>();
    }
    std::string GetTypeString() const override { return type_string(); }

private:
    static std::string type_string()
    {
        return conv_type_string("DeviceGroupedConvBwdWeightTwoStage", tuning, "");
    }

    static std::size_t workspace_size(const Argument& a)
    {
        return sizeof(float) * static_cast<std::size_t>(a.parts()) *
               static_cast<std::size_t>(a.part_size());
    }

    static typename Sum::Params sum_params(const Argument& a)
    {
        ConvProblem own    = a.problem;
        own.filter_strides = a.filter_strides;
        const auto columns = static_cast<index_t>(BackwardWeightDirection::columns(own));
        const auto size    = static_cast<index_t>(own.out_channels) * columns;
        return {a.c,
                a.filter,
                a.filter_operation,
                BackwardWeight::make(own, 1),
                a.parts(),
                a.part_size(),
                size,
                a.filter_strides[0],
                make_divisor(math::integer_divide_ceil(size, Sum::block_size)),
                make_divisor(columns)};
    }
};

} // namespace ck::tensor_operation::device
