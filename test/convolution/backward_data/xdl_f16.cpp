// MFMA with f16 operands, both forms.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

using arch::Matrix;

void add_xdl_f16(Instances& all)
{
    constexpr GemmTuning xdl_f16_1{.block_tile  = {64, 64, 32},
                                   .wave_m      = 32,
                                   .wave_n      = 32,
                                   .instruction = Matrix::mfma_f32_32x32x8_f16,
                                   .a_vector    = 8,
                                   .b_vector    = 4,
                                   .c_vector    = 8,
                                   .pipeline    = Pipeline::double_buffer};
    constexpr GemmTuning xdl_f16_2{.block_tile  = {32, 64, 16},
                                   .wave_m      = 32,
                                   .wave_n      = 32,
                                   .instruction = Matrix::mfma_f32_32x32x8_f16,
                                   .a_vector    = 1,
                                   .b_vector    = 1,
                                   .c_vector    = 1,
                                   .pipeline    = Pipeline::single_buffer};
    constexpr GemmTuning xdl_f16_3{.block_tile  = {64, 32, 32},
                                   .wave_m      = 32,
                                   .wave_n      = 16,
                                   .instruction = Matrix::mfma_f32_16x16x16_f16,
                                   .a_vector    = 4,
                                   .b_vector    = 2,
                                   .c_vector    = 2,
                                   .pipeline    = Pipeline::single_buffer};
    constexpr GemmTuning xdl_f16_4{.block_tile  = {32, 64, 64},
                                   .wave_m      = 16,
                                   .wave_n      = 32,
                                   .instruction = Matrix::mfma_f32_16x16x16_f16,
                                   .a_vector    = 8,
                                   .b_vector    = 8,
                                   .c_vector    = 4,
                                   .pipeline    = Pipeline::double_buffer};
    add<half_t, xdl_f16_1, xdl_f16_2, xdl_f16_3, xdl_f16_4>(all, "xdl_f16");
}

} // namespace ck::test
