#pragma once
// Forward in 3 dimensions without groups by MFMA under Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/generations_operation.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and refusals as DeviceConvNdFwdImplicitGemm.
///
/// Of the parameters these have a meaning: types, layouts, operations, the specialisation,
/// BlockSize (must be what the tiles make it), the block tile, the wave tile and the vector widths
/// of A, B and C. Accepted without effect, being derived from these: thread clusters and their
/// orders, access orders, LDS vector widths and paddings, the C shuffle.
template <typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename AccDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          ConvolutionForwardSpecialization ConvForwardSpecialization,
          index_t BlockSize,
          index_t MPerBlock,
          index_t NPerBlock,
          index_t K0PerBlock,
          index_t K1,
          index_t MPerXDL,
          index_t NPerXDL,
          index_t MXdlPerWave,
          index_t NXdlPerWave,
          typename ABlockTransferThreadClusterLengths_K0_M_K1,
          typename ABlockTransferThreadClusterArrangeOrder,
          typename ABlockTransferSrcAccessOrder,
          index_t ABlockTransferSrcVectorDim,
          index_t ABlockTransferSrcScalarPerVector,
          index_t ABlockTransferDstScalarPerVector_K1,
          bool ABlockLdsAddExtraM,
          typename BBlockTransferThreadClusterLengths_K0_N_K1,
          typename BBlockTransferThreadClusterArrangeOrder,
          typename BBlockTransferSrcAccessOrder,
          index_t BBlockTransferSrcVectorDim,
          index_t BBlockTransferSrcScalarPerVector,
          index_t BBlockTransferDstScalarPerVector_K1,
          bool BBlockLdsAddExtraN,
          index_t CThreadTransferSrcDstVectorDim,
          index_t CThreadTransferDstScalarPerVector>
struct DeviceConv3dFwdXdl_Input_N_Di_Hi_Wi_C_Weight_K_Z_Y_X_C_Output_N_Do_Ho_Wo_K
    : public DeviceConvNdFwdImplicitGemm<
          3,
          tensor_layout::convolution::NDHWC,
          tensor_layout::convolution::KZYXC,
          tensor_layout::convolution::NDHWK,
          InDataType,
          WeiDataType,
          OutDataType,
          InElementwiseOperation,
          WeiElementwiseOperation,
          OutElementwiseOperation,
          positional::xdl_tuning<InDataType,
                                 AccDataType,
                                 BlockSize,
                                 Tile{MPerBlock, NPerBlock, K0PerBlock* K1},
                                 MPerXDL,
                                 NPerXDL,
                                 MXdlPerWave,
                                 NXdlPerWave>(
              {positional::along_reduction<ABlockTransferSrcVectorDim,
                                           ABlockTransferSrcScalarPerVector>(),
               positional::along_reduction<BBlockTransferSrcVectorDim,
                                           BBlockTransferSrcScalarPerVector>(),
               CThreadTransferDstScalarPerVector}),
          ConvForwardSpecialization,
          InDataType,
          GenerationsOperation>
{
    std::string GetTypeString() const override
    {
        return "DeviceConv3dFwdXdl_Input_N_Di_Hi_Wi_C_Weight_K_Z_Y_X_C_Output_N_Do_Ho_Wo_K<" +
               positional::list(BlockSize,
                                MPerBlock,
                                NPerBlock,
                                K0PerBlock,
                                getConvForwardSpecializationString(ConvForwardSpecialization),
                                K1,
                                MPerXDL,
                                NPerXDL,
                                MXdlPerWave,
                                NXdlPerWave,
                                ABlockTransferSrcScalarPerVector,
                                ABlockTransferDstScalarPerVector_K1,
                                BBlockTransferSrcScalarPerVector,
                                BBlockTransferDstScalarPerVector_K1) +
               ">";
    }
};

} // namespace ck::tensor_operation::device
