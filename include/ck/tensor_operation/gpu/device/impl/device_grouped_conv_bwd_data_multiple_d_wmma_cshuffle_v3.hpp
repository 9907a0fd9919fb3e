#pragma once
// Backward data of a grouped convolution by WMMA, with a choice of pipelines, under Composable
// Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"
#include "ck/utility/blkgemmpipe_scheduler.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, layouts and limits are those of DeviceGroupedConvBwdDataImplicitGemm. GemmM
/// = N Hi Wi, GemmN = C, GemmK = Y X K of one phase of the stride.
///
/// Parameters mean what they mean in DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffleV3, with WMMA
/// tiles. Those ignored there are ignored here. On gfx12 the kernel uses that generation's
/// instruction.
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
          index_t MPerWmma,
          index_t NPerWmma,
          index_t MRepeat,
          index_t NRepeat,
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
          index_t CShuffleMRepeatPerShuffle,
          index_t CShuffleNRepeatPerShuffle,
          typename CDEBlockTransferClusterLengths_MBlock_MPerBlock_NBlock_NPerBlock,
          index_t CDEBlockTransferScalarPerVector_NPerBlock,
          BlockGemmPipelineScheduler BlkGemmPipeSched = BlockGemmPipelineScheduler::Intrawave,
          BlockGemmPipelineVersion BlkGemmPipelineVer = BlockGemmPipelineVersion::v1,
          typename AComputeType                       = ADataType,
          typename BComputeType                       = AComputeType,
          bool DirectLoad                             = false,
          bool LargeTensors                           = false>
struct DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle_V3
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
              .engine        = positional::Engine::wmma,
              .block_size    = BlockSize,
              .block         = {MPerBlock, NPerBlock, KPerBlock},
              .k1            = AK1,
              .instruction_m = MPerWmma,
              .instruction_n = NPerWmma,
              .tiles_m       = MRepeat,
              .tiles_n       = NRepeat,
              .vectors       = {positional::along_reduction<ABlockTransferSrcVectorDim,
                                                      ABlockTransferSrcScalarPerVector>(),
                                positional::along_side<BBlockTransferSrcVectorDim,
                                                 BBlockTransferSrcScalarPerVector,
                                                 BBlockTransferThreadClusterLengths_BK0_N_BK1>(),
                                CDEBlockTransferScalarPerVector_NPerBlock},
              .shuffle_m     = CShuffleMRepeatPerShuffle,
              .shuffle_n     = CShuffleNRepeatPerShuffle,
              .b_k1          = BK1},
          positional::pipeline_of(BlkGemmPipelineVer)>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle_V3<" + this->position_values() +
               ", " + positional::names_of(BlkGemmPipeSched, BlkGemmPipelineVer) +
               (DirectLoad ? ", DirectLoad" : "") + (LargeTensors ? ", Large_Tensor" : "") + ">";
    }
};

} // namespace ck::tensor_operation::device
