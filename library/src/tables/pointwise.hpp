#pragma once
// 1x1 layers of few channels (Pipeline::pointwise), by the matrix instructions of any engine.
#include "ck/tensor_operation/gpu/warp/pixel_lanes.hpp"

#include "tables/rows.hpp"

namespace ck::tables {

/// Up to k channels of the reduction and n columns; pixels: of a wave, at a time; blocks: of four
/// waves, on a compute unit. Vectors are the widest that each of a pixel's lanes has whole.
constexpr GemmTuning pointwise(Matrix i, index_t k, index_t n, index_t pixels, index_t blocks)
{
    const auto widest = [](index_t elements, const warp::LanePixels& lanes) {
        index_t vector = 8;
        while(elements % (vector * lanes.of_each.parts) != 0)
            vector /= 2;
        return vector;
    };
    return {.block_tile        = {4 * pixels, n, k},
            .wave_m            = pixels,
            .wave_n            = n,
            .instruction       = i,
            .a_vector          = widest(k, warp::loaded_pixels(i)),
            .b_vector          = 1,
            .c_vector          = widest(n, warp::stored_pixels(i)),
            .pipeline          = Pipeline::pointwise,
            .min_blocks_per_cu = blocks};
}

} // namespace ck::tables
