#pragma once
// Forward in 3 dimensions without groups on any device, under Composable Kernel's name.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

namespace ck::tensor_operation::device {

namespace positional {

/// Loads of single elements, and dot products or multiply-add: takes any channels.
template <class T, class Acc>
constexpr GemmTuning naive_tuning()
{
    return dl_tuning<T, Acc, 128, Tile{64, 64, 16}, Sequence<16>, Sequence<8>>({1, 1, 1});
}

} // namespace positional

/// Tensors, arguments and refusals as DeviceConvNdFwdImplicitGemm; of f16, bf16, f32 and int8. For
/// any sizes and devices, not for speed. The implicit GEMM of the other operations, not loops of
/// its own: to verify those there is ck::ref::naive_conv_fwd.
template <typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename AccDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation>
struct DeviceConv3dFwdNaive_Input_N_Di_Hi_Wi_C_Weight_K_Z_Y_X_C_Output_N_Do_Ho_Wo_K
    : public DeviceConvNdFwdImplicitGemm<3,
                                         tensor_layout::convolution::NDHWC,
                                         tensor_layout::convolution::KZYXC,
                                         tensor_layout::convolution::NDHWK,
                                         InDataType,
                                         WeiDataType,
                                         OutDataType,
                                         InElementwiseOperation,
                                         WeiElementwiseOperation,
                                         OutElementwiseOperation,
                                         positional::naive_tuning<InDataType, AccDataType>()>
{
    std::string GetTypeString() const override
    {
        return "DeviceConv3dFwdNaive_Input_N_Di_Hi_Wi_C_Weight_K_Z_Y_X_C_Output_N_Do_Ho_Wo_K";
    }
};

} // namespace ck::tensor_operation::device
