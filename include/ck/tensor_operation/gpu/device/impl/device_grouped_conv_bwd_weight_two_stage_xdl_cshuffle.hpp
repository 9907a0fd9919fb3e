#pragma once
// Backward weight of a grouped convolution by MFMA, in two stages, under Composable Kernel's
// positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, workspace and limits are those of DeviceGroupedConvBwdWeightImplicitGemm,
/// which runs a second stage if the sum has several parts or if groups are merged. GemmM = K, GemmN
/// = Y X C, GemmK = N Ho Wo.
///
/// Parameters that take effect: types, layouts, operations, the specialisation, BlockSize (must
/// match the tiles), the block tile, the wave tile, the pipeline version (v1: one LDS buffer, later
/// ones: two), and three vector widths: A (dY along K), B (X along C; both 1 in layouts like NGCHW,
/// which are read in place) and C (dW along C). Accepted but ignored, because derived from these:
/// thread clusters and their orders, access orders, LDS vector widths and paddings, the C shuffle,
/// the scheduler, the vectors of transpositions (nothing is transposed), and NumGroupsToMerge (the
/// kernel merges the number of groups that needs the fewest tiles).
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
          index_t KPerBlock,
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
          BlockGemmPipelineScheduler BlkGemmPipeSched = BlockGemmPipelineScheduler::Intrawave,
          BlockGemmPipelineVersion BlkGemmPipelineVer = BlockGemmPipelineVersion::v1,
          index_t NumGroupsToMerge                    = 1,
          typename ComputeTypeA                       = InDataType,
          typename ComputeTypeB                       = ComputeTypeA,
          index_t TransposeTransferSrcScalarPerVector = 1,
          index_t TransposeTransferDstScalarPerVector = 1>
struct DeviceGroupedConvBwdWeightTwoStage_Xdl_CShuffle
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
              .block         = {MPerBlock, NPerBlock, KPerBlock},
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
          positional::pipeline_of(BlkGemmPipelineVer)>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdWeightTwoStage_Xdl_CShuffle<" +
               this->position_values(KPerBlock) + ", " +
               positional::list(positional::names_of(BlkGemmPipeSched, BlkGemmPipelineVer),
                                NumGroupsToMerge) +
               (detail::pixels_last<InLayout, OutLayout>
                    ? ", TransposeTransferSrcScalarPerVector: " +
                          std::to_string(TransposeTransferSrcScalarPerVector) +
                          ", TransposeTransferDstScalarPerVector: " +
                          std::to_string(TransposeTransferDstScalarPerVector)
                    : "") +
               ">";
    }
};

} // namespace ck::tensor_operation::device
