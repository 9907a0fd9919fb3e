#pragma once
// Backward data by the warp-wide mma.sync (sm_80 and later).
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

namespace ck::tables::backward_data {

using enum arch::Matrix;

/// f16.
inline constexpr GemmTuning mma_f16[] = {
    {.block_tile          = {128, 128, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 8,
     .b_vector            = 4,
     .c_vector            = 8,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
    {.block_tile          = {128, 128, 32},
     .wave_m              = 64,
     .wave_n              = 64,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 8,
     .b_vector            = 4,
     .c_vector            = 8,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
    {.block_tile  = {256, 128, 32},
     .wave_m      = 64,
     .wave_n      = 64,
     .instruction = mma_f32_16x8x16_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8,
     .pipeline    = Pipeline::double_buffer},
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x16_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8,
     .pipeline    = Pipeline::double_buffer},
    // K and C multiples of 4
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x16_f16,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4,
     .pipeline    = Pipeline::double_buffer},
    // K and C even
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x16_f16,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2,
     .pipeline    = Pipeline::double_buffer},
};

/// The same for any K and C.
inline constexpr GemmTuning mma_f16_any[] = {
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x16_f16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
    // any C, K a multiple of 8: the first layer of a network has 3 input channels
    {.block_tile  = {128, 16, 32},
     .wave_m      = 32,
     .wave_n      = 16,
     .instruction = mma_f32_16x8x16_f16,
     .a_vector    = 8,
     .b_vector    = 1,
     .c_vector    = 1,
     .pipeline    = Pipeline::double_buffer},
};

/// bf16.
inline constexpr GemmTuning mma_bf16[] = {
    {.block_tile          = {128, 128, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 8,
     .b_vector            = 4,
     .c_vector            = 8,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
    {.block_tile          = {128, 128, 32},
     .wave_m              = 64,
     .wave_n              = 64,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 8,
     .b_vector            = 4,
     .c_vector            = 8,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
    {.block_tile  = {256, 128, 32},
     .wave_m      = 64,
     .wave_n      = 64,
     .instruction = mma_f32_16x8x16_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8,
     .pipeline    = Pipeline::double_buffer},
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x16_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8,
     .pipeline    = Pipeline::double_buffer},
    // K and C multiples of 4
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x16_bf16,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4,
     .pipeline    = Pipeline::double_buffer},
    // K and C even
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x16_bf16,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2,
     .pipeline    = Pipeline::double_buffer},
};

/// The same for any K and C.
inline constexpr GemmTuning mma_bf16_any[] = {
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x16_bf16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
    // any C, K a multiple of 8: the first layer of a network has 3 input channels
    {.block_tile  = {128, 16, 32},
     .wave_m      = 32,
     .wave_n      = 16,
     .instruction = mma_f32_16x8x16_bf16,
     .a_vector    = 8,
     .b_vector    = 1,
     .c_vector    = 1,
     .pipeline    = Pipeline::double_buffer},
};

/// f32 data multiplied as tf32, which keeps 10 bits of the significand. Never chosen for a caller
/// who did not ask: not in the library, for device operations and tests that name it.
inline constexpr GemmTuning mma_tf32[] = {
    {.block_tile  = {128, 128, 16},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x8_tf32,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4,
     .pipeline    = Pipeline::double_buffer},
    {.block_tile  = {64, 64, 16},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x8_tf32,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
};

} // namespace ck::tables::backward_data
