#pragma once
// Backward data by the warp-wide mma.sync (sm_80 and later).
//
// Measured on an H200 at 1980 MHz with f16, the best of 21 tunings for each problem; "instead of"
// is the best of the other rows here. N K C, image, filter, stride (1 unless said):
//   P1  128 256 128   71x71     3x3    2
//   P2   64 128  64   28x28x28  3x3x3
//   P3  128 256 256   14x14     3x3
//   P4   32 512 512   7x7       3x3
//   P5  128  64  32   56x56     3x3
//   P6   32  60  36   56x56     3x3
//   P7   32  62  34   56x56     3x3
//   P8  128  64   3   224x224   7x7    2
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

namespace ck::tables::backward_data {

using enum arch::Matrix;

/// f16.
inline constexpr GemmTuning mma_f16[] = {
    // P1 0.320 ms instead of 0.376, 306 TFlops
    {.block_tile          = {128, 128, 32},
     .wave_m              = 64,
     .wave_n              = 64,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 2,
     .stages              = 4},
    // P2 2.24 ms instead of 2.85, 278 TFlops
    {.block_tile          = {128, 64, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 3,
     .stages              = 4},
    // P3 0.105 ms instead of 0.110, 283 TFlops
    {.block_tile          = {128, 128, 64},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 2,
     .stages              = 3},
    // P4 0.045 ms instead of 0.053, 164 TFlops
    {.block_tile          = {64, 64, 64},
     .wave_m              = 32,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 4,
     .stages              = 3},
    // P5 0.093 ms instead of 0.131, 159 TFlops
    {.block_tile          = {128, 32, 64},
     .wave_m              = 32,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 2,
     .stages              = 3},
    // P6 0.046 ms instead of 0.051, 85 TFlops
    {.block_tile          = {128, 64, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 4,
     .b_vector            = 4,
     .c_vector            = 4,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
    // P7 0.047 ms instead of 0.094, 82 TFlops
    {.block_tile          = {128, 64, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 2,
     .b_vector            = 2,
     .c_vector            = 2,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
};

/// The same for any K and C.
inline constexpr GemmTuning mma_f16_any[] = {
    // everything else; P7 0.094 ms, P8 10.3 ms
    {.block_tile  = {64, 64, 32},
     .wave_m      = 32,
     .wave_n      = 32,
     .instruction = mma_f32_16x8x16_f16,
     .a_vector    = 1,
     .b_vector    = 1,
     .c_vector    = 1},
    // P8 1.94 ms instead of 4.11
    {.block_tile          = {128, 16, 32},
     .wave_m              = 32,
     .wave_n              = 16,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 8,
     .b_vector            = 1,
     .c_vector            = 1,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
    // P1, as if C were odd: 0.650 ms instead of 1.19
    {.block_tile          = {128, 64, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_f16,
     .a_vector            = 8,
     .b_vector            = 1,
     .c_vector            = 1,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
};

/// bf16, which takes the time of f16: the same tunings.
inline constexpr GemmTuning mma_bf16[] = {
    {.block_tile          = {128, 128, 32},
     .wave_m              = 64,
     .wave_n              = 64,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 2,
     .stages              = 4},
    {.block_tile          = {128, 64, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 3,
     .stages              = 4},
    {.block_tile          = {128, 128, 64},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 2,
     .stages              = 3},
    {.block_tile          = {64, 64, 64},
     .wave_m              = 32,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 4,
     .stages              = 3},
    {.block_tile          = {128, 32, 64},
     .wave_m              = 32,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 8,
     .b_vector            = 8,
     .c_vector            = 8,
     .pipeline            = Pipeline::async_copies,
     .min_blocks_per_unit = 2,
     .stages              = 3},
    {.block_tile          = {128, 64, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 4,
     .b_vector            = 4,
     .c_vector            = 4,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
    {.block_tile          = {128, 64, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 2,
     .b_vector            = 2,
     .c_vector            = 2,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
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
    {.block_tile          = {128, 16, 32},
     .wave_m              = 32,
     .wave_n              = 16,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 8,
     .b_vector            = 1,
     .c_vector            = 1,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
    {.block_tile          = {128, 64, 32},
     .wave_m              = 64,
     .wave_n              = 32,
     .instruction         = mma_f32_16x8x16_bf16,
     .a_vector            = 8,
     .b_vector            = 1,
     .c_vector            = 1,
     .pipeline            = Pipeline::double_buffer,
     .min_blocks_per_unit = 2},
};

/// f32 data multiplied as tf32, which keeps 10 bits of the significand. Never chosen for a caller
/// who did not ask: not in the library, for device operations and tests that name it. Not measured
/// yet.
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
