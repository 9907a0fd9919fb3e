// MFMA with f32 operands, both forms, and with f64 operands.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

using arch::Matrix;

void add_xdl_f32(Instances& all)
{
    constexpr GemmTuning xdl_f32_1{.block_tile  = {64, 64, 16},
                                   .wave_m      = 32,
                                   .wave_n      = 32,
                                   .instruction = Matrix::mfma_f32_32x32x2_f32,
                                   .a_vector    = 4,
                                   .b_vector    = 4,
                                   .c_vector    = 4,
                                   .pipeline    = Pipeline::single_buffer};
    constexpr GemmTuning xdl_f32_2{.block_tile  = {32, 64, 16},
                                   .wave_m      = 32,
                                   .wave_n      = 32,
                                   .instruction = Matrix::mfma_f32_32x32x2_f32,
                                   .a_vector    = 1,
                                   .b_vector    = 2,
                                   .c_vector    = 1,
                                   .pipeline    = Pipeline::double_buffer};
    constexpr GemmTuning xdl_f32_3{.block_tile  = {64, 32, 32},
                                   .wave_m      = 16,
                                   .wave_n      = 32,
                                   .instruction = Matrix::mfma_f32_16x16x4_f32,
                                   .a_vector    = 2,
                                   .b_vector    = 1,
                                   .c_vector    = 2,
                                   .pipeline    = Pipeline::double_buffer};
    add<float, xdl_f32_1, xdl_f32_2, xdl_f32_3>(all, "xdl_f32");

    constexpr GemmTuning xdl_f64{.block_tile  = {64, 32, 16},
                                 .wave_m      = 32,
                                 .wave_n      = 16,
                                 .instruction = Matrix::mfma_f64_16x16x4_f64,
                                 .a_vector    = 2,
                                 .b_vector    = 2,
                                 .c_vector    = 2,
                                 .pipeline    = Pipeline::single_buffer};
    add<double, xdl_f64>(all, "xdl_f64");
}

} // namespace ck::test
