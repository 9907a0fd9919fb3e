#pragma once
// Backward data by MFMA (gfx908, gfx90a, gfx942). Not measured on a device yet: the tiles are those
// of comparable kernels; none spills registers on the targets above.
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

namespace ck::tables::backward_data {

using enum arch::Matrix;

/// f16.
inline constexpr GemmTuning xdl_f16[] = {
    // large problems: most reuse of what is loaded
    {.block_tile  = {256, 128, 32},
     .wave_m      = 128,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x8_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x8_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // fewer columns: C of 64
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // C of 32
    {.block_tile  = {64, 32, 64},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_16x16x16_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // K and C multiples of 4
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x8_f16,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
    // K and C even
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_f16,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2},
};

/// The same for any K and C.
inline constexpr GemmTuning xdl_f16_any[] = {
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_f16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
    // any C, K a multiple of 8: the first layer of a network has 3 input channels
    {.block_tile  = {128, 16, 32},
     .wave_m      = 32,
     .wave_n      = 16,
     .instruction = mfma_f32_16x16x16_f16,
     .a_vector    = 8,
     .b_vector    = 1,
     .c_vector    = 1},
    // more columns
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_f16,
     .a_vector    = 8,
     .b_vector    = 1,
     .c_vector    = 1},
};

/// bf16 on gfx90a and gfx942.
inline constexpr GemmTuning xdl_bf16[] = {
    // large problems: most reuse of what is loaded
    {.block_tile  = {256, 128, 32},
     .wave_m      = 128,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x8_bf16_1k,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x8_bf16_1k,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // fewer columns: C of 64
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_bf16_1k,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_bf16_1k,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // C of 32
    {.block_tile  = {64, 32, 64},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_16x16x16_bf16_1k,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // K and C multiples of 4
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x8_bf16_1k,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
    // K and C even
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_bf16_1k,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2},
};

/// The same for any K and C.
inline constexpr GemmTuning xdl_bf16_any[] = {
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_bf16_1k,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
    // any C, K a multiple of 8: the first layer of a network has 3 input channels
    {.block_tile  = {128, 16, 32},
     .wave_m      = 32,
     .wave_n      = 16,
     .instruction = mfma_f32_16x16x16_bf16_1k,
     .a_vector    = 8,
     .b_vector    = 1,
     .c_vector    = 1},
    // more columns
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x8_bf16_1k,
     .a_vector    = 8,
     .b_vector    = 1,
     .c_vector    = 1},
};

/// bf16 on gfx908, which has the instructions of half the k.
inline constexpr GemmTuning xdl_bf16_gfx908[] = {
    // large problems: most reuse of what is loaded
    {.block_tile  = {256, 128, 32},
     .wave_m      = 128,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x4_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x4_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // fewer columns: C of 64
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x4_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x4_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // C of 32
    {.block_tile  = {64, 32, 64},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_16x16x8_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // K and C multiples of 4
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x4_bf16,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
    // K and C even
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x4_bf16,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2},
};

/// The same for any K and C.
inline constexpr GemmTuning xdl_bf16_gfx908_any[] = {
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x4_bf16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
    // any C, K a multiple of 8: the first layer of a network has 3 input channels
    {.block_tile  = {128, 16, 32},
     .wave_m      = 32,
     .wave_n      = 16,
     .instruction = mfma_f32_16x16x8_bf16,
     .a_vector    = 8,
     .b_vector    = 1,
     .c_vector    = 1},
    // more columns
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x4_bf16,
     .a_vector    = 8,
     .b_vector    = 1,
     .c_vector    = 1},
};

/// f32.
inline constexpr GemmTuning xdl_f32[] = {
    // large problems: most reuse of what is loaded
    {.block_tile  = {256, 128, 16},
     .wave_m      = 128,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x2_f32,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
    {.block_tile  = {128, 128, 16},
     .wave_m      = 64,
     .wave_n      = 64,
     .instruction = mfma_f32_32x32x2_f32,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
    // fewer columns: C of 64
    {.block_tile  = {128, 64, 16},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x2_f32,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 16},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x2_f32,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
    // C of 32
    {.block_tile  = {64, 32, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_16x16x4_f32,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
    // K and C even
    {.block_tile  = {128, 64, 16},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x2_f32,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2},
};

/// The same for any K and C.
inline constexpr GemmTuning xdl_f32_any[] = {
    {.block_tile  = {64, 64, 16},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x2_f32,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
    // any C, K a multiple of 4: the first layer of a network has 3 input channels
    {.block_tile  = {128, 16, 32},
     .wave_m      = 32,
     .wave_n      = 16,
     .instruction = mfma_f32_16x16x4_f32,
     .a_vector    = 4,
     .b_vector    = 1,
     .c_vector    = 1},
    // more columns
    {.block_tile  = {128, 64, 16},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = mfma_f32_32x32x2_f32,
     .a_vector    = 4,
     .b_vector    = 1,
     .c_vector    = 1},
};

} // namespace ck::tables::backward_data
