// mma.sync of NVIDIA: f16, bf16, f64, and f32 data multiplied as tf32.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

using arch::Matrix;

void add_mma(Instances& all)
{
    constexpr GemmTuning mma_f16_1{.block_tile  = {64, 64, 32},
                                   .wave_m      = 32,
                                   .wave_n      = 32,
                                   .instruction = Matrix::mma_f32_16x8x16_f16,
                                   .a_vector    = 8,
                                   .b_vector    = 4,
                                   .c_vector    = 8,
                                   .pipeline    = Pipeline::double_buffer};
    constexpr GemmTuning mma_f16_2{.block_tile  = {32, 32, 16},
                                   .wave_m      = 32,
                                   .wave_n      = 16,
                                   .instruction = Matrix::mma_f32_16x8x16_f16,
                                   .a_vector    = 1,
                                   .b_vector    = 1,
                                   .c_vector    = 1,
                                   .pipeline    = Pipeline::single_buffer};
    constexpr GemmTuning mma_f16_3{.block_tile  = {64, 64, 32},
                                   .wave_m      = 32,
                                   .wave_n      = 32,
                                   .instruction = Matrix::mma_f32_16x8x16_f16,
                                   .a_vector    = 8,
                                   .b_vector    = 8,
                                   .c_vector    = 8,
                                   .pipeline    = Pipeline::async_copies,
                                   .stages      = 3};
    constexpr GemmTuning mma_f16_4{.block_tile  = {32, 64, 16},
                                   .wave_m      = 16,
                                   .wave_n      = 32,
                                   .instruction = Matrix::mma_f32_16x8x16_f16,
                                   .a_vector    = 4,
                                   .b_vector    = 8,
                                   .c_vector    = 1,
                                   .pipeline    = Pipeline::async_copies,
                                   .stages      = 2};
    add<half_t, mma_f16_1, mma_f16_2, mma_f16_3, mma_f16_4>(all, "mma_f16");

    constexpr GemmTuning mma_bf16_1{.block_tile  = {64, 32, 32},
                                    .wave_m      = 16,
                                    .wave_n      = 32,
                                    .instruction = Matrix::mma_f32_16x8x16_bf16,
                                    .a_vector    = 4,
                                    .b_vector    = 2,
                                    .c_vector    = 2,
                                    .pipeline    = Pipeline::single_buffer};
    constexpr GemmTuning mma_bf16_2{.block_tile  = {64, 64, 64},
                                    .wave_m      = 32,
                                    .wave_n      = 32,
                                    .instruction = Matrix::mma_f32_16x8x16_bf16,
                                    .a_vector    = 8,
                                    .b_vector    = 8,
                                    .c_vector    = 4,
                                    .pipeline    = Pipeline::double_buffer};
    constexpr GemmTuning mma_bf16_3{.block_tile  = {64, 64, 16},
                                    .wave_m      = 32,
                                    .wave_n      = 32,
                                    .instruction = Matrix::mma_f32_16x8x16_bf16,
                                    .a_vector    = 8,
                                    .b_vector    = 8,
                                    .c_vector    = 4,
                                    .pipeline    = Pipeline::async_copies,
                                    .stages      = 4};
    add<bhalf_t, mma_bf16_1, mma_bf16_2, mma_bf16_3>(all, "mma_bf16");

    constexpr GemmTuning mma_tf32_1{.block_tile  = {64, 64, 16},
                                    .wave_m      = 32,
                                    .wave_n      = 32,
                                    .instruction = Matrix::mma_f32_16x8x8_tf32,
                                    .a_vector    = 4,
                                    .b_vector    = 2,
                                    .c_vector    = 4,
                                    .pipeline    = Pipeline::double_buffer};
    constexpr GemmTuning mma_tf32_2{.block_tile  = {32, 32, 32},
                                    .wave_m      = 32,
                                    .wave_n      = 16,
                                    .instruction = Matrix::mma_f32_16x8x8_tf32,
                                    .a_vector    = 1,
                                    .b_vector    = 1,
                                    .c_vector    = 1,
                                    .pipeline    = Pipeline::single_buffer,
                                    .reduction   = Reduction::merged};
    add<float, mma_tf32_1, mma_tf32_2>(all, "mma_tf32");

    constexpr GemmTuning mma_f64{.block_tile  = {64, 32, 16},
                                 .wave_m      = 32,
                                 .wave_n      = 16,
                                 .instruction = Matrix::mma_f64_8x8x4_f64,
                                 .a_vector    = 2,
                                 .b_vector    = 1,
                                 .c_vector    = 1,
                                 .pipeline    = Pipeline::double_buffer};
    add<double, mma_f64>(all, "mma_f64");
    constexpr GemmTuning mma_f64_sm90{.block_tile  = {32, 64, 8},
                                      .wave_m      = 16,
                                      .wave_n      = 32,
                                      .instruction = Matrix::mma_f64_16x8x8_f64,
                                      .a_vector    = 2,
                                      .b_vector    = 2,
                                      .c_vector    = 2,
                                      .pipeline    = Pipeline::single_buffer};
    add<double, mma_f64_sm90>(all, "mma_f64_sm90");
}

} // namespace ck::test
