#pragma once
// Backward data of a grouped convolution by WMMA (RDNA 3 and 4) under Composable Kernel's
// positional name.
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional.hpp"
#include "ck/tensor_operation/gpu/device/impl/wmma_operation.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_gemm_pipeline_selector.hpp"
#include "ck/utility/loop_scheduler.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and refusals as DeviceGroupedConvBwdDataImplicitGemm. GemmM = N Hi Wi, GemmN
/// = C, GemmK = Y X K of one residue class of the stride.
///
/// Of the parameters these have a meaning: types, layouts, operations, the specialisation,
/// BlockSize (must be what the tiles make it), the block tile, the wave tile, the vector widths of
/// A, B and E (dY along K, W along C, dX along C), and the prefetch stages (more than one: two LDS
/// buffers). On gfx12 the kernel is one with that generation's instruction. Accepted without
/// effect, being derived from these: thread clusters and their orders, access orders, LDS vector
/// widths and paddings, the C shuffle, schedulers; every GEMM side is padded.
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
    : public DeviceGroupedConvBwdDataImplicitGemm<
          NDimSpatial,
          ALayout,
          BLayout,
          DsLayout,
          ELayout,
          ADataType,
          BDataType,
          DsDataType,
          EDataType,
          AElementwiseOp,
          BElementwiseOp,
          CDEElementwiseOp,
          GemmTuning{.block_tile  = {MPerBlock, NPerBlock, K0PerBlock* K1},
                     .wave_m      = MPerWMMA* MRepeat,
                     .wave_n      = NPerWMMA* NRepeat,
                     .instruction = positional::wmma_instruction<ADataType, arch::Target::gfx11>(),
                     .a_vector    = ABlockTransferSrcScalarPerVector,
                     .b_vector    = BBlockTransferSrcScalarPerVector,
                     .c_vector    = CDEShuffleBlockTransferScalarPerVector_NPerBlock,
                     .pipeline    = (NumGemmKPrefetchStage > 1 ? Pipeline::double_buffer
                                                               : Pipeline::single_buffer)},
          ConvBackwardDataSpecialization,
          ADataType,
          ADataType,
          WmmaOperation>
{
    static_assert((positional::check_accumulator<AccDataType, ADataType>(), true));
    static_assert(MPerBlock / (MPerWMMA * MRepeat) * (NPerBlock / (NPerWMMA * NRepeat)) * 32 ==
                      BlockSize,
                  "BlockSize is not 32 lanes for each wave tile of the block tile");
    static_assert(MPerWMMA == 16 && NPerWMMA == 16, "MPerWMMA x NPerWMMA must be 16 x 16");
    static_assert(ABlockTransferSrcScalarPerVector == 1 || ABlockTransferSrcVectorDim == 2,
                  "dY is contiguous along K: ABlockTransferSrcVectorDim must be 2");
    static_assert(BBlockTransferSrcScalarPerVector == 1 || BBlockTransferSrcVectorDim == 1,
                  "W is contiguous along C: BBlockTransferSrcVectorDim must be 1");

    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle<" +
               positional::list(
                   BlockSize,
                   MPerBlock,
                   NPerBlock,
                   K0PerBlock * K1,
                   getConvBackwardDataSpecializationString(ConvBackwardDataSpecialization),
                   K1,
                   ABlockTransferSrcScalarPerVector,
                   BBlockTransferSrcScalarPerVector) +
               ">";
    }
};

} // namespace ck::tensor_operation::device
