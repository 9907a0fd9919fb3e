// MFMA with bf16 operands: the forms of gfx908 and the later ones with twice the k.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

using arch::Matrix;

void add_xdl_bf16(Instances& all)
{
    constexpr GemmTuning xdl_bf16_gfx908_1{.block_tile  = {64, 64, 32},
                                           .wave_m      = 32,
                                           .wave_n      = 32,
                                           .instruction = Matrix::mfma_f32_32x32x4_bf16,
                                           .a_vector    = 8,
                                           .b_vector    = 2,
                                           .c_vector    = 4,
                                           .pipeline    = Pipeline::single_buffer};
    constexpr GemmTuning xdl_bf16_gfx908_2{.block_tile  = {32, 32, 64},
                                           .wave_m      = 16,
                                           .wave_n      = 16,
                                           .instruction = Matrix::mfma_f32_16x16x8_bf16,
                                           .a_vector    = 2,
                                           .b_vector    = 1,
                                           .c_vector    = 1,
                                           .pipeline    = Pipeline::double_buffer};
    add<bhalf_t, xdl_bf16_gfx908_1, xdl_bf16_gfx908_2>(all, "xdl_bf16_gfx908");

    constexpr GemmTuning xdl_bf16_1k_1{.block_tile  = {64, 64, 32},
                                       .wave_m      = 32,
                                       .wave_n      = 64,
                                       .instruction = Matrix::mfma_f32_32x32x8_bf16_1k,
                                       .a_vector    = 4,
                                       .b_vector    = 8,
                                       .c_vector    = 8,
                                       .pipeline    = Pipeline::double_buffer};
    constexpr GemmTuning xdl_bf16_1k_2{.block_tile  = {64, 32, 32},
                                       .wave_m      = 32,
                                       .wave_n      = 32,
                                       .instruction = Matrix::mfma_f32_16x16x16_bf16_1k,
                                       .a_vector    = 1,
                                       .b_vector    = 1,
                                       .c_vector    = 1,
                                       .pipeline    = Pipeline::single_buffer,
                                       .reduction   = Reduction::merged};
    add<bhalf_t, xdl_bf16_1k_1, xdl_bf16_1k_2>(all, "xdl_bf16_1k");
    constexpr GemmTuning gfx950{.block_tile  = {64, 32, 32},
                                .wave_m      = 32,
                                .wave_n      = 16,
                                .instruction = Matrix::mfma_f32_16x16x32_bf16,
                                .a_vector    = 8,
                                .b_vector    = 4,
                                .c_vector    = 4,
                                .pipeline    = Pipeline::double_buffer};
    add<bhalf_t, gfx950>(all, "xdl_gfx950");
}

} // namespace ck::test
