#pragma once
// Backward weight of a grouped convolution by MFMA under Composable Kernel's positional name for
// its kernel that has separate threads to load and to multiply.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, workspace and limits are those of DeviceGroupedConvBwdWeightImplicitGemm.
/// GemmM = K, GemmN = Y X C, GemmK = N Ho Wo.
///
/// In Composable Kernel some threads load and others multiply; here every thread does both, and
/// there are TileMathThreadGroupSize of them. Parameters that take effect: those of
/// DeviceGroupedConvBwdWeight_Xdl_CShuffleV3 (TileMathThreadGroupSize takes the place of BlockSize)
/// and NumGemmKPrefetchStage (more than one: two LDS buffers). Accepted but ignored: what is
/// ignored there, TileLoadThreadGroupSize, and NumGroupsToMerge (the kernel merges the number of
/// groups that needs the fewest tiles).
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
          index_t NumGemmKPrefetchStage,
          index_t TileLoadThreadGroupSize,
          index_t TileMathThreadGroupSize,
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
          typename ComputeTypeA    = InDataType,
          typename ComputeTypeB    = ComputeTypeA,
          index_t NumGroupsToMerge = 1>
struct DeviceGroupedConvBwdWeight_Xdl_WaveletModel_CShuffleV3
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
              .block_size    = TileMathThreadGroupSize,
              .block         = {MPerBlock,
                                NPerBlock,
                                positional::slice_depth<K0PerBlock,
                                                K1,
                                                ABlockTransferThreadClusterLengths_K0_M_K1>()},
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
              .shuffle_n     = CShuffleNXdlPerWavePerShuffle,
              .single_loads  = detail::pixels_last<InLayout, OutLayout>},
          positional::pipeline_of(NumGemmKPrefetchStage)>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdWeight_Xdl_WaveletModel_CShuffleV3<" +
               this->position_values(K0PerBlock) + ", " +
               positional::list(NumGemmKPrefetchStage, TileLoadThreadGroupSize, NumGroupsToMerge) +
               ">";
    }
};

} // namespace ck::tensor_operation::device
