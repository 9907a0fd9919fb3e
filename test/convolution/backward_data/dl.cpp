// Dot products and FMA: every device has them.
//
// Labels: optimized where sanitized
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

using arch::Matrix;

void add_dl(Instances& all)
{
    constexpr GemmTuning dl_f16_1{.block_tile  = {64, 64, 32},
                                  .wave_m      = 32,
                                  .wave_n      = 32,
                                  .instruction = Matrix::dot_f32_8x4x2_f16,
                                  .a_vector    = 8,
                                  .b_vector    = 4,
                                  .c_vector    = 4,
                                  .pipeline    = Pipeline::single_buffer};
    constexpr GemmTuning dl_f16_2{.block_tile  = {32, 32, 16},
                                  .wave_m      = 16,
                                  .wave_n      = 16,
                                  .instruction = Matrix::dot_f32_8x4x2_f16,
                                  .a_vector    = 2,
                                  .b_vector    = 1,
                                  .c_vector    = 1,
                                  .pipeline    = Pipeline::double_buffer,
                                  .reduction   = Reduction::merged};
    add<half_t, dl_f16_2, dl_f16_1>(all, "dl_f16");

    constexpr GemmTuning dl_bf16_1{.block_tile  = {32, 64, 32},
                                   .wave_m      = 32,
                                   .wave_n      = 16,
                                   .instruction = Matrix::dot_f32_8x4x2_bf16,
                                   .a_vector    = 4,
                                   .b_vector    = 2,
                                   .c_vector    = 2,
                                   .pipeline    = Pipeline::double_buffer};
    add<bhalf_t, dl_bf16_1>(all, "dl_bf16");

    constexpr GemmTuning dl_f32_1{.block_tile  = {64, 64, 16},
                                  .wave_m      = 32,
                                  .wave_n      = 16,
                                  .instruction = Matrix::dot_f32_8x4x1_f32,
                                  .a_vector    = 4,
                                  .b_vector    = 4,
                                  .c_vector    = 4,
                                  .pipeline    = Pipeline::double_buffer};
    constexpr GemmTuning dl_f32_2{.block_tile  = {32, 32, 8},
                                  .wave_m      = 16,
                                  .wave_n      = 16,
                                  .instruction = Matrix::dot_f32_8x4x1_f32,
                                  .a_vector    = 1,
                                  .b_vector    = 1,
                                  .c_vector    = 1,
                                  .pipeline    = Pipeline::single_buffer};
    add<float, dl_f32_2, dl_f32_1>(all, "dl_f32");

    constexpr GemmTuning dl_f64_1{.block_tile  = {64, 32, 8},
                                  .wave_m      = 32,
                                  .wave_n      = 16,
                                  .instruction = Matrix::dot_f64_8x4x1_f64,
                                  .a_vector    = 2,
                                  .b_vector    = 2,
                                  .c_vector    = 2,
                                  .pipeline    = Pipeline::double_buffer};
    add<double, dl_f64_1>(all, "dl_f64");
}

} // namespace ck::test
