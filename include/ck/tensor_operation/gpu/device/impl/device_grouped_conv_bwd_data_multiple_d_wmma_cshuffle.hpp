#pragma once
// Backward data of a grouped convolution by WMMA (RDNA 3 and 4) under Composable Kernel's
// positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_gemm_pipeline_selector.hpp"
#include "ck/utility/loop_scheduler.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and limits are those of DeviceGroupedConvBwdDataImplicitGemm. GemmM = N Hi
/// Wi, GemmN = C, GemmK = Y X K of one phase of the stride.
///
/// Parameters that take effect: types (sums become CShuffleDataType before the operation),
/// layouts, operations, the specialisation, BlockSize (must match the tiles), the block tile, the
/// wave tile, the vector widths of A, B and E (dY along K, W along C, dX along C), and the
/// prefetch stages (more than one: two LDS buffers). On gfx12 the kernel uses that generation's
/// instruction. Accepted but ignored, because derived from these: thread clusters and their
/// orders, access orders, LDS vector widths and paddings, the C shuffle, schedulers; every GEMM
/// side is padded.
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
          index_t BlockSize,
          index_t MPerBlock,
          index_t NPerBlock,
          index_t K0PerBlock,
          index_t K1,
          index_t MPerWMMA,
          index_t NPerWMMA,
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
          typename CDEShuffleBlockTransferClusterLengths_MBlock_MPerBlock_NBlock_NPerBlock,
          index_t CDEShuffleBlockTransferScalarPerVector_NPerBlock,
          index_t NumGemmKPrefetchStage = 1,
          LoopScheduler LoopSched       = make_default_loop_scheduler(),
          PipelineVersion PipelineVer   = PipelineVersion::v1>
struct DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle
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
          ADataType,
          ADataType,
          positional::Positions{
              .engine        = positional::Engine::wmma,
              .block_size    = BlockSize,
              .block         = {MPerBlock, NPerBlock, K0PerBlock* K1},
              .k1            = K1,
              .instruction_m = MPerWMMA,
              .instruction_n = NPerWMMA,
              .tiles_m       = MRepeat,
              .tiles_n       = NRepeat,
              .vectors       = {positional::along_reduction<ABlockTransferSrcVectorDim,
                                                      ABlockTransferSrcScalarPerVector>(),
                                positional::along_side<BBlockTransferSrcVectorDim,
                                                 BBlockTransferSrcScalarPerVector,
                                                 BBlockTransferThreadClusterLengths_BK0_N_BK1>(),
                                CDEShuffleBlockTransferScalarPerVector_NPerBlock}},
          positional::pipeline_of(NumGemmKPrefetchStage)>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle<" + this->position_values() + ">";
    }
};

} // namespace ck::tensor_operation::device
