#pragma once
// Backward data by WMMA, whose registers differ between gfx11 and gfx12. Not measured on a device
// yet.
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

namespace ck::tables::backward_data {

using enum arch::Matrix;

/// f16 on gfx11.
inline constexpr GemmTuning wmma_gfx11_f16[] = {
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // fewer columns: C of 64
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // K and C even
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_f16,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2},
};

/// The same for any K and C.
inline constexpr GemmTuning wmma_gfx11_f16_any[] = {
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_f16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
};

/// bf16 on gfx11.
inline constexpr GemmTuning wmma_gfx11_bf16[] = {
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // fewer columns: C of 64
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // K and C even
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_bf16,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2},
};

/// The same for any K and C.
inline constexpr GemmTuning wmma_gfx11_bf16_any[] = {
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = wmma_gfx11_f32_16x16x16_bf16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
};

/// f16 on gfx12.
inline constexpr GemmTuning wmma_gfx12_f16[] = {
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // fewer columns: C of 64
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_f16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // K and C even
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_f16,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2},
};

/// The same for any K and C.
inline constexpr GemmTuning wmma_gfx12_f16_any[] = {
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_f16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
};

/// bf16 on gfx12.
inline constexpr GemmTuning wmma_gfx12_bf16[] = {
    {.block_tile  = {128, 128, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // fewer columns: C of 64
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // small problems: more workgroups
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_bf16,
     .a_vector    = 8,
     .b_vector    = 4,
     .c_vector    = 8},
    // K and C even
    {.block_tile  = {128, 64, 32},
     .wave_m      = 64,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_bf16,
     .a_vector    = 2,
     .b_vector    = 2,
     .c_vector    = 2},
};

/// The same for any K and C.
inline constexpr GemmTuning wmma_gfx12_bf16_any[] = {
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = wmma_gfx12_f32_16x16x16_bf16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
};

} // namespace ck::tables::backward_data
