#pragma once
// Backward data of a grouped convolution by MFMA, with a choice of pipelines, under Composable
// Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"
#include "ck/utility/blkgemmpipe_scheduler.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, layouts and limits are those of DeviceGroupedConvBwdDataImplicitGemm. GemmM
/// = N Hi Wi, GemmN = C, GemmK = Y X K of one phase of the stride.
///
/// Parameters that take effect: those of DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1, and the
/// pipeline version (v1: one LDS buffer, later ones: two). Accepted but ignored: what is ignored
/// there, the scheduler, DirectLoad, and LargeTensors (all kernels here take them).
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
          typename AElementwiseOp,
          typename BElementwiseOp,
          typename CDEElementwiseOp,
          ConvolutionBackwardDataSpecialization ConvBackwardDataSpecialization,
          bool DoPadGemmM,
          bool DoPadGemmN,
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
          typename AComputeType                       = ADataType,
          typename BComputeType                       = AComputeType,
          bool DirectLoad                             = false,
          bool LargeTensors                           = false>
struct DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffleV3
    : public positional::GroupedBackwardData<
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
          AElementwiseOp,
          BElementwiseOp,
          CDEElementwiseOp,
          ConvBackwardDataSpecialization,
          AComputeType,
          BComputeType,
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
                                positional::along_side<BBlockTransferSrcVectorDim,
                                                 BBlockTransferSrcScalarPerVector,
                                                 BBlockTransferThreadClusterLengths_BK0_N_BK1>(),
                                CDEBlockTransferScalarPerVector_NPerBlock},
              .shuffle_m     = CShuffleMXdlPerWavePerShuffle,
              .shuffle_n     = CShuffleNXdlPerWavePerShuffle,
              .b_k1          = BK1},
          positional::pipeline_of(BlkGemmPipelineVer)>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffleV3<" + this->position_values() +
               ", " + positional::names_of(BlkGemmPipeSched, BlkGemmPipelineVer) +
               (DirectLoad ? ", DirectLoad" : "") + (LargeTensors ? ", Large_Tensor" : "") + ">";
    }
};

} // namespace ck::tensor_operation::device
