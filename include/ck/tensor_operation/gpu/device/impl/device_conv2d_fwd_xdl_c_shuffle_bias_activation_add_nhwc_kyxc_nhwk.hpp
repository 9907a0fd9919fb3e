#pragma once
// Forward in 2 dimensions without groups, with a bias, an activation and a residual, by MFMA under
// Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/device_conv_fwd_bias_activation_add.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors are those of DeviceConvFwdBiasActivationAdd; bias and residual have Y's element type.
/// Rejects what DeviceConvNdFwdImplicitGemm rejects.
///
/// Parameters that take effect: types, operations, the specialisation, BlockSize (must match the
/// tiles), the block tile, the wave tile and the vector widths of A, B and C. Accepted but ignored,
/// because derived from these: thread clusters and their orders, access orders, LDS vector widths
/// and paddings, the C shuffle.
template <
    typename InDataType,
    typename WeiDataType,
    typename OutDataType,
    typename AccDataType,
    typename InElementwiseOperation,
    typename WeiElementwiseOperation,
    typename OutElementwiseOperation,
    ConvolutionForwardSpecialization ConvForwardSpecialization,
    index_t BlockSize,
    index_t MPerBlock,
    index_t NPerBlock,
    index_t K0PerBlock,
    index_t K1,
    index_t MPerXDL,
    index_t NPerXDL,
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
    typename CBlockTransferClusterLengths_MBlock_MXdlPerWave_MWaveMPerXdl_NBlock_NXdlPerWave_NWaveNPerXdl,
    index_t CBlockTransferScalarPerVector_NWaveNPerXdl>
struct
    DeviceConv2dFwdXdl_C_Shuffle_Bias_Activation_Add_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K
    : public positional::PackedForwardBias<
          DeviceConvFwdBiasActivationAdd<InElementwiseOperation,
                                         WeiElementwiseOperation,
                                         OutElementwiseOperation>,
          InDataType,
          WeiDataType,
          OutDataType,
          AccDataType,
          InElementwiseOperation,
          WeiElementwiseOperation,
          OutElementwiseOperation,
          Tuple<OutDataType, OutDataType>,
          ConvForwardSpecialization,
          positional::Positions{
              .block_size    = BlockSize,
              .block         = {MPerBlock, NPerBlock, K0PerBlock* K1},
              .k1            = K1,
              .instruction_m = MPerXDL,
              .instruction_n = NPerXDL,
              .tiles_m       = MXdlPerWave,
              .tiles_n       = NXdlPerWave,
              .vectors       = {positional::along_reduction<ABlockTransferSrcVectorDim,
                                                      ABlockTransferSrcScalarPerVector>(),
                                positional::along_reduction<BBlockTransferSrcVectorDim,
                                                      BBlockTransferSrcScalarPerVector>(),
                                CBlockTransferScalarPerVector_NWaveNPerXdl},
              .a_lds_vector  = ABlockTransferDstScalarPerVector_K1,
              .b_lds_vector  = BBlockTransferDstScalarPerVector_K1,
              .shuffle_m     = CShuffleMXdlPerWavePerShuffle,
              .shuffle_n     = CShuffleNXdlPerWavePerShuffle}>
{
    std::string GetTypeString() const override
    {
        return "DeviceConv2dFwdXdl_C_Shuffle_Bias_Activation_Add_Input_N_Hi_Wi_C_Weight_K_Y_X_C_"
               "Output_N_Ho_Wo_K<" +
               this->position_values() + ">";
    }
};

} // namespace ck::tensor_operation::device
