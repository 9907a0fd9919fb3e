// WMMA of gfx11 and of gfx12, whose registers differ.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

using arch::Matrix;

void add_wmma(Instances& all)
{
    constexpr GemmTuning wmma_gfx11_f16_1{.block_tile  = {64, 64, 32},
                                          .wave_m      = 32,
                                          .wave_n      = 32,
                                          .instruction = Matrix::wmma_gfx11_f32_16x16x16_f16,
                                          .a_vector    = 8,
                                          .b_vector    = 4,
                                          .c_vector    = 8,
                                          .pipeline    = Pipeline::double_buffer};
    constexpr GemmTuning wmma_gfx11_f16_2{.block_tile  = {32, 32, 16},
                                          .wave_m      = 16,
                                          .wave_n      = 32,
                                          .instruction = Matrix::wmma_gfx11_f32_16x16x16_f16,
                                          .a_vector    = 1,
                                          .b_vector    = 1,
                                          .c_vector    = 1,
                                          .pipeline    = Pipeline::single_buffer};
    add<half_t, wmma_gfx11_f16_1, wmma_gfx11_f16_2>(all, "wmma_gfx11_f16");

    constexpr auto wmma_gfx11_bf16_1 =
        GemmTuning{.block_tile  = {32, 64, 32},
                   .wave_m      = 32,
                   .wave_n      = 32,
                   .instruction = Matrix::wmma_gfx11_f32_16x16x16_bf16,
                   .a_vector    = 4,
                   .b_vector    = 2,
                   .c_vector    = 2,
                   .pipeline    = Pipeline::single_buffer};
    add<bhalf_t, wmma_gfx11_bf16_1>(all, "wmma_gfx11_bf16");

    constexpr GemmTuning wmma_gfx12_f16_1{.block_tile  = {64, 64, 32},
                                          .wave_m      = 32,
                                          .wave_n      = 32,
                                          .instruction = Matrix::wmma_gfx12_f32_16x16x16_f16,
                                          .a_vector    = 8,
                                          .b_vector    = 4,
                                          .c_vector    = 8,
                                          .pipeline    = Pipeline::single_buffer};
    constexpr GemmTuning wmma_gfx12_f16_2{.block_tile  = {32, 32, 16},
                                          .wave_m      = 32,
                                          .wave_n      = 16,
                                          .instruction = Matrix::wmma_gfx12_f32_16x16x16_f16,
                                          .a_vector    = 2,
                                          .b_vector    = 1,
                                          .c_vector    = 1,
                                          .pipeline    = Pipeline::double_buffer,
                                          .reduction   = Reduction::merged};
    add<half_t, wmma_gfx12_f16_1, wmma_gfx12_f16_2>(all, "wmma_gfx12_f16");

    constexpr auto wmma_gfx12_bf16_1 =
        GemmTuning{.block_tile  = {64, 32, 32},
                   .wave_m      = 32,
                   .wave_n      = 32,
                   .instruction = Matrix::wmma_gfx12_f32_16x16x16_bf16,
                   .a_vector    = 1,
                   .b_vector    = 2,
                   .c_vector    = 4,
                   .pipeline    = Pipeline::double_buffer};
    add<bhalf_t, wmma_gfx12_bf16_1>(all, "wmma_gfx12_bf16");
}

} // namespace ck::test
