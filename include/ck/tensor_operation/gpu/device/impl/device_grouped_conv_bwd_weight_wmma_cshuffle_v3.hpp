#pragma once
// Backward weight of a grouped convolution by WMMA, with a choice of pipelines, under Composable
// Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, workspace and limits are those of DeviceGroupedConvBwdWeightImplicitGemm.
/// GemmM = K, GemmN = Y X C, GemmK = N Ho Wo.
///
/// Parameters mean what they mean in DeviceGroupedConvBwdWeight_Xdl_CShuffleV3, with WMMA
/// tiles. Those ignored there are ignored here. On gfx12 the kernel uses that generation's
/// instruction.
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
          index_t MPerWmma,
          index_t NPerWmma,
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
          typename CBlockTransferClusterLengths_MBlock_MPerBlock_NBlock_NPerBlock,
          index_t CBlockTransferScalarPerVector_NPerBlock,
          BlockGemmPipelineScheduler BlkGemmPipeSched = BlockGemmPipelineScheduler::Intrawave,
          BlockGemmPipelineVersion BlkGemmPipelineVer = BlockGemmPipelineVersion::v1,
          typename ComputeTypeA                       = InDataType,
          typename ComputeTypeB                       = ComputeTypeA>
struct DeviceGroupedConvBwdWeight_Wmma_CShuffleV3
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
              .engine        = positional::Engine::wmma,
              .block_size    = BlockSize,
              .block         = {MPerBlock,
                                NPerBlock,
                                positional::slice_depth<K0PerBlock,
                                                K1,
                                                ABlockTransferThreadClusterLengths_K0_M_K1>()},
              .k1            = K1,
              .instruction_m = MPerWmma,
              .instruction_n = NPerWmma,
              .tiles_m       = MRepeat,
              .tiles_n       = NRepeat,
              .vectors       = {positional::along_side<ABlockTransferSrcVectorDim,
                                                 ABlockTransferSrcScalarPerVector,
                                                 ABlockTransferThreadClusterLengths_K0_M_K1>(),
                                positional::along_side<BBlockTransferSrcVectorDim,
                                                 BBlockTransferSrcScalarPerVector,
                                                 BBlockTransferThreadClusterLengths_K0_N_K1>(),
                                CBlockTransferScalarPerVector_NPerBlock},
              .a_lds_vector  = ABlockTransferDstScalarPerVector_K1,
              .b_lds_vector  = BBlockTransferDstScalarPerVector_K1,
              .shuffle_m     = CShuffleMRepeatPerShuffle,
              .shuffle_n     = CShuffleNRepeatPerShuffle,
              .single_loads  = detail::pixels_last<InLayout, OutLayout>},
          positional::pipeline_of(BlkGemmPipelineVer)>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdWeight_Wmma_CShuffleV3<" + this->position_values(K0PerBlock) +
               ", " + positional::names_of(BlkGemmPipeSched, BlkGemmPipelineVer) + ">";
    }
};

} // namespace ck::tensor_operation::device
