#pragma once
// Without matrix units, on any GPU: dot products of pairs where the target has them, else
// multiply-add. Not measured on a device yet, in any direction.
#include "tables/rows.hpp"

namespace ck::tables {

/// The instruction for a type, and the reduction elements in a slice. Slices are 32 bytes deep: at
/// 64, clang 15 keeps so many operands in registers that they spill (gfx1030: 6 to 195 of 256).
struct Dl
{
    Matrix id;
    index_t k;

    constexpr index_t widest() const { return k / 2; }
};
inline constexpr Dl dl_f16{dot_f32_8x4x2_f16, 16};
inline constexpr Dl dl_bf16{dot_f32_8x4x2_bf16, 16};
inline constexpr Dl dl_f32{dot_f32_8x4x1_f32, 8};
inline constexpr Dl dl_f64{dot_f64_8x4x1_f64, 4};
inline constexpr Dl dl_i8{dot_i32_8x4x4_i8, 32};

constexpr GemmTuning dl_64x64(Dl i, Vectors v)
{
    return {.block_tile  = {64, 64, i.k},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = i.id,
            .a_vector    = v.a,
            .b_vector    = v.b,
            .c_vector    = v.c};
}

constexpr auto dl_rows(Dl i, Vectors v)
{
    return std::array{
        GemmTuning{.block_tile  = {128, 128, i.k},
                   .wave_m      = 64,
                   .wave_n      = 32,
                   .instruction = i.id,
                   .a_vector    = v.a,
                   .b_vector    = v.b,
                   .c_vector    = v.c},
        // small problems: more workgroups
        dl_64x64(i, v),
    };
}

/// Pipeline::direct, a thread has so many groups. Measured on an H200 with f16, best of ten, in ms;
/// "instead of" is the best of all other rows, mma.sync's. N C, image, filter, stride (1 unless
/// said), forward:
///   128  96 112x112    3x3   2    0.185 instead of 0.372
///    64 384  14x14     7x7        0.062 instead of 0.170
///    16  54  16x56x56  3x3x3      0.711 instead of 2.36
///    32 512  1024      31         0.131 instead of 0.404
constexpr GemmTuning depthwise(Matrix i, index_t vector)
{
    constexpr index_t lanes = 32, waves = 8;
    const index_t rows   = vector < 4 ? 8 : 4; // of a thread
    const index_t groups = std::min(64, lanes * vector);
    const index_t wave_m = rows * lanes * vector / groups;
    return {.block_tile  = {waves * wave_m, groups, 64},
            .wave_m      = wave_m,
            .wave_n      = groups,
            .instruction = i,
            .a_vector    = vector,
            .b_vector    = 1,
            .c_vector    = vector,
            .pipeline    = Pipeline::direct,
            .reduction   = Reduction::merged};
}

/// Pipeline::sliding_window. blocks: of 256 threads, on an SM, which caps their registers.
constexpr GemmTuning sliding_window(Direction direction, Matrix i, Window window, index_t blocks)
{
    constexpr index_t waves = 8, groups = 64;
    const index_t vector = direction == Direction::backward_weight ? 1 : window.vector;
    return {.block_tile        = {waves * window.columns, groups, window.y * window.x},
            .wave_m            = window.columns,
            .wave_n            = groups,
            .instruction       = i,
            .a_vector          = vector,
            .b_vector          = 1,
            .c_vector          = vector,
            .pipeline          = Pipeline::sliding_window,
            .min_blocks_per_cu = blocks,
            .reduction         = Reduction::merged,
            .window            = window};
}

/// Windows of the usual depthwise layers: a length and a stride, columns and groups of a thread,
/// and blocks on an SM, which leave registers for the filters. Measured on an H100 with f16, in ms;
/// cuDNN is the fastest that its find function names. N C, image, filter, stride:
///                            forward  cuDNN  before    backward weight  cuDNN
///   128  32 112x112  3x3      0.092   0.114   0.143         0.086       0.092
///   128  96 112x112  3x3  2   0.191   0.156   0.229         0.162       0.158
///   128 240  28x28   5x5      0.093   0.085   0.139         0.071       0.094
///   256  72  56x56   5x5  2   0.083   0.108   0.218         0.073       0.098
///   128  96  56x56   7x7      0.170   4.73    0.417         0.160       3.87
/// "Before" is Pipeline::direct. What was tried: docs/notes/sliding_windows.md.
template <Direction direction, Dl i>
constexpr auto windows()
{
    constexpr Direction d = direction;
    constexpr Matrix id   = i.id;
    if constexpr(!of_16_bits(id))
        return std::array<GemmTuning, 0>{};
    else if constexpr(d == Direction::backward_weight)
        return std::array{sliding_window(d, id, {3, 3, 1, 7, 2}, 2),
                          sliding_window(d, id, {3, 3, 2, 2, 2}, 3),
                          sliding_window(d, id, {5, 5, 1, 7, 2}, 1),
                          sliding_window(d, id, {5, 5, 2, 2, 2}, 2),
                          sliding_window(d, id, {7, 7, 1, 4, 2}, 1),
                          sliding_window(d, id, {4, 1, 1, 1, 8}, 2)};
    else
    {
        constexpr std::array neighbours{sliding_window(d, id, {3, 3, 1, 7, 4}, 1),
                                        sliding_window(d, id, {3, 3, 1, 7, 2}, 2),
                                        sliding_window(d, id, {5, 5, 1, 7, 2}, 1),
                                        sliding_window(d, id, {5, 5, 1, 4, 2}, 2),
                                        sliding_window(d, id, {7, 7, 1, 4, 2}, 1),
                                        sliding_window(d, id, {4, 1, 1, 1, 8}, 2)};
        if constexpr(d == Direction::backward_data)
            return neighbours;
        else
            return join(neighbours,
                        std::array{sliding_window(d, id, {3, 3, 2, 2, 4}, 2),
                                   sliding_window(d, id, {3, 3, 2, 4, 2}, 2),
                                   sliding_window(d, id, {5, 5, 2, 4, 2}, 2),
                                   sliding_window(d, id, {5, 5, 2, 2, 2}, 2)});
    }
}

/// C in vectors of 8 at most: a wave tile's eight rows of 32 have work for 32 lanes. Sums of
/// doubles take twice the registers: small tiles. Backward weight of depthwise layers has
/// windows.
template <Direction direction, Dl i>
inline constexpr auto dl = [] {
    Vectors v = wide_vectors(direction, i.widest());
    v.c       = std::min(v.c, 8);
    if constexpr(of_64_bits(i.id))
        return std::array{dl_64x64(i, v)};
    else if constexpr(direction == Direction::backward_weight)
        return join(dl_rows(i, v), windows<direction, i>());
    else
        return dl_rows(i, v);
}();

template <Direction direction, Dl i>
inline constexpr auto dl_few_channels = [] {
    // Slices as deep and waves as large as other engines' spill up to 432 registers (clang 15).
    auto rows = few_channels(i.id, i.widest(), 4, 16);
    for(GemmTuning& row : rows)
    {
        row.block_tile.m = 64;
        row.wave_m       = 16;
    }
    return join(rows,
                std::array{depthwise(i.id, i.widest()), depthwise(i.id, 2), depthwise(i.id, 1)},
                windows<direction, i>());
}();

template <Direction, Dl i>
inline constexpr auto dl_any = std::array{dl_64x64(i, {1, 1, 1})};

/// For operands whose elements take more registers: of two tensors, or rounded to eight bits before
/// they are multiplied. At 128x128, clang 15 spills one or two (gfx1030, bf16), of 32 int8 loaded
/// one by one, clang 19 (gfx1100).
template <Direction direction, Dl i>
inline constexpr auto dl_small = std::array{dl<direction, i>[of_64_bits(i.id) ? 0 : 1]};
template <Direction direction, Dl i>
inline constexpr auto dl_small_any = dl_any<direction, Dl{i.id, std::min(i.k, 16)}>;

} // namespace ck::tables
