#pragma once
// The names at the beginning of type strings. They are Composable Kernel's where it implements the
// operation on that engine: clients such as MIOpen search lists of instances for them.
#include <string>
#include <string_view>

namespace ck::tensor_operation::device {

/// An operation's name on each engine. On every other engine the name is `other` followed by the
/// engine's name: DeviceGroupedConvBwdWeight_Wgmma.
struct OperationNames
{
    const char* xdl;   ///< MFMA
    const char* wmma;  ///< WMMA
    const char* dl;    ///< dot products
    const char* other; ///< the beginning of the name on every other engine
};

/// Names of DeviceGroupedConvFwdMultipleABD.
inline constexpr OperationNames grouped_forward_names{
    "DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle",
    "DeviceGroupedConvFwdMultipleD_Wmma_CShuffle",
    "DeviceGroupedConvFwdDlMultipleD_NHWC_KYXC_NHWK",
    "DeviceGroupedConvFwdMultipleABD"};
/// Names of DeviceGroupedConvFwd.
inline constexpr OperationNames plain_grouped_forward_names{"DeviceGroupedConvFwd_Xdl_CShuffle",
                                                            "DeviceGroupedConvFwd_Wmma_CShuffle",
                                                            "DeviceGroupedConvFwdDl_NHWC_KYXC_NHWK",
                                                            "DeviceGroupedConvFwd"};
/// Names of DeviceGroupedConvBwdDataMultipleD.
inline constexpr OperationNames grouped_backward_data_names{
    "DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1",
    "DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle",
    "DeviceGroupedConvBwdDataMultipleD_Dl",
    "DeviceGroupedConvBwdDataMultipleD"};
/// Names of DeviceGroupedConvBwdWeight.
inline constexpr OperationNames grouped_backward_weight_names{
    "DeviceGroupedConvBwdWeight_Xdl_CShuffle",
    "DeviceGroupedConvBwdWeight_Wmma_CShuffle",
    "DeviceGroupedConvBwdWeight_Dl",
    "DeviceGroupedConvBwdWeight"};
/// Names of DeviceGroupedConvBwdWeightMultipleD.
inline constexpr OperationNames grouped_backward_weight_multiple_d_names{
    "DeviceGroupedConvBwdWeightMultipleD_Xdl_CShuffle",
    "DeviceGroupedConvBwdWeightMultipleD_Wmma_CShuffle",
    "DeviceGroupedConvBwdWeightMultipleD_Dl",
    "DeviceGroupedConvBwdWeightMultipleD"};
// Without groups, 1D to 3D: Composable Kernel's backward data names; forward follows their pattern.
/// Names of DeviceConvFwd.
inline constexpr OperationNames packed_forward_names{"DeviceConvNdFwdNwcKxcNwk_Xdl",
                                                     "DeviceConvNdFwdNwcKxcNwk_Wmma",
                                                     "DeviceConvNdFwdNwcKxcNwk_Dl",
                                                     "DeviceConvNdFwdNwcKxcNwk"};
/// Names of DeviceConvFwdBiasActivation.
inline constexpr OperationNames packed_forward_bias_names{
    "DeviceConv2dFwdXdl_C_Shuffle_Bias_Activation_"
    "Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K",
    "DeviceConvFwdBiasActivation_Wmma",
    "DeviceConvFwdBiasActivation_Dl",
    "DeviceConvFwdBiasActivation"};
/// Names of DeviceConvFwdBiasActivationAdd.
inline constexpr OperationNames packed_forward_bias_add_names{
    "DeviceConv2dFwdXdl_C_Shuffle_Bias_Activation_Add_"
    "Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K",
    "DeviceConvFwdBiasActivationAdd_Wmma",
    "DeviceConvFwdBiasActivationAdd_Dl",
    "DeviceConvFwdBiasActivationAdd"};
/// Names of DeviceConvBwdData.
inline constexpr OperationNames packed_backward_data_names{"DeviceConvNdBwdDataNwcKxcNwk_Xdl",
                                                           "DeviceConvNdBwdDataNwcKxcNwk_Wmma",
                                                           "DeviceConvNdBwdDataNwcKxcNwk_Dl",
                                                           "DeviceConvNdBwdDataNwcKxcNwk"};

/// The type string of an operation whose kernel is named `kernel`: "Xdl<256, 128 ...>".
inline std::string type_string_of(const OperationNames& names, std::string_view kernel)
{
    const std::string_view engine = kernel.substr(0, kernel.find('<'));
    const std::string rest(kernel.substr(engine.size()));
    if(engine == "Xdl")
        return names.xdl + rest;
    if(engine == "Wmma")
        return names.wmma + rest;
    if(engine == "Dl")
        return names.dl + rest;
    return std::string(names.other) + '_' + std::string(engine) + rest;
}

} // namespace ck::tensor_operation::device
