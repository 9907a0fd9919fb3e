#pragma once
// Backward weight of a grouped convolution by WMMA (RDNA 3 and 4) under Composable Kernel's
// positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_gemm_pipeline_selector.hpp"
#include "ck/utility/loop_scheduler.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, workspace and limits are those of DeviceGroupedConvBwdWeightImplicitGemm; of
/// any rank and with any split_k. GemmM = K, GemmN = Y X C, GemmK = N Ho Wo.
///
/// Parameters that take effect: types, layouts, operations, the specialisation, BlockSize (must
/// match the tiles), the block tile MPerBlock x NPerBlock x K0PerBlock * K1, the wave tile, the
/// vector widths of A (dY along K), B (X along C) and C (dW along C), and the prefetch stages (more
/// than one: two LDS buffers). On gfx12 the kernel uses that generation's instruction. Accepted but
/// ignored, because derived from these: thread clusters and their orders, access orders, LDS vector
/// widths and paddings, the C shuffle, schedulers.
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
          index_t MPerWMMA,
          index_t NPerWMMA,
          index_t MRepeat,
          index_t NRepeat,
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
          index_t CShuffleMRepeatPerShuffle,
          index_t CShuffleNRepeatPerShuffle,
          typename CShuffleBlockTransferClusterLengths_MBlock_MPerBlock_NBlock_NPerBlock,
          index_t CShuffleBlockTransferScalarPerVector_NPerBlock,
          index_t NumGemmKPrefetchStage = 1,
          LoopScheduler LoopSched       = make_default_loop_scheduler(),
          PipelineVersion PipelineVer   = PipelineVersion::v1>
struct DeviceGroupedConvBwdWeight_Wmma_CShuffle
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
          InDataType,
          InDataType,
          positional::Positions{
              .engine        = positional::Engine::wmma,
              .block_size    = BlockSize,
              .block         = {MPerBlock, NPerBlock, K0PerBlock* K1},
              .k1            = K1,
              .instruction_m = MPerWMMA,
              .instruction_n = NPerWMMA,
              .tiles_m       = MRepeat,
              .tiles_n       = NRepeat,
              .vectors       = {positional::along_side<ABlockTransferSrcVectorDim,
                                                 ABlockTransferSrcScalarPerVector,
                                                 ABlockTransferThreadClusterLengths_K0_M_K1>(),
                                positional::along_side<BBlockTransferSrcVectorDim,
                                                 BBlockTransferSrcScalarPerVector,
                                                 BBlockTransferThreadClusterLengths_K0_N_K1>(),
                                CShuffleBlockTransferScalarPerVector_NPerBlock},
              .a_lds_vector  = ABlockTransferDstScalarPerVector_K1,
              .b_lds_vector  = BBlockTransferDstScalarPerVector_K1,
              .shuffle_m     = CShuffleMRepeatPerShuffle,
              .shuffle_n     = CShuffleNRepeatPerShuffle},
          positional::pipeline_of(NumGemmKPrefetchStage)>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdWeight_Wmma_CShuffle<" + this->position_values(K0PerBlock) +
               ">";
    }
};

} // namespace ck::tensor_operation::device
