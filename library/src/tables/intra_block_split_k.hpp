#pragma once
// 1x1 layers that are one small matrix product (Pipeline::intra_block_split_k), with the matrix
// instructions of any engine; rows for mma.sync.
#include "tables/rows.hpp"

namespace ck::tables {

/// waves: that share the reduction of a tile; depth: of the reduction that a block multiplies at a
/// time; blocks: on a compute unit.
constexpr GemmTuning intra_block_split_k(Matrix i,
                                         Tile block_tile,
                                         index_t wave_m,
                                         index_t wave_n,
                                         index_t waves,
                                         Vectors v,
                                         index_t blocks = 1)
{
    return {.block_tile        = block_tile,
            .wave_m            = wave_m,
            .wave_n            = wave_n,
            .instruction       = i,
            .a_vector          = v.a,
            .b_vector          = v.b,
            .c_vector          = v.c,
            .pipeline          = Pipeline::intra_block_split_k,
            .min_blocks_per_cu = blocks,
            .sliced            = {.waves = waves}};
}

/// The same for backward weight of planes of pixels (channels first); vector: pixels in a load.
constexpr GemmTuning make_channels_first(Matrix i,
                                         Tile block_tile,
                                         index_t wave_m,
                                         index_t wave_n,
                                         index_t waves,
                                         index_t vector,
                                         index_t blocks)
{
    GemmTuning t     = intra_block_split_k(i, block_tile, wave_m, wave_n, waves, {1, 1, 1}, blocks);
    t.channels_first = {.vector = vector};
    return t;
}

/// Few pixels: eight waves share long sums; one wave computes a short sum. Measured on an H200 with
/// bf16, 128 images of one pixel, in us; "instead of" is the best of the other tables: 672 to 28
/// channels 2.1 instead of 11.9, 28 to 672 1.4 instead of 3.4; backward data for the same 1.6
/// instead of 4.0 and 2.3 instead of 12.2; others: docs/notes/pointwise.md.
template <Direction direction, Matrix i>
inline constexpr auto intra_block_split_k_rows = std::array{
    // long sums
    intra_block_split_k(i, {16, 16, 1024}, 16, 16, 8, {8, 8, 1}),
    intra_block_split_k(i, {16, 16, 256}, 16, 16, 8, {2, 2, 1}),
    intra_block_split_k(i, {16, 16, 256}, 16, 16, 8, {1, 1, 1}),
    // short ones
    intra_block_split_k(i, {16, 64, 128}, 16, 16, 1, {8, 8, 1}),
    intra_block_split_k(i, {16, 64, 64}, 16, 16, 1, {4, 4, 1}),
    intra_block_split_k(i, {16, 64, 64}, 16, 16, 1, {2, 2, 1}),
};
template <Matrix i>
inline constexpr auto intra_block_split_k_rows<Direction::backward_data, i> = std::array{
    intra_block_split_k(i, {16, 32, 1024}, 16, 32, 8, {8, 4, 1}),
    intra_block_split_k(i, {16, 16, 256}, 16, 16, 8, {2, 2, 1}),
    intra_block_split_k(i, {16, 16, 256}, 16, 16, 8, {1, 1, 1}),
    intra_block_split_k(i, {16, 64, 64}, 16, 32, 1, {4, 4, 1}),
    intra_block_split_k(i, {16, 64, 64}, 16, 16, 1, {2, 2, 1}),
};
/// Few pixels; and few channels of many pixels, if a tile has all of dW: 16 to 16 channels with 128
/// images of 112x112 0.029 ms instead of 0.078, 40 to 40 at 56x56 0.024 instead of 0.039.
template <Matrix i>
inline constexpr auto intra_block_split_k_rows<Direction::backward_weight, i> = std::array{
    // few pixels
    intra_block_split_k(i, {16, 16, 128}, 16, 16, 8, {2, 2, 1}),
    intra_block_split_k(i, {16, 16, 128}, 16, 16, 8, {1, 1, 1}),
    // many pixels
    intra_block_split_k(i, {16, 16, 256}, 16, 16, 8, {2, 2, 1}, 4),
    intra_block_split_k(i, {16, 32, 256}, 16, 32, 8, {2, 4, 1}, 4),
    intra_block_split_k(i, {32, 32, 128}, 32, 32, 4, {4, 4, 1}, 5),
    intra_block_split_k(i, {32, 64, 64}, 32, 64, 4, {4, 4, 1}, 3),
    intra_block_split_k(i, {48, 48, 64}, 48, 48, 4, {2, 2, 1}, 3),
    // few or odd outputs: 64 to 1 channels, 32 images of 128x128, 0.021 ms instead of 0.031
    intra_block_split_k(i, {16, 64, 128}, 16, 64, 4, {1, 8, 1}, 4),
};
/// Few channels of many pixels, channels first. On an H200, f16: 16 to 16 channels, 256 images of
/// 112x112, 0.056 ms instead of 0.162; 32 to 16, 128 images, 0.044 instead of 0.078; 96 to 24,
/// 56x56, 0.031 instead of 0.042.
template <Matrix i>
inline constexpr auto intra_block_split_k_channels_first = std::array{
    make_channels_first(i, {16, 16, 256}, 16, 16, 8, 8, 4),
    make_channels_first(i, {16, 32, 512}, 16, 32, 8, 8, 2),
    make_channels_first(i, {32, 32, 256}, 32, 32, 8, 8, 2),
    make_channels_first(i, {48, 48, 128}, 48, 48, 4, 8, 3),
    make_channels_first(i, {32, 96, 128}, 32, 48, 4, 8, 2),
    make_channels_first(i, {96, 32, 128}, 48, 32, 4, 8, 2),
    make_channels_first(i, {32, 32, 128}, 32, 32, 8, 4, 2),
    make_channels_first(i, {48, 48, 64}, 48, 48, 4, 4, 3),
};

} // namespace ck::tables
