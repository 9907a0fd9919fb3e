#pragma once
// Images of few channels (Pipeline::first_layer), with the matrix instructions of any engine.
#include "ck/tensor_operation/gpu/warp/pixel_lanes.hpp"

#include "tables/rows.hpp"

namespace ck::tables {

/// Pipeline::first_layer: pixels of up to `pixel_channels` channels, filters of up to `rows` rows
/// of block_tile.k / pixel_channels taps, and `pixels` of X for each tile. a_vector: 1 or
/// pixel_channels.
constexpr GemmTuning first_layer(Matrix i,
                                 Tile block_tile,
                                 index_t wave_m,
                                 index_t wave_n,
                                 index_t pixel_channels,
                                 index_t rows,
                                 index_t pixels,
                                 index_t a_vector,
                                 index_t blocks)
{
    return {.block_tile        = block_tile,
            .wave_m            = wave_m,
            .wave_n            = wave_n,
            .instruction       = i,
            .a_vector          = a_vector,
            .b_vector          = 1,
            .c_vector          = warp::widest_vector(warp::stored_pixels(i), wave_n),
            .pipeline          = Pipeline::first_layer,
            .min_blocks_per_cu = blocks,
            .window            = {.y = rows, .columns = pixels, .vector = pixel_channels}};
}

/// The same for filters whose rows have up to `pixel_channels` elements, channels and taps
/// together; so do pixels in LDS. `planes`: of the filter.
constexpr GemmTuning first_layer_of_rows(Matrix i,
                                         Tile block_tile,
                                         index_t wave_m,
                                         index_t wave_n,
                                         index_t pixel_channels,
                                         index_t planes,
                                         index_t pixels,
                                         index_t blocks)
{
    GemmTuning t =
        first_layer(i, block_tile, wave_m, wave_n, pixel_channels, planes, pixels, 1, blocks);
    t.window.whole_rows = true;
    return t;
}

/// The same as first_layer for backward weight: `slices` waves share a tile's pixels of dY; pixels
/// of X have up to `pixel_channels` channels, and each tile has `pixels` of them. b_vector: 1 or
/// pixel_channels.
constexpr GemmTuning first_layer_weight(Matrix i,
                                        Tile block_tile,
                                        index_t wave_n,
                                        index_t slices,
                                        index_t pixel_channels,
                                        index_t pixels,
                                        index_t b_vector,
                                        index_t blocks)
{
    return {.block_tile        = block_tile,
            .wave_m            = block_tile.m,
            .wave_n            = wave_n,
            .instruction       = i,
            .a_vector          = 8,
            .b_vector          = b_vector,
            .c_vector          = 1,
            .pipeline          = Pipeline::first_layer,
            .min_blocks_per_cu = blocks,
            .window            = {.columns = pixels, .vector = pixel_channels},
            .sliced            = {slices}};
}

} // namespace ck::tables
