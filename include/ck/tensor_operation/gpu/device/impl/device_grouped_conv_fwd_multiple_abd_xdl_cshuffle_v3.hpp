#pragma once
// Forward grouped convolution by MFMA, with a choice of pipelines, under Composable Kernel's
// positional name.
#include "ck/tensor_operation/gpu/device/gemm_specialization.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"
#include "ck/utility/blkgemmpipe_scheduler.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and limits are those of DeviceGroupedConvFwdImplicitGemm. GemmM = N Ho Wo,
/// GemmN = K, GemmK = Y X C.
///
/// Parameters that take effect: types (sums become CShuffleDataType before the operation), layouts,
/// operations, the specialisation, BlockSize (must match the tiles), the block tile, the wave tile,
/// the vector widths of A, B and E (along C, C and K), and the pipeline version (v1: one LDS
/// buffer, others: two). Accepted but ignored, because derived from these: thread clusters and
/// their orders, access orders, LDS vector widths and paddings, the C shuffle, schedulers; every
/// GEMM side is padded.
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
          index_t BlockSize,
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
          BlockGemmPipelineScheduler BlkGemmPipeSched = BlockGemmPipelineScheduler::Intrawave,
          BlockGemmPipelineVersion BlkGemmPipelineVer = BlockGemmPipelineVersion::v1,
          typename AComputeDataType                   = typename detail::FirstType<ADataType>::type,
          typename BComputeDataType                   = AComputeDataType>
struct DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle_V3
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
              .block_size    = BlockSize,
              .block         = {MPerBlock, NPerBlock, KPerBlock},
              .k1            = AK1,
              .instruction_m = MPerXDL,
              .instruction_n = NPerXDL,
              .tiles_m       = MXdlPerWave,
              .tiles_n       = NXdlPerWave,
              .vectors       = {positional::along_reduction<ABlockTransferSrcVectorDim,
                                                      ABlockTransferSrcScalarPerVector>(),
                                positional::along_reduction<BBlockTransferSrcVectorDim,
                                                      BBlockTransferSrcScalarPerVector>(),
                                CDEBlockTransferScalarPerVector_NPerBlock},
              .shuffle_m     = CShuffleMXdlPerWavePerShuffle,
              .shuffle_n     = CShuffleNXdlPerWavePerShuffle},
          positional::pipeline_of(BlkGemmPipelineVer)>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle_V3<" + this->position_values() + ", " +
               positional::names_of(BlkGemmPipeSched, BlkGemmPipelineVer) + ">";
    }
};

} // namespace ck::tensor_operation::device
