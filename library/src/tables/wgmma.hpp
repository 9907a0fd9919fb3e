#pragma once
// The warpgroup-wide wgmma (sm_90a) for channels that are multiples of 16 bytes: with tensor maps
// for one group, or with copies by every thread for any number of groups.
//
// The best row depends on the problem: see select_kernel() and predicted_time(); the first is the
// best for most. Times in ms on an H200, f16, N K C, image, filter, stride (1 unless stated); in
// parentheses first wgmma with copies by threads, then mma.sync:
//   P1 64 512 512 28x28 3x3      P4 256  64 64 56x56 1x1    P7 128 256 128 71x71 3x3 2
//   P2 256 128 128 28x28 3x3     P5 256 256 64 56x56 1x1    P8 256 192 192 28x28 3x3
//   P3 256 64 64 56x56 3x3       P6 2 32 32 128^3 3x3x3     P9 16 320 320 64x64 3x3
#include "tables/channel_slices.hpp"
#include "tables/mma.hpp"
#include "tables/rows.hpp"

namespace ck::tables {

inline constexpr Matrix wgmma_f16  = wgmma_f32_16x8x16_f16;
inline constexpr Matrix wgmma_bf16 = wgmma_f32_16x8x16_bf16; // takes the time of f16
inline constexpr Matrix wgmma_tf32 = wgmma_f32_16x8x8_tf32;
inline constexpr Matrix wgmma_i8   = wgmma_i32_16x8x32_s8;

/// X of e4m3 or e5m2, and W, in OCP's encoding. The bits of FNUZ mean half as much there, except
/// for NaN and the largest numbers, which differ: f8_t and bf8_t are multiplied as bf16.
constexpr Matrix wgmma_f8(bool x_is_e5m2, bool w_is_e5m2)
{
    return x_is_e5m2   ? w_is_e5m2 ? wgmma_f32_16x8x32_e5m2_e5m2 : wgmma_f32_16x8x32_e5m2_e4m3
           : w_is_e5m2 ? wgmma_f32_16x8x32_e4m3_e5m2
                       : wgmma_f32_16x8x32_e4m3_e4m3;
}

/// A row: block_tile m x n x 128 bytes; a warp has the rows of two instructions if that makes two
/// warpgroups from four. H200, f16: 4 to 7 % less time.
constexpr GemmTuning wgmma_row(Matrix i,
                               index_t m,
                               index_t n,
                               index_t stages,
                               index_t min_blocks_per_cu,
                               Pipeline pipeline = Pipeline::tensor_maps,
                               index_t cluster   = 1)
{
    return {.block_tile        = {m, n, 8 * widest(i)},
            .wave_m            = m == 256 && n > 64 ? 32 : 16,
            .wave_n            = n,
            .instruction       = i,
            .a_vector          = widest(i),
            .b_vector          = widest(i),
            .c_vector          = widest(i),
            .pipeline          = pipeline,
            .min_blocks_per_cu = min_blocks_per_cu,
            .stages            = stages,
            .maps              = {.cluster = cluster}};
}

/// A row whose blocks keep this many slices of their filters.
constexpr GemmTuning
resident_row(Matrix i, index_t m, index_t n, index_t stages, index_t resident_filters)
{
    GemmTuning t            = wgmma_row(i, m, n, stages, 1);
    t.maps.resident_filters = resident_filters;
    return t;
}

/// A row whose filters, or dY, are transposed before the kernel.
constexpr GemmTuning transposed_first(GemmTuning t)
{
    t.maps.transposed_first = true;
    return t;
}

/// A row that sums slices separately, as floats multiplied as 3xTF32 need.
constexpr GemmTuning promoted(GemmTuning t)
{
    t.maps.promoted_accumulation = true;
    return t;
}

/// A row of Pipeline::halo_tiles: tiles of 4 * wave_m x n, lines of this many channels.
constexpr GemmTuning
halo_row(Matrix i, index_t warpgroups, index_t wave_m, index_t n, index_t channels)
{
    GemmTuning t   = wgmma_row(i, warpgroups * 4 * wave_m, n, 2, 1, Pipeline::halo_tiles);
    t.wave_m       = wave_m;
    t.block_tile.k = channels;
    return t;
}

/// A row whose lines are two pixels of 32 channels each: for strides of 2 along w.
constexpr GemmTuning halo_row_of_pixels(Matrix i, index_t warpgroups, index_t wave_m, index_t n)
{
    GemmTuning t  = halo_row(i, warpgroups, wave_m, n, 32);
    t.halo.pixels = 2;
    return t;
}

template <Matrix i>
inline constexpr auto wgmma_forward = std::array{
    // P1 0.299 (0.323, 0.686), P7 0.148 (0.181, 0.332)
    wgmma_row(i, 128, 256, 4, 1),
    // large problems, 1 % less
    wgmma_row(i, 128, 256, 4, 1, Pipeline::tensor_maps, 2),
    // N 256, 1x1 256 to 1024 at 14x14 0.0472 (without keeping filters: 0.0487)
    resident_row(i, 128, 256, 4, 4),
    // N 64, C 64 to K 192, 1x3 at 56x56 0.0347 (without keeping filters: 0.0361)
    resident_row(i, 128, 192, 5, 3),
    // P2 0.093 (0.126, 0.198)
    wgmma_row(i, 256, 128, 4, 1),
    // 96 channels, 3x3x3, bf16: 5 to 12 % less time than 128 columns
    wgmma_row(i, 256, 96, 4, 1),
    // N 2, 96 channels, 7x256x256, 3x3x3, bf16 0.671 (128 x 192: 0.955)
    wgmma_row(i, 256, 96, 4, 1, Pipeline::tensor_maps, 2),
    // P5 0.143 (0.197, 0.247)
    wgmma_row(i, 64, 256, 5, 1),
    // few tiles
    wgmma_row(i, 128, 128, 6, 1),
    wgmma_row(i, 64, 128, 4, 2),
    // N 8, 1x1 2048 to 512 at 7x7 0.0070 (64 x 64: 0.0080)
    wgmma_row(i, 64, 128, 8, 1),
    wgmma_row(i, 128, 192, 5, 1),
    // P9 0.170 (0.241): 320 columns are two tiles
    wgmma_row(i, 128, 160, 5, 1),
    // P3 0.140 (0.209, 0.407)
    wgmma_row(i, 256, 64, 5, 1),
    // P4 0.058 (0.061, 0.112)
    wgmma_row(i, 64, 64, 6, 2),
    // P3 0.103
    halo_row(i, 2, 64, 64, 64),
    halo_row(i, 2, 32, 64, 64),
    // P6 0.489 (1.77)
    halo_row(i, 3, 64, 32, 32),
    // N 2, C 32, K 64, 128^3, 3x3x3, stride 2 0.147 (two warpgroups of half: 0.194)
    halo_row(i, 1, 64, 64, 32),
    // the same 0.125 (lines of one pixel: 0.142)
    halo_row_of_pixels(i, 1, 64, 64),
    // N 128, C 32, K 64, 56x56, 3x3, stride 2 0.0159 (one warpgroup: 0.0186)
    halo_row_of_pixels(i, 2, 64, 64),
    // groups, and what tensor maps cannot express
    wgmma_row(i, 128, 256, 4, 1, Pipeline::async_copies),
    wgmma_row(i, 128, 128, 3, 2, Pipeline::async_copies),
    wgmma_row(i, 128, 64, 3, 3, Pipeline::async_copies),
};

template <Direction direction, Matrix i>
inline constexpr auto wgmma = join(wgmma_forward<i>, channel_slices<i>);

/// A row of Pipeline::fused_phases: n columns of each phase, 256 in all.
constexpr GemmTuning fused_row(Matrix i, index_t phases, index_t n)
{
    GemmTuning t   = wgmma_row(i, 128, n, 2, 1, Pipeline::fused_phases);
    t.fused.phases = phases;
    return t;
}

template <Matrix i>
inline constexpr auto wgmma_backward_data = std::array{
    // P1 0.300 (0.323), 1x1 P5 0.124
    wgmma_row(i, 128, 256, 4, 1),
    wgmma_row(i, 128, 256, 4, 1, Pipeline::tensor_maps, 2),
    // N 256, 1x1 512 to 256 at 28x28 0.0990 (without keeping filters: 0.1026)
    resident_row(i, 128, 256, 4, 4),
    // N 16, C 144, K 64, 16x56x56, 3x1x1 0.134 (without keeping filters: 0.154)
    resident_row(i, 128, 192, 5, 3),
    // P7 0.174 (0.208, 0.334), P2 0.095
    wgmma_row(i, 256, 128, 4, 1),
    // 96 channels, 3x3x3, bf16: as 128 columns, within 2 %
    wgmma_row(i, 256, 96, 4, 1),
    // N 2, 96 channels, 7x256x256, 3x3x3, bf16 1.080 (256 x 96: 1.172, 128 x 192: 1.484)
    wgmma_row(i, 256, 128, 4, 1, Pipeline::tensor_maps, 2),
    wgmma_row(i, 64, 256, 5, 1),
    wgmma_row(i, 128, 128, 6, 1),
    wgmma_row(i, 64, 128, 4, 2),
    wgmma_row(i, 64, 128, 8, 1),
    // P8 of stride 2, 71x71: 0.250 (0.353): 192 columns are one tile
    wgmma_row(i, 128, 192, 5, 1),
    // N 64, 1x1 768 to 3072 at 7x7 0.0285 (128 x 192: 0.0322): 125 tiles instead of 100
    wgmma_row(i, 128, 160, 5, 1),
    // P3 0.144
    wgmma_row(i, 256, 64, 5, 1),
    wgmma_row(i, 64, 64, 6, 2),
    // P3 0.107
    halo_row(i, 2, 64, 64, 64),
    halo_row(i, 2, 32, 64, 64),
    // P6 0.505 (1.8)
    halo_row(i, 3, 64, 32, 32),
    halo_row(i, 2, 64, 32, 64),
    // stride 2, N 256, C 64, K 128, 56x56, 3x3 0.067 (a tile for each phase: 0.089)
    fused_row(i, 4, 64),
    // P6 with K 64 and stride 2 0.208 (0.250)
    fused_row(i, 8, 32),
    wgmma_row(i, 128, 256, 4, 1, Pipeline::async_copies),
    wgmma_row(i, 128, 128, 3, 2, Pipeline::async_copies),
    wgmma_row(i, 128, 64, 3, 3, Pipeline::async_copies),
};

template <Matrix i>
requires(of_16_bits(i)) inline constexpr auto wgmma<Direction::backward_data, i> =
    join(wgmma_backward_data<i>, channel_slices<i>);

/// A row of Pipeline::halo_tiles for backward weight: three warpgroups with three taps of this many
/// channels, tiles of this many output pixels.
constexpr GemmTuning halo_weight_row(Matrix i, index_t channels, index_t pixels)
{
    GemmTuning t   = wgmma_row(i, 64, 9 * channels, 2, 1, Pipeline::halo_tiles);
    t.wave_n       = 3 * channels;
    t.block_tile.k = pixels;
    return t;
}

/// Rows are the channels of Y, columns those of X at each tap.
template <Matrix i>
inline constexpr auto wgmma_weight = std::array{
    // P1 0.331, P2 0.090
    wgmma_row(i, 128, 256, 4, 1),
    // N 256, 1x1 512 to 256 at 28x28 0.092 (128 x 256: 0.095)
    wgmma_row(i, 256, 128, 4, 1),
    // P1 0.321
    wgmma_row(i, 256, 192, 3, 1),
    // N 256, 1x1 512 to 128 at 28x28 0.073 (128 x 256: 0.075)
    wgmma_row(i, 128, 128, 6, 1),
    // P2 0.085
    wgmma_row(i, 128, 192, 5, 1),
    wgmma_row(i, 64, 128, 4, 2),
    // N 64, 1x1 512 to 2048 at 7x7 0.0150 (64 x 64: 0.0165)
    wgmma_row(i, 64, 128, 8, 1, Pipeline::tensor_maps, 2),
    // P3 0.141 (0.176, 0.402)
    wgmma_row(i, 64, 64, 6, 2),
    // P3 0.093, P9 0.162; P6 0.584
    halo_weight_row(i, 64, 128),
    halo_weight_row(i, 32, 256),
    // C of 32, 144 ...: P6 1.26 (2.85)
    wgmma_row(i, 64, 128, 4, 2, Pipeline::async_copies),
    wgmma_row(i, 128, 256, 4, 1, Pipeline::async_copies),
    wgmma_row(i, 128, 64, 4, 2, Pipeline::async_copies),
};
template <Matrix i>
requires(of_16_bits(i)) inline constexpr auto wgmma<Direction::backward_weight, i> =
    join(wgmma_weight<i>, channel_slice_weight<i>);

/// One-byte elements with the tiles of f16. The first row is the best for P1, 0.140 (f16 0.258);
/// the third row takes 0.049 (0.079) for P2; see docs/notes/number_types.md.
template <Matrix i>
inline constexpr auto wgmma_bytes = std::array{
    wgmma_row(i, 128, 256, 4, 1),
    wgmma_row(i, 128, 256, 4, 1, Pipeline::tensor_maps, 2),
    wgmma_row(i, 256, 128, 4, 1),
    wgmma_row(i, 128, 128, 6, 1),
    wgmma_row(i, 64, 128, 4, 2),
    wgmma_row(i, 128, 192, 5, 1),
    wgmma_row(i, 256, 64, 5, 1),
    wgmma_row(i, 64, 64, 6, 2),
    // groups, and what tensor maps cannot express
    wgmma_row(i, 128, 128, 3, 2, Pipeline::async_copies),
};
template <Matrix i>
requires(of_8_bits(i)) inline constexpr auto wgmma<Direction::forward, i> = wgmma_bytes<i>;
template <>
inline constexpr auto wgmma<Direction::forward, wgmma_i8> = join(wgmma_bytes<wgmma_i8>,
                                                                 i8_channel_slices);
template <>
inline constexpr auto wgmma<Direction::forward, wgmma_f8(false, false)> =
    join(wgmma_bytes<wgmma_f8(false, false)>, e4m3_channel_slices);

/// e4m3 with results of f32: wgmma keeps 14 bits of a sum, so that threads add up its sums of 128
/// products. Tiles of which a thread holds two sets of sums. The slices of 64 channels would spill.
constexpr GemmTuning e4m3_sums_row(index_t m, index_t n, index_t stages, index_t min_blocks_per_cu)
{
    GemmTuning t = promoted(wgmma_row(wgmma_f8(false, false), m, n, stages, min_blocks_per_cu));
    t.c_vector   = 4; // 16 bytes
    return t;
}
inline constexpr std::array e4m3_sums{e4m3_sums_row(128, 128, 6, 1),
                                      e4m3_sums_row(128, 192, 5, 1),
                                      e4m3_sums_row(256, 64, 5, 1),
                                      e4m3_sums_row(64, 128, 4, 2),
                                      e4m3_sums_row(64, 64, 6, 2),
                                      e4m3_channel_slices[0],
                                      e4m3_channel_slices[1]};
template <Direction direction, Matrix i>
inline constexpr std::array<GemmTuning, 0> wgmma_promoted{};
template <>
inline constexpr auto wgmma_promoted<Direction::forward, wgmma_f8(false, false)> = e4m3_sums;

/// Without a workspace, the filters of backward data and both operands of backward weight are
/// transposed in LDS, in squares of 128 elements; with one, the filters or dY are transposed before
/// the kernel. P1 0.147 (in LDS 0.236, f16 0.300), 0.297 (0.463, 0.322).
inline constexpr auto wgmma_i8_backward_data = std::array{
    wgmma_row(wgmma_i8, 256, 128, 4, 1),
    wgmma_row(wgmma_i8, 128, 128, 6, 1),
    transposed_first(wgmma_row(wgmma_i8, 128, 256, 4, 1)),
    transposed_first(wgmma_row(wgmma_i8, 256, 128, 4, 1)),
    transposed_first(wgmma_row(wgmma_i8, 128, 128, 6, 1)),
    transposed_first(wgmma_row(wgmma_i8, 128, 192, 5, 1)),
    transposed_first(wgmma_row(wgmma_i8, 64, 128, 4, 2)),
};
template <>
inline constexpr auto wgmma<Direction::backward_data, wgmma_i8> = join(wgmma_i8_backward_data,
                                                                       i8_channel_slices);

inline constexpr auto wgmma_i8_backward_weight = std::array{
    wgmma_row(wgmma_i8, 128, 256, 4, 1),
    wgmma_row(wgmma_i8, 128, 128, 6, 1),
    transposed_first(wgmma_row(wgmma_i8, 256, 128, 4, 1)),
    transposed_first(wgmma_row(wgmma_i8, 128, 256, 4, 1)),
};
/// Rows of backward weight for channels that squares of 128 do not divide: mma.sync reads pairs of
/// them. 192 to 192 channels, 64 images of 28x28, 3x3: 104 us with the first instead of 187.
inline constexpr auto i8_weight_of_pairs = [] {
    constexpr Vectors v{16, 16, 4};
    return std::array{mma_128x128(mma_i8, v), mma_128x64(mma_i8, v), mma_64x64(mma_i8, v)};
}();
template <>
inline constexpr auto wgmma<Direction::backward_weight, wgmma_i8> = join(wgmma_i8_backward_weight,
                                                                         i8_channel_slice_weight,
                                                                         i8_weight_of_pairs);

/// Floats multiplied as tf32, forward: tiles of f16. Only tensor maps round them.
template <>
inline constexpr auto wgmma<Direction::forward, wgmma_tf32> = std::array{
    wgmma_row(wgmma_tf32, 128, 256, 4, 1),
    wgmma_row(wgmma_tf32, 128, 256, 4, 1, Pipeline::tensor_maps, 2),
    wgmma_row(wgmma_tf32, 256, 128, 4, 1),
    wgmma_row(wgmma_tf32, 64, 256, 5, 1),
    wgmma_row(wgmma_tf32, 128, 128, 6, 1),
    wgmma_row(wgmma_tf32, 64, 128, 4, 2),
    wgmma_row(wgmma_tf32, 128, 192, 5, 1),
    wgmma_row(wgmma_tf32, 256, 64, 5, 1),
    wgmma_row(wgmma_tf32, 64, 64, 6, 2),
    promoted(wgmma_row(wgmma_tf32, 128, 128, 6, 1)),
    promoted(wgmma_row(wgmma_tf32, 128, 192, 5, 1)),
    promoted(wgmma_row(wgmma_tf32, 256, 64, 5, 1)),
};

/// A row in which a warpgroup has all m rows and 64 columns: wgmma's first operand is the filters,
/// or X.
constexpr GemmTuning
columns_first_row(Matrix i, index_t m, index_t n, index_t stages, index_t min_blocks_per_cu)
{
    GemmTuning t = wgmma_row(i, m, n, stages, min_blocks_per_cu);
    t.wave_m     = m;
    t.wave_n     = 16;
    return t;
}

/// P1 0.556 with transposition before the kernel (0.572).
template <>
inline constexpr auto wgmma<Direction::backward_data, wgmma_tf32> = std::array{
    columns_first_row(wgmma_tf32, 256, 128, 4, 1),
    columns_first_row(wgmma_tf32, 128, 128, 6, 1),
    columns_first_row(wgmma_tf32, 64, 128, 4, 2),
    columns_first_row(wgmma_tf32, 256, 64, 5, 1),
    transposed_first(wgmma_row(wgmma_tf32, 128, 256, 4, 1, Pipeline::tensor_maps, 2)),
    transposed_first(wgmma_row(wgmma_tf32, 256, 128, 4, 1)),
    transposed_first(wgmma_row(wgmma_tf32, 128, 128, 6, 1)),
    transposed_first(wgmma_row(wgmma_tf32, 128, 192, 5, 1)),
    promoted(transposed_first(wgmma_row(wgmma_tf32, 128, 128, 6, 1))),
    promoted(transposed_first(wgmma_row(wgmma_tf32, 128, 192, 5, 1))),
    promoted(transposed_first(wgmma_row(wgmma_tf32, 256, 64, 5, 1))),
};

/// A row whose lines of X are copied once for three taps.
constexpr GemmTuning filter_row(Matrix i)
{
    GemmTuning t = wgmma_row(i, 128, 384, 5, 1, Pipeline::filter_rows);
    t.wave_m     = 128;
    t.wave_n     = 48;
    return t;
}

/// P1 0.667 with transposition before the kernel (0.798), N 16, 320 channels, 64x64, 3x3 0.459
/// (0.559); P2 with filter rows 0.183 (0.226).
template <>
inline constexpr auto wgmma<Direction::backward_weight, wgmma_tf32> = std::array{
    wgmma_row(wgmma_tf32, 128, 256, 4, 1),
    wgmma_row(wgmma_tf32, 256, 128, 4, 1),
    wgmma_row(wgmma_tf32, 64, 256, 5, 1),
    wgmma_row(wgmma_tf32, 128, 128, 6, 1),
    wgmma_row(wgmma_tf32, 64, 128, 4, 2),
    wgmma_row(wgmma_tf32, 128, 192, 5, 1),
    wgmma_row(wgmma_tf32, 64, 64, 6, 2),
    transposed_first(columns_first_row(wgmma_tf32, 256, 128, 4, 1)),
    transposed_first(columns_first_row(wgmma_tf32, 192, 128, 5, 1)),
    transposed_first(columns_first_row(wgmma_tf32, 160, 128, 5, 1)),
    filter_row(wgmma_tf32),
    promoted(wgmma_row(wgmma_tf32, 128, 128, 6, 1)),
    promoted(transposed_first(columns_first_row(wgmma_tf32, 128, 128, 5, 1))),
    promoted(transposed_first(columns_first_row(wgmma_tf32, 192, 128, 5, 1))),
};

} // namespace ck::tables
