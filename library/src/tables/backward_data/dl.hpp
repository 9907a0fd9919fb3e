#pragma once
// Backward data without matrix units, on any GPU: dot products of pairs where the target has them,
// else multiply-add. Not measured on a device yet. Slices are 32 bytes deep: at 64, clang 15 keeps
// so many operands in registers that they spill (gfx1030: 6 to 195 of 256).
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

namespace ck::tables::backward_data {

using enum arch::Matrix;

/// f16.
inline constexpr GemmTuning dl_f16[] = {
    {.block_tile  = {128, 128, 16},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = dot_f32_8x4x2_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 16},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = dot_f32_8x4x2_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
};

/// The same for any K and C.
inline constexpr GemmTuning dl_f16_any[] = {
    {.block_tile  = {64, 64, 16},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = dot_f32_8x4x2_f16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
};

/// bf16.
inline constexpr GemmTuning dl_bf16[] = {
    {.block_tile  = {128, 128, 16},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = dot_f32_8x4x2_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 16},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = dot_f32_8x4x2_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
};

/// The same for any K and C.
inline constexpr GemmTuning dl_bf16_any[] = {
    {.block_tile  = {64, 64, 16},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = dot_f32_8x4x2_bf16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
};

/// f32.
inline constexpr GemmTuning dl_f32[] = {
    {.block_tile  = {128, 128, 8},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = dot_f32_8x4x1_f32,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 8},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = dot_f32_8x4x1_f32,
     .a_vector    = 4,
     .b_vector    = 4,
     .c_vector    = 4},
};

/// The same for any K and C.
inline constexpr GemmTuning dl_f32_any[] = {
    {.block_tile  = {64, 64, 8},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = dot_f32_8x4x1_f32,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
};

} // namespace ck::tables::backward_data
