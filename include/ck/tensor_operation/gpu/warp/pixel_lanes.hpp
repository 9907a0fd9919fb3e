#pragma once
// Multiplies pixels by filters in a wave without LDS in between. Pixels are the rows of a matrix
// instruction: lanes load its first operand directly and store its result directly. The order of
// the reduction and of the columns is free, so both are renumbered: a lane's values for several
// instructions are contiguous in memory.
#include "ck/arch/matrix.hpp"
#include "ck/tensor_operation/gpu/warp/fragment.hpp"

namespace ck::warp {

/// A lane's part of a pixel's channels or columns in one instruction. The lanes that share a pixel
/// have equal parts.
struct PixelParts
{
    index_t parts  = 1; ///< lanes that share a pixel
    index_t values = 1; ///< values of a lane
    index_t step   = 0; ///< the first one of each part = part * step; 0: there is one part

    CK_HOST_DEVICE constexpr index_t part(index_t number) const
    {
        return parts == 1 ? 0 : number / step % parts;
    }
    /// The index of a channel or column in its part.
    CK_HOST_DEVICE constexpr index_t ordinal(index_t number) const
    {
        return parts == 1 ? number : number % step + number / (step * parts) * step;
    }
    /// Position in memory of value `number` of a part, counted through all instructions. Each
    /// vector in memory belongs to one part.
    CK_HOST_DEVICE constexpr index_t place(index_t part, index_t number, index_t vector) const
    {
        return (number / vector * parts + part) * vector + number % vector;
    }
};

/// A lane's pixels in an instruction: `pixels` of them, `step` apart.
struct LanePixels
{
    index_t pixels = 1, step = 0;
    PixelParts of_each;
};

constexpr LanePixels lane_pixels(const FragmentLayout& f)
{
    return {f.rows, f.row_step, {f.groups, f.k_values, f.k_step}};
}
/// A lane's loads: pixels of the first operand, and channels of each.
constexpr LanePixels loaded_pixels(arch::Matrix id)
{
    const arch::MatrixInstruction i = arch::describe(id);
    return lane_pixels(fragment_layout(i.a, i.lanes, i.a_values, i.k));
}
/// A lane's stores: pixels of the result, and columns of each.
constexpr LanePixels stored_pixels(arch::Matrix id)
{
    const arch::MatrixInstruction i = arch::describe(id);
    return lane_pixels(fragment_layout(i.c, i.lanes, i.c_values, i.n));
}

/// Whether every lane that shares a pixel has whole vectors of this length.
constexpr bool have_whole_vectors(LanePixels lanes, index_t elements, index_t vector)
{
    return vector > 0 && elements % (vector * lanes.of_each.parts) == 0;
}
/// The longest possible vector, up to 8 elements.
constexpr index_t widest_vector(LanePixels lanes, index_t elements)
{
    index_t vector = 8;
    while(vector > 1 && !have_whole_vectors(lanes, elements, vector))
        vector /= 2;
    return vector;
}

/// Whether stored pixels go through LDS. With WMMA they do: a lane has one column of eight pixels,
/// so sixteen adjacent lanes would store 32 bytes.
constexpr bool stages_pixels(arch::Matrix id)
{
    return arch::is_wmma(arch::describe(id).requirement);
}
/// Whether the lanes store rows of this many columns in whole vectors.
constexpr bool store_whole_vectors(arch::Matrix id, index_t columns, index_t vector)
{
    const arch::MatrixInstruction i = arch::describe(id);
    return stages_pixels(id)
               ? vector > 0 && columns % vector == 0 && i.m * (columns / vector) % i.lanes == 0
               : have_whole_vectors(stored_pixels(id), columns, vector);
}
/// The longest vector for which they do, up to 8 elements.
constexpr index_t widest_stored(arch::Matrix id, index_t columns)
{
    index_t vector = 8;
    while(vector > 1 && !store_whole_vectors(id, columns, vector))
        vector /= 2;
    return vector;
}

/// An instruction's lanes. in: their loads; out: their stores.
template <arch::Matrix id>
struct PixelLanes
{
    using Pixels  = arch::MatrixA<id>;
    using Filters = arch::MatrixB<id>;
    using Sums    = arch::MatrixC<id>;

    static constexpr index_t pixels = arch::describe(id).m, columns = arch::describe(id).n,
                             channels  = arch::describe(id).k;
    static constexpr index_t in_pixels = loaded_pixels(id).pixels, ///< pixels of a lane
        out_pixels                     = stored_pixels(id).pixels,
                             in_values = loaded_pixels(id).of_each.values, ///< values of each pixel
        out_values                     = stored_pixels(id).of_each.values;
    static_assert(in_pixels * in_values == Pixels::length &&
                      out_pixels * out_values == Sums::length,
                  "a lane's pixels are evenly spaced, and it has as much of each");

    CK_HOST_DEVICE static constexpr PixelParts in() { return loaded_pixels(id).of_each; }
    CK_HOST_DEVICE static constexpr PixelParts out() { return stored_pixels(id).of_each; }

    CK_HOST_DEVICE static constexpr index_t in_pixel(index_t lane, index_t pixel)
    {
        constexpr index_t step = loaded_pixels(id).step;
        return arch::describe(id).a(lane, 0).row + pixel * step;
    }
    CK_HOST_DEVICE static constexpr index_t out_pixel(index_t lane, index_t pixel)
    {
        constexpr index_t step = stored_pixels(id).step;
        return arch::describe(id).c(lane, 0).row + pixel * step;
    }
    CK_HOST_DEVICE static constexpr index_t in_part(index_t lane)
    {
        constexpr PixelParts parts = in();
        return parts.part(arch::describe(id).a(lane, 0).column);
    }
    CK_HOST_DEVICE static constexpr index_t out_part(index_t lane)
    {
        constexpr PixelParts parts = out();
        return parts.part(arch::describe(id).c(lane, 0).column);
    }

    /// The pixel of the v-th value that a lane loads, and the index of the value in it.
    CK_HOST_DEVICE static constexpr index_t pixel_of_value(index_t v)
    {
        constexpr index_t step = loaded_pixels(id).step;
        return in_pixels == 1 ? 0 : arch::describe(id).a(0, v).row / step;
    }
    CK_HOST_DEVICE static constexpr index_t number_of_value(index_t v)
    {
        constexpr PixelParts parts = in();
        return parts.ordinal(arch::describe(id).a(0, v).column);
    }
    /// The index among a lane's sums of the pixel's sum `number`.
    CK_HOST_DEVICE static constexpr index_t sum(index_t pixel, index_t number)
    {
        return pixel * out_values + number;
    }

    /// A lane's filters are of one column, numbered in `tile` like the sums' columns, and of the
    /// channels that lanes of the same part load.
    CK_HOST_DEVICE static constexpr index_t
    filter_column(index_t lane, index_t tile, index_t vector)
    {
        constexpr PixelParts parts = out();
        const index_t column       = arch::describe(id).b(lane, 0).row;
        return parts.place(parts.part(column), tile * out_values + parts.ordinal(column), vector);
    }
    CK_HOST_DEVICE static constexpr index_t filter_part(index_t lane)
    {
        constexpr PixelParts parts = in();
        return parts.part(arch::describe(id).b(lane, 0).column);
    }
};

} // namespace ck::warp
