#pragma once
// Backward weight of a grouped convolution by MFMA under Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, workspace and limits are those of DeviceGroupedConvBwdWeightImplicitGemm.
/// Overwrites dW; does not add to it. split_k larger than 1 needs the workspace. GemmM = K, GemmN =
/// Y X C, GemmK = N Ho Wo.
///
/// Parameters that take effect: types, layouts, operations, the specialisation, BlockSize (must
/// match the tiles), the block tile MPerBlock x NPerBlock x K0PerBlock * K1, the wave tile, and
/// three vector widths: A (dY along K), B (X along C) and C (dW along C). Accepted but ignored,
/// because derived from these: thread clusters and their orders, access orders, LDS vector widths
/// and paddings, the C shuffle.
template <index_t NDimSpatial,
          typename InLayout,
          typename WeiLayout,
          typename OutLayout,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename AccDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          ConvolutionBackwardWeightSpecialization ConvBackwardWeightSpecialization,
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
          typename CBlockTransferClusterLengths_MBlock_MPerBlock_NBlock_NPerBlock,
          index_t CBlockTransferScalarPerVector_NWaveNPerXdl,
          typename ComputeTypeA = InDataType,
          typename ComputeTypeB = ComputeTypeA>
struct DeviceGroupedConvBwdWeight_Xdl_CShuffle
    : public positional::Weight<
          NDimSpatial,
          InLayout,
          WeiLayout,
          OutLayout,
          InDataType,
          WeiDataType,
          OutDataType,
          AccDataType,
          InElementwiseOperation,
          WeiElementwiseOperation,
          OutElementwiseOperation,
          ConvBackwardWeightSpecialization,
          ComputeTypeA,
          ComputeTypeB,
          positional::Positions{
              .block_size    = BlockSize,
              .block         = {MPerBlock, NPerBlock, K0PerBlock* K1},
              .k1            = K1,
              .instruction_m = MPerXdl,
              .instruction_n = NPerXdl,
              .tiles_m       = MXdlPerWave,
              .tiles_n       = NXdlPerWave,
              .vectors       = {positional::along_side<ABlockTransferSrcVectorDim,
                                                 ABlockTransferSrcScalarPerVector,
                                                 ABlockTransferThreadClusterLengths_K0_M_K1>(),
                                positional::along_side<BBlockTransferSrcVectorDim,
                                                 BBlockTransferSrcScalarPerVector,
                                                 BBlockTransferThreadClusterLengths_K0_N_K1>(),
                                CBlockTransferScalarPerVector_NWaveNPerXdl},
              .a_lds_vector  = ABlockTransferDstScalarPerVector_K1,
              .b_lds_vector  = BBlockTransferDstScalarPerVector_K1,
              .shuffle_m     = CShuffleMXdlPerWavePerShuffle,
              .shuffle_n     = CShuffleNXdlPerWavePerShuffle}>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdWeight_Xdl_CShuffle<" + this->position_values(K0PerBlock) + ">";
    }
};

} // namespace ck::tensor_operation::device
