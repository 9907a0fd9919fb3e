#pragma once
// How kernels that copy the pixels of a tile's windows to LDS cut an image: tiles of some rows and
// columns of C in one plane, and the pixels of A that their windows have.
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/window_plan.hpp"

namespace ck::tensor_operation::device {

/// A tile of C, and its windows.
struct TileShape
{
    index_t width = 0; ///< columns of C; 0: no tile fits
    WindowSegments segments;
    long_index_t columns = 0, rows = 0, planes = 0; ///< sizes of A's part

    long_index_t pixels() const { return columns * rows * planes; }
};

/// The shape, of `pixels` of C and at least `least_width` columns, with the fewest tiles, and of
/// these with the fewest pixels of A, which are `room` at the most, their columns a multiple of
/// `multiple`. c: lengths of C: Y, or dX of strides of 1.
inline TileShape best_tile_shape(const ConvProblem& p,
                                 const TensorLengths& c,
                                 index_t pixels,
                                 index_t least_width,
                                 index_t room,
                                 index_t multiple = 1)
{
    TileShape best;
    for(index_t width = least_width; width <= pixels; width *= 2)
    {
        if(pixels % width != 0)
            continue;
        const index_t height = pixels / width;
        const auto reach     = [&](std::size_t i, long_index_t count) {
            return (count - 1) * p.stride[i] + (p.filter[i] - 1) * p.dilation[i] + 1;
        };
        const auto segments = [&](std::size_t i, index_t length) {
            return static_cast<index_t>(math::integer_divide_ceil(c[3 + i], long_index_t{length}));
        };
        TileShape s;
        s.width    = width;
        s.columns  = math::integer_least_multiple(reach(2, width), long_index_t{multiple});
        s.rows     = reach(1, height);
        s.planes   = p.filter[0];
        s.segments = {segments(2, width), segments(1, height), height, static_cast<index_t>(c[3])};
        if(s.columns > room || s.rows > room || s.pixels() > room)
            continue;
        const auto tiles = [](const TileShape& of) { return of.segments.of_image(); };
        if(best.width == 0 || tiles(s) < tiles(best) ||
           (tiles(s) == tiles(best) && s.pixels() < best.pixels()))
            best = s;
    }
    return best;
}

} // namespace ck::tensor_operation::device
