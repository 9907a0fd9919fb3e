#pragma once
// Backward data by dot products or multiply-add under Composable Kernel's positional name.

#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and limits are those of DeviceConvNdBwdDataImplicitGemm; layouts NWC KXC NWK
/// and their relatives of rank 2 and 3. GemmM = N Hi Wi, GemmN = C, GemmK = K Y X.
///
/// Parameters that take effect: BlockSize, the block tile MPerBlock x NPerBlock x K0PerBlock *
/// K1, the threads along each side of the tile (M1N1ThreadCluster...; their product is
/// BlockSize), and the vector widths of A (dY along K: elements 0 and 3 of
/// ABlockTransferSrcVectorTensorLengths, K0 and K1), of B (W along C: elements 1 and 2 of
/// BBlockTransferSrcVectorTensorLengths, N0 and N1; at most 4 are loaded at once) and of C.
/// Accepted but ignored, because derived from these: slices, clusters and orders of the
/// transfers, LDS vectors, the parts of a thread's tile.
template <index_t NDimSpatial,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename AccDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          ConvolutionBackwardDataSpecialization ConvBackwardDataSpecialization,
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
struct DeviceConvNdBwdDataNwcKxcNwk_Dl
    : public positional::PackedBackwardData<
          NDimSpatial,
          positional::SameType<InDataType, WeiDataType, OutDataType>,
          InDataType,
          WeiDataType,
          OutDataType,
          AccDataType,
          InElementwiseOperation,
          WeiElementwiseOperation,
          OutElementwiseOperation,
          ConvBackwardDataSpecialization,
          positional::Positions{
              .engine     = positional::Engine::dl,
              .block_size = BlockSize,
              .block      = {MPerBlock, NPerBlock, K0PerBlock* K1},
              .k1         = K1,
              .threads_m  = positional::product(M1N1ThreadClusterM1Xs{}),
              .threads_n  = positional::product(M1N1ThreadClusterN1Xs{}),
              .vectors    = {
                     positional::dl_along_reduction<
                      OutDataType,
                      ABlockTransferSrcVectorTensorLengths_K0_M0_M1_K1>(),
                     positional::dl_along_side<BBlockTransferSrcVectorTensorLengths_K0_N0_N1_K1>(),
                     CThreadTransferDstScalarPerVector}}>
{
    std::string GetTypeString() const override
    {
        return "DeviceConvNdBwdDataNwcKxcNwk_Dl<" + this->position_values() + ">" +
               positional::suffix_of(ConvBackwardDataSpecialization);
    }
};

} // namespace ck::tensor_operation::device
