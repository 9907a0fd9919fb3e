#pragma once
// Backward weight in 2 dimensions without groups by MFMA under Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/packed_backward_weight.hpp"

namespace ck::tensor_operation::device {

/// dW[k,y,x,c] = sum over n,ho,wo of dY[n,ho,wo,k] * X[n,hi,wi,c], packed NHWC, KYXC and NHWK.
/// Composable Kernel no longer has the interface that this name had, so it implements
/// DeviceGroupedConvBwdWeight. MakeArgument and MakeArgumentPointer take N, K, C and lists of
/// lengths, strides, dilations and pads as DeviceConvBwdData does, and split_k at the end.
///
/// Parameters mean what they mean in DeviceGroupedConvBwdWeight_Xdl_CShuffle.
template <typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename AccDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          index_t BlockSize,
          index_t MPerBlock,
          index_t NPerBlock,
          index_t K0PerBlock,
          index_t K1,
          index_t MPerXdl,
          index_t NPerXdl,
          index_t MXdlPerWave,
          index_t NXdlPerWave,
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
          index_t CShuffleMXdlPerWavePerShuffle,
          index_t CShuffleNXdlPerWavePerShuffle,
          typename CBlockTransferClusterLengths_MBlock_MPerBlock_NBlock_NPerBlock,
          index_t CBlockTransferScalarPerVector_NWaveNPerXdl>
struct DeviceConv2dBwdWeightXdl_C_Shuffle_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K
    : public positional::PackedBackwardWeight<
          2,
          InDataType,
          WeiDataType,
          OutDataType,
          AccDataType,
          InElementwiseOperation,
          WeiElementwiseOperation,
          OutElementwiseOperation,
          positional::Positions{
              .block_size    = BlockSize,
              .block         = {MPerBlock, NPerBlock, K0PerBlock* K1},
              .k1            = K1,
              .instruction_m = MPerXdl,
              .instruction_n = NPerXdl,
              .tiles_m       = MXdlPerWave,
              .tiles_n       = NXdlPerWave,
              .vectors       = {positional::along_side<ABlockTransferSrcVectorDim,
                                                 ABlockTransferSrcScalarPerVector,
                                                 ABlockTransferThreadClusterLengths_K0_M_K1>(),
                                positional::along_side<BBlockTransferSrcVectorDim,
                                                 BBlockTransferSrcScalarPerVector,
                                                 BBlockTransferThreadClusterLengths_K0_N_K1>(),
                                CBlockTransferScalarPerVector_NWaveNPerXdl},
              .a_lds_vector  = ABlockTransferDstScalarPerVector_K1,
              .b_lds_vector  = BBlockTransferDstScalarPerVector_K1,
              .shuffle_m     = CShuffleMXdlPerWavePerShuffle,
              .shuffle_n     = CShuffleNXdlPerWavePerShuffle}>
{
    std::string GetTypeString() const override
    {
        return "DeviceConv2dBwdWeightXdl_C_Shuffle_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_"
               "K<" +
               this->position_values(K0PerBlock) + ">";
    }
};

} // namespace ck::tensor_operation::device
