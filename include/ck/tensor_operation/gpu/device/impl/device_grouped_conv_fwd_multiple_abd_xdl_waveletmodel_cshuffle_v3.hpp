#pragma once
// Forward grouped convolution by MFMA under Composable Kernel's positional name for its kernel that
// has separate threads to load and to multiply.
#include "ck/tensor_operation/gpu/device/gemm_specialization.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"
#include "ck/utility/blkgemmpipe_scheduler.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and limits are those of DeviceGroupedConvFwdImplicitGemm. GemmM = N Ho Wo,
/// GemmN = K, GemmK = Y X C.
///
/// Here every thread loads and multiplies. Parameters mean what they mean in
/// DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle_V3; TileMathThreadGroupSize takes the place of
/// BlockSize. NumGemmKPrefetchStage above 1 means two LDS buffers. NumGroupsToMerge means what it
/// means in DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle. TileLoadThreadGroupSize is ignored.
template <index_t NDimSpatial,
          typename ALayout,
          typename BLayout,
          typename DsLayout,
          typename ELayout,
          typename ADataType,
          typename BDataType,
          typename AccDataType,
          typename CShuffleDataType,
          typename DsDataType,
          typename EDataType,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CDEElementwiseOperation,
          ConvolutionForwardSpecialization ConvForwardSpecialization,
          GemmSpecialization GemmSpec,
          index_t NumGemmKPrefetchStage,
          index_t TileLoadThreadGroupSize,
          index_t TileMathThreadGroupSize,
          index_t MPerBlock,
          index_t NPerBlock,
          index_t KPerBlock,
          index_t AK1,
          index_t BK1,
          index_t MPerXDL,
          index_t NPerXDL,
          index_t MXdlPerWave,
          index_t NXdlPerWave,
          typename ABlockTransferThreadClusterLengths_AK0_M_AK1,
          typename ABlockTransferThreadClusterArrangeOrder,
          typename ABlockTransferSrcAccessOrder,
          index_t ABlockTransferSrcVectorDim,
          index_t ABlockTransferSrcScalarPerVector,
          index_t ABlockTransferDstScalarPerVector_AK1,
          index_t ABlockLdsExtraM,
          typename BBlockTransferThreadClusterLengths_BK0_N_BK1,
          typename BBlockTransferThreadClusterArrangeOrder,
          typename BBlockTransferSrcAccessOrder,
          index_t BBlockTransferSrcVectorDim,
          index_t BBlockTransferSrcScalarPerVector,
          index_t BBlockTransferDstScalarPerVector_BK1,
          index_t BBlockLdsExtraN,
          index_t CShuffleMXdlPerWavePerShuffle,
          index_t CShuffleNXdlPerWavePerShuffle,
          typename CDEBlockTransferClusterLengths_MBlock_MPerBlock_NBlock_NPerBlock,
          index_t CDEBlockTransferScalarPerVector_NPerBlock,
          typename AComputeDataType = typename detail::FirstType<ADataType>::type,
          typename BComputeDataType = AComputeDataType,
          index_t NumGroupsToMerge  = 1>
struct DeviceGroupedConvFwdMultipleABD_Xdl_WaveletModel_CShuffleV3
    : public positional::GroupedForward<
          NDimSpatial,
          ALayout,
          BLayout,
          DsLayout,
          ELayout,
          ADataType,
          BDataType,
          positional::Summed<AccDataType, CShuffleDataType>,
          DsDataType,
          EDataType,
          AElementwiseOperation,
          BElementwiseOperation,
          CDEElementwiseOperation,
          ConvForwardSpecialization,
          AComputeDataType,
          BComputeDataType,
          positional::Positions{
              .block_size    = TileMathThreadGroupSize,
              .block         = {MPerBlock, NPerBlock, KPerBlock},
              .k1            = AK1,
              .instruction_m = MPerXDL,
              .instruction_n = NPerXDL,
              .tiles_m       = MXdlPerWave,
              .tiles_n       = NXdlPerWave,
              .vectors       = {positional::along_reduction<
                              (NumGroupsToMerge > 1 ? 2 : ABlockTransferSrcVectorDim),
                              ABlockTransferSrcScalarPerVector>(),
                                positional::along_reduction<BBlockTransferSrcVectorDim,
                                                      BBlockTransferSrcScalarPerVector>(),
                                CDEBlockTransferScalarPerVector_NPerBlock},
              .shuffle_m     = CShuffleMXdlPerWavePerShuffle,
              .shuffle_n     = CShuffleNXdlPerWavePerShuffle},
          positional::pipeline_of(NumGemmKPrefetchStage),
          NumGroupsToMerge>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvFwdMultipleABD_Xdl_WaveletModel_CShuffleV3<" +
               this->position_values() + ", " +
               positional::list(NumGemmKPrefetchStage, TileLoadThreadGroupSize, NumGroupsToMerge) +
               ">";
    }
};

} // namespace ck::tensor_operation::device
