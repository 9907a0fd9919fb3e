#pragma once
// Backward weight of a grouped convolution by dot products or multiply-add under Composable
// Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, workspace and limits are those of DeviceGroupedConvBwdWeightImplicitGemm;
/// with any split_k. GemmM = K, GemmN = Y X C, GemmK = N Ho Wo.
///
/// Parameters that take effect: types, layouts, operations, the specialisation, BlockSize,
/// the block tile MPerBlock x NPerBlock x K0PerBlock * K1, the threads along each side of the
/// tile (M1N1ThreadCluster...; their product is BlockSize), and the vector widths of A (dY
/// along K) and B (X along C): elements M0 and M1 (N0 and N1) of
/// BlockTransferSrcVectorTensorLengths, at most 4; and of C (dW along C). Accepted but
/// ignored, because derived from these: slices, clusters and orders of the transfers, LDS
/// vectors, the parts of a thread's tile.
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
          index_t M1PerThread,
          index_t N1PerThread,
          index_t KPerThread,
          typename M1N1ThreadClusterM1Xs,
          typename M1N1ThreadClusterN1Xs,
          typename ABlockTransferThreadSliceLengths_K0_M0_M1_K1,
          typename ABlockTransferThreadClusterLengths_K0_M0_M1_K1,
          typename ABlockTransferThreadClusterArrangeOrder,
          typename ABlockTransferSrcAccessOrder,
          typename ABlockTransferSrcVectorTensorLengths_K0_M0_M1_K1,
          typename ABlockTransferSrcVectorTensorContiguousDimOrder,
          typename ABlockTransferDstVectorTensorLengths_K0_M0_M1_K1,
          typename BBlockTransferThreadSliceLengths_K0_N0_N1_K1,
          typename BBlockTransferThreadClusterLengths_K0_N0_N1_K1,
          typename BBlockTransferThreadClusterArrangeOrder,
          typename BBlockTransferSrcAccessOrder,
          typename BBlockTransferSrcVectorTensorLengths_K0_N0_N1_K1,
          typename BBlockTransferSrcVectorTensorContiguousDimOrder,
          typename BBlockTransferDstVectorTensorLengths_K0_N0_N1_K1,
          typename CThreadTransferSrcDstAccessOrder,
          index_t CThreadTransferSrcDstVectorDim,
          index_t CThreadTransferDstScalarPerVector>
struct DeviceGroupedConvBwdWeight_Dl
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
              .engine     = positional::Engine::dl,
              .block_size = BlockSize,
              .block      = {MPerBlock, NPerBlock, K0PerBlock* K1},
              .k1         = K1,
              .threads_m  = positional::product(M1N1ThreadClusterM1Xs{}),
              .threads_n  = positional::product(M1N1ThreadClusterN1Xs{}),
              .vectors    = {
                     positional::dl_along_side<ABlockTransferSrcVectorTensorLengths_K0_M0_M1_K1>(),
                     positional::dl_along_side<BBlockTransferSrcVectorTensorLengths_K0_N0_N1_K1>(),
                     CThreadTransferDstScalarPerVector}}>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdWeight_Dl<" + this->position_values(K0PerBlock) + ">";
    }
};

} // namespace ck::tensor_operation::device
