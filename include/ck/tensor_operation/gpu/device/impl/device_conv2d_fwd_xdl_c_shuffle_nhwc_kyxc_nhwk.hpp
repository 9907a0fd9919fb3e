#pragma once
// Forward in 2 dimensions without groups by MFMA under Composable Kernel's positional name.
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
template <
    typename InDataType,
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
    index_t MPerXdl,
    index_t NPerXdl,
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
    index_t CShuffleMXdlPerWavePerShuffle,
    index_t CShuffleNXdlPerWavePerShuffle,
    typename CBlockTransferClusterLengths_MBlock_MXdlPerWave_MWaveMPerXdl_NBlock_NXdlPerWave_NWaveNPerXdl,
    index_t CBlockTransferScalarPerVector_NWaveNPerXdl>
struct DeviceConv2dFwdXdl_C_Shuffle_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K
    : public DeviceConvNdFwdImplicitGemm<
          2,
          tensor_layout::convolution::NHWC,
          tensor_layout::convolution::KYXC,
          tensor_layout::convolution::NHWK,
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
                                 MPerXdl,
                                 NPerXdl,
                                 MXdlPerWave,
                                 NXdlPerWave>(
              {positional::along_reduction<ABlockTransferSrcVectorDim,
                                           ABlockTransferSrcScalarPerVector>(),
               positional::along_reduction<BBlockTransferSrcVectorDim,
                                           BBlockTransferSrcScalarPerVector>(),
               CBlockTransferScalarPerVector_NWaveNPerXdl}),
          ConvForwardSpecialization,
          InDataType,
          GenerationsOperation>
{
    std::string GetTypeString() const override
    {
        return "DeviceConv2dFwdXdl_C_Shuffle_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<" +
               positional::list(BlockSize,
                                MPerBlock,
                                NPerBlock,
                                K0PerBlock,
                                getConvForwardSpecializationString(ConvForwardSpecialization),
                                K1,
                                MXdlPerWave,
                                NXdlPerWave,
                                ABlockTransferSrcScalarPerVector,
                                ABlockTransferDstScalarPerVector_K1,
                                BBlockTransferSrcScalarPerVector,
                                BBlockTransferDstScalarPerVector_K1,
                                CShuffleMXdlPerWavePerShuffle,
                                CShuffleNXdlPerWavePerShuffle,
                                CBlockTransferScalarPerVector_NWaveNPerXdl) +
               ">";
    }
};

} // namespace ck::tensor_operation::device
