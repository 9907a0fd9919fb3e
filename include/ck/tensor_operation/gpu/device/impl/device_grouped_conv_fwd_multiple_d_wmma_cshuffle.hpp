#pragma once
// Forward grouped convolution by WMMA (RDNA 3 and 4) under Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/gemm_specialization.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_gemm_pipeline_selector.hpp"
#include "ck/utility/loop_scheduler.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and limits are those of DeviceGroupedConvFwdImplicitGemm. GemmM = N Ho Wo,
/// GemmN = K, GemmK = Y X C.
///
/// Parameters that take effect: types (sums become CShuffleDataType before the operation),
/// layouts, operations, the specialisation, BlockSize (must match the tiles), the block tile,
/// the wave tile, the vector widths of A, B and E (along C, C and K), and the prefetch stages
/// (more than one: two LDS buffers). On gfx12 the kernel uses that generation's instruction.
/// Accepted but ignored, because derived from these: thread clusters and their orders, access
/// orders, LDS vector widths and paddings, the C shuffle, schedulers; every GEMM side is
/// padded.
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
          index_t BlockSize,
          index_t MPerBlock,
          index_t NPerBlock,
          index_t KPerBlock,
          index_t K1,
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
          typename CDEShuffleBlockTransferClusterLengths_MBlock_MPerBlock_NBlock_NPerBlock,
          index_t CDEShuffleBlockTransferScalarPerVector_NPerBlock,
          LoopScheduler LoopSched     = make_default_loop_scheduler(),
          PipelineVersion PipelineVer = PipelineVersion::v1>
struct DeviceGroupedConvFwdMultipleD_Wmma_CShuffle
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
          ADataType,
          ADataType,
          positional::Positions{
              .engine        = positional::Engine::wmma,
              .block_size    = BlockSize,
              .block         = {MPerBlock, NPerBlock, KPerBlock},
              .k1            = K1,
              .instruction_m = MPerWmma,
              .instruction_n = NPerWmma,
              .tiles_m       = MRepeat,
              .tiles_n       = NRepeat,
              .vectors       = {positional::along_reduction<ABlockTransferSrcVectorDim,
                                                      ABlockTransferSrcScalarPerVector>(),
                                positional::along_reduction<BBlockTransferSrcVectorDim,
                                                      BBlockTransferSrcScalarPerVector>(),
                                CDEShuffleBlockTransferScalarPerVector_NPerBlock}},
          positional::pipeline_of(NumGemmKPrefetchStage)>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvFwdMultipleD_Wmma_CShuffle<" + this->position_values() +
               "> AEnableLds: 1, BEnableLds: 1, ABlockTransferSrcScalarPerVector: " +
               std::to_string(ABlockTransferSrcScalarPerVector) +
               ", BBlockTransferSrcScalarPerVector: " +
               std::to_string(BBlockTransferSrcScalarPerVector);
    }
};

} // namespace ck::tensor_operation::device
