#pragma once
// Forward grouped convolution by dot products or multiply-add under Composable Kernel's positional
// name.
#include "ck/tensor_operation/gpu/device/gemm_specialization.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and limits are those of DeviceGroupedConvFwdPlainImplicitGemm. GemmM = N Ho
/// Wo, GemmN = K, GemmK = Y X C.
///
/// Parameters that take effect: types, layouts, operations, the specialisation, BlockSize, the
/// block tile MPerBlock x NPerBlock x K0PerBlock * K1, the threads along each side of the tile
/// (M1N1ThreadCluster...; their product is BlockSize), and the vector widths of A and B (along C:
/// elements 0 and 3 of BlockTransferSrcVectorTensorLengths, K0 and K1; at most 16 bytes are loaded
/// at once) and of E. Accepted but ignored, because derived from these: slices, clusters and orders
/// of the transfers, LDS vectors, the parts of a thread's tile.
template <index_t NDimSpatial,
          typename ADataType,
          typename BDataType,
          typename CDataType,
          typename AccDataType,
          typename ALayout,
          typename BLayout,
          typename CLayout,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CElementwiseOperation,
          ConvolutionForwardSpecialization ConvForwardSpecialization,
          GemmSpecialization GemmSpec,
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
struct DeviceGroupedConvFwdDl_NHWC_KYXC_NHWK
    : public positional::GroupedForwardPlain<
          NDimSpatial,
          ALayout,
          BLayout,
          CLayout,
          ADataType,
          BDataType,
          CDataType,
          AccDataType,
          AElementwiseOperation,
          BElementwiseOperation,
          CElementwiseOperation,
          ConvForwardSpecialization,
          positional::Positions{.engine     = positional::Engine::dl,
                                .block_size = BlockSize,
                                .block      = {MPerBlock, NPerBlock, K0PerBlock* K1},
                                .k1         = K1,
                                .threads_m  = positional::product(M1N1ThreadClusterM1Xs{}),
                                .threads_n  = positional::product(M1N1ThreadClusterN1Xs{}),
                                .vectors    = {positional::dl_along_reduction<
                                                ADataType,
                                                ABlockTransferSrcVectorTensorLengths_K0_M0_M1_K1>(),
                                               positional::dl_along_reduction<
                                                BDataType,
                                                BBlockTransferSrcVectorTensorLengths_K0_N0_N1_K1>(),
                                               CThreadTransferDstScalarPerVector}}>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvFwdDl_NHWC_KYXC_NHWK<" + this->position_values() + ">";
    }
};

} // namespace ck::tensor_operation::device
