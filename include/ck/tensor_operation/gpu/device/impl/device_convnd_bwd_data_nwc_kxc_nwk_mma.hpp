#pragma once
// Backward data by the warp-wide mma.sync (NVIDIA, sm_80 and later) under a positional name.
#include "ck/tensor_operation/gpu/device/impl/convnd_bwd_data_positional.hpp"

namespace ck::tensor_operation::device {

namespace positional {

template <class T, class Compute>
constexpr arch::Matrix mma_instruction()
{
    constexpr bool f16  = std::is_same_v<T, half_t> && std::is_same_v<Compute, half_t>;
    constexpr bool bf16 = std::is_same_v<T, bhalf_t> && std::is_same_v<Compute, bhalf_t>;
    constexpr bool tf32 = std::is_same_v<T, float> && std::is_same_v<Compute, tf32_t>;
    static_assert(f16 || bf16 || tf32,
                  "mma.sync here multiplies f16 and bf16 data as such, and f32 data as tf32 where "
                  "ComputeDataType says so");
    return f16    ? arch::Matrix::mma_f32_16x8x16_f16
           : bf16 ? arch::Matrix::mma_f32_16x8x16_bf16
                  : arch::Matrix::mma_f32_16x8x8_tf32;
}

} // namespace positional

/// Tensors, arguments and refusals as DeviceConvNdBwdDataImplicitGemm. ComputeDataType is the data
/// type, or tf32_t for f32 data: 10 bits of the significand are multiplied. Stages is for
/// Pipeline::async_copies.
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
          index_t KPerBlock,
          index_t MPerWarp,
          index_t NPerWarp,
          index_t AScalarPerVector,
          index_t BScalarPerVector,
          index_t CScalarPerVector,
          Pipeline PipelineVersion = Pipeline::double_buffer,
          index_t MinBlocksPerSm   = 1,
          typename ComputeDataType = OutDataType,
          index_t Stages           = 3>
struct DeviceConvNdBwdDataNwcKxcNwk_Mma
    : public positional::ConvNdBwdData<
          NDimSpatial,
          InDataType,
          WeiDataType,
          OutDataType,
          InElementwiseOperation,
          WeiElementwiseOperation,
          OutElementwiseOperation,
          GemmTuning{.block_tile  = {MPerBlock, NPerBlock, KPerBlock},
                     .wave_m      = MPerWarp,
                     .wave_n      = NPerWarp,
                     .instruction = positional::mma_instruction<OutDataType, ComputeDataType>(),
                     .a_vector    = AScalarPerVector,
                     .b_vector    = BScalarPerVector,
                     .c_vector    = CScalarPerVector,
                     .pipeline    = PipelineVersion,
                     .min_blocks_per_unit = MinBlocksPerSm,
                     .stages              = Stages},
          ConvBackwardDataSpecialization>
{
    static_assert((positional::check_types<InDataType, WeiDataType, OutDataType, AccDataType>(),
                   true));
    static_assert(MPerBlock / MPerWarp * (NPerBlock / NPerWarp) * 32 == BlockSize,
                  "BlockSize is not 32 lanes for each warp tile of the block tile");
};

} // namespace ck::tensor_operation::device
