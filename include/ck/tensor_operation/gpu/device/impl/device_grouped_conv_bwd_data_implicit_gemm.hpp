#pragma once
// Backward data of a grouped convolution as one launch of an implicit GEMM, on any engine: the
// tuning's matrix instruction names it.
#include "ck/tensor_operation/gpu/device/convolution_backward_data_specialization.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_data_multiple_d.hpp"
#include "ck/tensor_operation/gpu/device/impl/conv_operation.hpp"
#include "ck/tensor_operation/gpu/device/impl/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/device/impl/type_string.hpp"

namespace ck::tensor_operation::device {

/// The operation of DeviceGroupedConvBwdDataMultipleD (see there for shapes) with the tuning of a
/// kernel. Supported: any strides of the tensors; K a multiple of a_vector, C of b_vector and
/// c_vector, and these dimensions contiguous where the vectors are longer than 1.
template <index_t NDimSpatial,
          typename ALayout,
          typename BLayout,
          typename DsLayout,
          typename ELayout,
          typename ADataType,
          typename BDataType,
          typename DsDataType,
          typename EDataType,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CDEElementwiseOperation,
          GemmTuning tuning>
struct DeviceGroupedConvBwdDataImplicitGemm
    : public DeviceGroupedConvBwdDataMultipleD<NDimSpatial,
                                               ALayout,
                                               BLayout,
                                               DsLayout,
                                               ELayout,
                                               ADataType,
                                               BDataType,
                                               DsDataType,
                                               EDataType,
                                               AElementwiseOperation,
                                               BElementwiseOperation,
                                               CDEElementwiseOperation>
{
    using Operation                     = ConvOperation<BackwardDataDirection,
                                    grid::GemmTypes<ADataType,
                                                    BDataType,
                                                    EDataType,
                                                    AElementwiseOperation,
                                                    BElementwiseOperation,
                                                    CDEElementwiseOperation,
                                                    DsDataType>,
                                    tuning>;
    using Kernel                        = typename Operation::Kernel;
    static constexpr index_t NumDTensor = DsDataType::Size();

    using Tensor   = std::array<index_t, NDimSpatial + 3>;
    using Spatials = std::array<index_t, NDimSpatial>;

    struct Argument : public BaseArgument, public Operation::Argument
    {};

    struct Invoker : public BaseInvoker
    {
        float Run(const Argument& argument, const StreamConfig& config = StreamConfig{})
        {
            if(const Support s = Operation::supports(argument); !s)
                throw std::runtime_error(type_string() +
                                         " does not support this problem: " + s.reason);
            return Operation::run(argument, config);
        }
        float Run(const BaseArgument* argument,
                  const StreamConfig& config = StreamConfig{}) override
        {
            return Run(dynamic_cast<const Argument&>(*argument), config);
        }
    };

    static Argument MakeArgument(const void* p_a,
                                 const void* p_b,
                                 const std::array<const void*, NumDTensor>& p_ds,
                                 void* p_e,
                                 const Tensor& a_g_n_k_wos_lengths,
                                 const Tensor& a_g_n_k_wos_strides,
                                 const Tensor& b_g_k_c_xs_lengths,
                                 const Tensor& b_g_k_c_xs_strides,
                                 const std::array<Tensor, NumDTensor>& ds_g_n_c_wis_lengths,
                                 const std::array<Tensor, NumDTensor>& ds_g_n_c_wis_strides,
                                 const Tensor& e_g_n_c_wis_lengths,
                                 const Tensor& e_g_n_c_wis_strides,
                                 const Spatials& conv_filter_strides,
                                 const Spatials& conv_filter_dilations,
                                 const Spatials& input_left_pads,
                                 const Spatials& input_right_pads,
                                 const AElementwiseOperation& a_element_op,
                                 const BElementwiseOperation& b_element_op,
                                 const CDEElementwiseOperation& cde_element_op)
    {
        const GroupedProblem made = make_grouped_problem(e_g_n_c_wis_lengths,
                                                         e_g_n_c_wis_strides,
                                                         b_g_k_c_xs_lengths,
                                                         b_g_k_c_xs_strides,
                                                         a_g_n_k_wos_lengths,
                                                         a_g_n_k_wos_strides,
                                                         conv_filter_strides,
                                                         conv_filter_dilations,
                                                         input_left_pads,
                                                         input_right_pads);
        Argument a{};
        a.problem     = made.problem;
        a.valid       = made.valid;
        a.a           = static_cast<const ADataType*>(p_a);
        a.b           = static_cast<const BDataType*>(p_b);
        a.c           = static_cast<EDataType*>(p_e);
        a.operation_a = a_element_op;
        a.operation_b = b_element_op;
        a.operation_c = cde_element_op;
        set_d_tensors(a, p_ds, ds_g_n_c_wis_lengths, ds_g_n_c_wis_strides, e_g_n_c_wis_lengths);
        return a;
    }

    static Invoker MakeInvoker() { return {}; }
    static Support supports(const Argument& a) { return Operation::supports(a); }
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
    MakeArgumentPointer(const void* p_a,
                        const void* p_b,
                        const std::array<const void*, NumDTensor>& p_ds,
                        void* p_e,
                        const Tensor& a_g_n_k_wos_lengths,
                        const Tensor& a_g_n_k_wos_strides,
                        const Tensor& b_g_k_c_xs_lengths,
                        const Tensor& b_g_k_c_xs_strides,
                        const std::array<Tensor, NumDTensor>& ds_g_n_c_wis_lengths,
                        const std::array<Tensor, NumDTensor>& ds_g_n_c_wis_strides,
                        const Tensor& e_g_n_c_wis_lengths,
                        const Tensor& e_g_n_c_wis_strides,
                        const Spatials& conv_filter_strides,
                        const Spatials& conv_filter_dilations,
                        const Spatials& input_left_pads,
                        const Spatials& input_right_pads,
                        const AElementwiseOperation& a_element_op,
                        const BElementwiseOperation& b_element_op,
                        const CDEElementwiseOperation& cde_element_op) override
    {
        return std::make_unique<Argument>(MakeArgument(p_a,
                                                       p_b,
                                                       p_ds,
                                                       p_e,
                                                       a_g_n_k_wos_lengths,
                                                       a_g_n_k_wos_strides,
                                                       b_g_k_c_xs_lengths,
                                                       b_g_k_c_xs_strides,
                                                       ds_g_n_c_wis_lengths,
                                                       ds_g_n_c_wis_strides,
                                                       e_g_n_c_wis_lengths,
                                                       e_g_n_c_wis_strides,
                                                       conv_filter_strides,
                                                       conv_filter_dilations,
                                                       input_left_pads,
                                                       input_right_pads,
                                                       a_element_op,
                                                       b_element_op,
                                                       cde_element_op));
    }
    std::unique_ptr<BaseInvoker> MakeInvokerPointer() override
    {
        return std::make_unique<Invoker>();
    }
    std::string GetTypeString() const override { return type_string(); }

private:
    static std::string type_string()
    {
        return conv_type_string("DeviceGroupedConvBwdDataMultipleD", tuning, "");
    }
};

} // namespace ck::tensor_operation::device
