#pragma once
// Many small groups on Hopper: channel slices of lines that tensor maps copy. Multiplied with
// mma.sync, but in the tables of wgmma, which only sm_90a has.
#include "tables/rows.hpp"

namespace ck::tables {

/// The warp's instruction for the types of a warpgroup's instruction.
constexpr Matrix mma_of(Matrix wgmma)
{
    return wgmma == wgmma_f32_16x8x16_f16         ? mma_f32_16x8x16_f16
           : wgmma == wgmma_i32_16x8x32_s8        ? mma_i32_16x8x32_s8
           : wgmma == wgmma_f32_16x8x32_e4m3_e4m3 ? mma_f32_16x8x32_e4m3_e4m3
                                                  : mma_f32_16x8x16_bf16;
}

/// Backward weight: channel slices of this many channels at y x x taps, of which each warp has
/// taps_of_warp, and tiles of this many output pixels.
constexpr GemmTuning channel_slice_weight_row(Matrix i,
                                              index_t channels,
                                              index_t y,
                                              index_t x,
                                              index_t taps_of_warp,
                                              index_t pixels,
                                              index_t min_blocks_per_cu)
{
    return {.block_tile        = {8 * widest(i), y * x * channels, pixels},
            .wave_m            = channels,
            .wave_n            = taps_of_warp * channels,
            .instruction       = mma_of(i),
            .a_vector          = 1,
            .b_vector          = 1,
            .c_vector          = 1,
            .pipeline          = Pipeline::channel_slices,
            .min_blocks_per_cu = min_blocks_per_cu,
            .window            = {.y = y, .x = x}};
}

/// Times: docs/notes/problem_lists.md. Two workgroups on an SM spill with channel slices of 32
/// channels, or with 49 taps (nvcc 13).
template <Matrix i>
inline constexpr auto channel_slice_weight = std::array{
    channel_slice_weight_row(i, 8, 3, 3, 9, 64, 2),
    channel_slice_weight_row(i, 8, 3, 3, 9, 128, 2),
    channel_slice_weight_row(i, 8, 5, 5, 25, 64, 2),
    channel_slice_weight_row(i, 8, 7, 7, 49, 64, 1),
    channel_slice_weight_row(i, 8, 1, 31, 31, 64, 1), // 1D
    channel_slice_weight_row(i, 16, 3, 3, 3, 64, 2),
    channel_slice_weight_row(i, 32, 3, 3, 3, 64, 1),
};

/// Rows of backward weight for int8, including groups of one channel: docs/notes/number_types.md.
/// Channel slices of 32 with nine taps, and of 16 with 16, spill (nvcc 13).
inline constexpr auto i8_channel_slice_weight = std::array{
    channel_slice_weight_row(wgmma_i32_16x8x32_s8, 16, 3, 3, 9, 128, 1),
    channel_slice_weight_row(wgmma_i32_16x8x32_s8, 16, 3, 3, 3, 64, 1),
    channel_slice_weight_row(wgmma_i32_16x8x32_s8, 16, 5, 3, 15, 64, 1),
    channel_slice_weight_row(wgmma_i32_16x8x32_s8, 16, 7, 2, 14, 64, 1),
    channel_slice_weight_row(wgmma_i32_16x8x32_s8, 16, 1, 14, 14, 64, 1), // 1D
    channel_slice_weight_row(wgmma_i32_16x8x32_s8, 32, 1, 3, 3, 64, 2),
    channel_slice_weight_row(wgmma_i32_16x8x32_s8, 64, 1, 3, 1, 64, 1),
};

/// Forward and backward data: channel slices of this many channels, tiles of this many output
/// pixels, of which each warp has wave_m, and wave_n channels.
constexpr GemmTuning channel_slice_row(Matrix i,
                                       index_t channels,
                                       index_t pixels,
                                       index_t wave_m,
                                       index_t wave_n,
                                       index_t min_blocks_per_cu)
{
    return {.block_tile        = {pixels, 8 * widest(i), channels},
            .wave_m            = wave_m,
            .wave_n            = wave_n,
            .instruction       = mma_of(i),
            .a_vector          = widest(i),
            .b_vector          = 1,
            .c_vector          = widest(i),
            .pipeline          = Pipeline::channel_slices,
            .min_blocks_per_cu = min_blocks_per_cu,
            .reduction         = Reduction::merged};
}

/// Measured on an H200 with bf16, in us; "instead of" is the best row without channel slices. N C,
/// image, 32 groups, 3x3 (stride 1 unless stated); F forward, B backward data.
template <Matrix i>
inline constexpr auto channel_slices = std::array{
    // 1 256, 56x56: 6.1 instead of 11
    channel_slice_row(i, 8, 64, 32, 16, 3),
    // 128 128, 56x56: F 79 instead of 429, B 79 instead of 417; stride 2, 128 256, 56x56: F 67
    // instead of 270, B 109 instead of 327
    channel_slice_row(i, 8, 256, 64, 16, 1),
    // 128 512, 28x28: F 99 instead of 425, B 99 instead of 408
    channel_slice_row(i, 16, 128, 64, 16, 2),
    channel_slice_row(i, 16, 64, 32, 16, 3),
    // not measured yet
    channel_slice_row(i, 16, 256, 64, 16, 1),
    // 128 1024, 14x14: F 67 instead of 149, B 70 instead of 160
    channel_slice_row(i, 32, 256, 64, 32, 1),
};

/// Rows of forward and backward data for int8, whose lines have twice as many channels as f16.
inline constexpr auto i8_channel_slices = std::array{
    channel_slice_row(wgmma_i32_16x8x32_s8, 16, 128, 32, 32, 1),
    channel_slice_row(wgmma_i32_16x8x32_s8, 32, 64, 32, 32, 1),
    channel_slice_row(wgmma_i32_16x8x32_s8, 32, 128, 32, 32, 1),
    channel_slice_row(wgmma_i32_16x8x32_s8, 64, 128, 32, 32, 1),
};
/// Rows of forward for e4m3. sm_90 multiplies it as f16, which takes twice the registers: larger
/// tiles spill.
inline constexpr auto e4m3_channel_slices = std::array{
    channel_slice_row(wgmma_f32_16x8x32_e4m3_e4m3, 16, 64, 32, 32, 1),
    channel_slice_row(wgmma_f32_16x8x32_e4m3_e4m3, 32, 64, 32, 32, 1),
    channel_slice_row(wgmma_f32_16x8x32_e4m3_e4m3, 64, 64, 16, 32, 1),
};

} // namespace ck::tables
