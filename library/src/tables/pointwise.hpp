#pragma once
// 1x1 layers of few channels (Pipeline::pointwise), with the matrix instructions of any engine.
#include "ck/tensor_operation/gpu/warp/pixel_lanes.hpp"

#include "tables/rows.hpp"

namespace ck::tables {

/// Up to k channels of the reduction and n columns; pixels: of a wave at a time; blocks: of four
/// waves, on a compute unit. Vectors are the widest that fit each lane's part of a pixel.
constexpr GemmTuning pointwise(Matrix i, index_t k, index_t n, index_t pixels, index_t blocks)
{
    return {.block_tile        = {4 * pixels, n, k},
            .wave_m            = pixels,
            .wave_n            = n,
            .instruction       = i,
            .a_vector          = warp::widest_vector(warp::loaded_pixels(i), k),
            .b_vector          = 1,
            .c_vector          = warp::widest_stored(i, n),
            .pipeline          = Pipeline::pointwise,
            .min_blocks_per_cu = blocks};
}

/// The same with columns stored one by one.
constexpr GemmTuning pointwise_last(Matrix i, index_t k, index_t n, index_t pixels, index_t blocks)
{
    GemmTuning t = pointwise(i, k, n, pixels, blocks);
    t.c_vector   = 1;
    return t;
}

/// The same for planes of pixels (Pipeline::pointwise_channels_first). Other blocks compute
/// channels of C beyond n. vector: pixels in a load; waves: in a block, which share the filters.
constexpr GemmTuning pointwise_channels_first(
    Matrix i, index_t k, index_t n, index_t vector, index_t blocks, index_t waves = 4)
{
    const index_t pixels = arch::describe(i).n * vector;
    return {.block_tile        = {waves * pixels, n, k},
            .wave_m            = pixels,
            .wave_n            = n,
            .instruction       = i,
            .a_vector          = 1,
            .b_vector          = 1,
            .c_vector          = 1,
            .pipeline          = Pipeline::pointwise_channels_first,
            .min_blocks_per_cu = blocks,
            .channels_first    = {.vector = vector}};
}

} // namespace ck::tables
