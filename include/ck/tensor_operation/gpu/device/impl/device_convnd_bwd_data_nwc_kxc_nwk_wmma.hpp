#pragma once
// Backward data by WMMA (RDNA 3 and 4) under a positional name.
#include "ck/tensor_operation/gpu/device/impl/convnd_bwd_data_positional.hpp"

namespace ck::tensor_operation::device {

namespace positional {

template <class T, arch::Target generation>
constexpr arch::Matrix wmma_instruction()
{
    static_assert(is_16_bit<T>, "WMMA here is for f16 and bf16 data");
    static_assert(generation == arch::Target::gfx11 || generation == arch::Target::gfx12,
                  "WMMA is an instruction of gfx11 and of gfx12");
    constexpr bool f16 = std::is_same_v<T, half_t>;
    if constexpr(generation == arch::Target::gfx11)
        return f16 ? arch::Matrix::wmma_gfx11_f32_16x16x16_f16
                   : arch::Matrix::wmma_gfx11_f32_16x16x16_bf16;
    else
        return f16 ? arch::Matrix::wmma_gfx12_f32_16x16x16_f16
                   : arch::Matrix::wmma_gfx12_f32_16x16x16_bf16;
}

} // namespace positional

/// Tensors, arguments and refusals as DeviceConvNdBwdDataImplicitGemm. The instruction's registers
/// differ between the generations, and so does the kernel: Generation is Target::gfx11 or
/// Target::gfx12.
template <index_t NDimSpatial,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename AccDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          ConvolutionBackwardDataSpecialization ConvBackwardDataSpecialization,
          arch::Target Generation,
          index_t BlockSize,
          index_t MPerBlock,
          index_t NPerBlock,
          index_t KPerBlock,
          index_t MPerWave,
          index_t NPerWave,
          index_t AScalarPerVector,
          index_t BScalarPerVector,
          index_t CScalarPerVector>
struct DeviceConvNdBwdDataNwcKxcNwk_Wmma
    : public positional::ConvNdBwdData<
          NDimSpatial,
          InDataType,
          WeiDataType,
          OutDataType,
          InElementwiseOperation,
          WeiElementwiseOperation,
          OutElementwiseOperation,
          GemmTuning{.block_tile  = {MPerBlock, NPerBlock, KPerBlock},
                     .wave_m      = MPerWave,
                     .wave_n      = NPerWave,
                     .instruction = positional::wmma_instruction<OutDataType, Generation>(),
                     .a_vector    = AScalarPerVector,
                     .b_vector    = BScalarPerVector,
                     .c_vector    = CScalarPerVector},
          ConvBackwardDataSpecialization>
{
    static_assert((positional::check_types<InDataType, WeiDataType, OutDataType, AccDataType>(),
                   true));
    static_assert(MPerBlock / MPerWave * (NPerBlock / NPerWave) * 32 == BlockSize,
                  "BlockSize is not 32 lanes for each wave tile of the block tile");
};

} // namespace ck::tensor_operation::device
