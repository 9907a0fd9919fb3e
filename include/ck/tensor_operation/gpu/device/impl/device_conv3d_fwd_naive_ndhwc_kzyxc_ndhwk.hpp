#pragma once
// Forward in 3 dimensions without groups on any device, under Composable Kernel's name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and limits are those of DeviceConvNdFwdImplicitGemm. Types: f16, bf16, f32
/// and int8. Runs on any device and is not tuned for speed. It is an implicit GEMM, not plain
/// loops; to verify kernels use ck::ref::naive_conv_fwd.
template <typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename AccDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation>
struct DeviceConv3dFwdNaive_Input_N_Di_Hi_Wi_C_Weight_K_Z_Y_X_C_Output_N_Do_Ho_Wo_K
    : public positional::PackedForward<3,
                                       InDataType,
                                       WeiDataType,
                                       OutDataType,
                                       AccDataType,
                                       InElementwiseOperation,
                                       WeiElementwiseOperation,
                                       OutElementwiseOperation,
                                       ConvolutionForwardSpecialization::Default,
                                       positional::Positions{.engine     = positional::Engine::dl,
                                                             .block_size = 128,
                                                             .block      = {64, 64, 16},
                                                             .k1         = 1,
                                                             .threads_m  = 16,
                                                             .threads_n  = 8,
                                                             .vectors    = {1, 1, 1}}>
{
    std::string GetTypeString() const override
    {
        return "DeviceConv3dFwdNaive_Input_N_Di_Hi_Wi_C_Weight_K_Z_Y_X_C_Output_N_Do_Ho_Wo_K";
    }
};

} // namespace ck::tensor_operation::device
