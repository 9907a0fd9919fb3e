#pragma once
// A lane's part of a matrix instruction's operand, loaded straight from memory. The order of the
// reduction and of a wave's lines (A's rows, B's columns) is free. Both are renumbered so that each
// vector of contiguous elements belongs to one lane, in either direction.
#include "ck/arch/memory.hpp"
#include "ck/tensor_operation/gpu/warp/pixel_lanes.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"

namespace ck::warp {

/// Number of lanes with different lines of an instruction's operand, and with different parts of
/// its reduction.
struct LoadedParts
{
    index_t lines, depth;
};
constexpr LoadedParts loaded_parts_a(arch::Matrix id)
{
    const LanePixels lanes = loaded_pixels(id);
    return {arch::describe(id).m / lanes.pixels, lanes.of_each.parts};
}
/// A lane has one line of B for each instruction.
constexpr LoadedParts loaded_parts_b(arch::Matrix id)
{
    return {arch::describe(id).n, loaded_pixels(id).of_each.parts};
}

/// A matrix in memory. The elements of a line lie along the reduction.
struct LoadedMatrix
{
    arch::offset_t line_bytes;  ///< from a line to the next
    arch::offset_t depth_bytes; ///< from an element of a line to the next
    index_t lines;

    /// Byte offset of an element in a line; step: bytes between elements.
    CK_DEVICE CK_INLINE arch::offset_t in_line(index_t element, arch::offset_t step) const
    {
        return static_cast<arch::offset_t>(element) * step;
    }
};
/// The same for channels of several images, each a plane of contiguous pixels: a line goes through
/// the planes of a channel.
struct LoadedChannelsFirst : LoadedMatrix
{
    arch::offset_t image_bytes; ///< from an image to the next
    Divisor pixels;             ///< pixels of an image

    CK_DEVICE CK_INLINE arch::offset_t in_line(index_t element, arch::offset_t step) const
    {
        const index_t image = quotient(element, pixels);
        return static_cast<arch::offset_t>(image) * image_bytes +
               static_cast<arch::offset_t>(element - image * pixels.value) * step;
    }
};

/// A lane's part: `lines` of its lines and `depth` elements of each. vector: elements per load,
/// along a line (along_depth) or across adjacent lines. order: adjacent lines that belong to one
/// lane.
template <class T,
          LoadedParts parts,
          bool along_depth,
          index_t lines,
          index_t depth,
          index_t vector,
          index_t order>
class LoadedOperand
{
    static_assert(depth % order == 0 && order % (along_depth ? vector : 1) == 0 &&
                      lines % (along_depth ? 1 : vector) == 0,
                  "a lane has whole vectors");

    static constexpr index_t loads_of_line = along_depth ? depth / vector : depth, ///< or of lines
        line_loads                         = along_depth ? lines : lines / vector;

    Vector<T, vector> loaded_[loads_of_line][line_loads];

    /// Bytes between elements, a constant if they are contiguous.
    template <bool in_vectors>
    CK_DEVICE CK_INLINE static constexpr arch::offset_t step(arch::offset_t bytes)
    {
        return in_vectors && vector > 1 ? arch::offset_t{sizeof(T)} : bytes;
    }

public:
    /// Loads from line `line` and element `first` on; zeros past the end. end: of the
    /// reduction.
    template <class Matrix>
    CK_DEVICE CK_INLINE void load(const arch::GlobalView<const T>& from,
                                  const Matrix& m,
                                  index_t line,
                                  index_t first,
                                  index_t end,
                                  index_t line_part,
                                  index_t depth_part)
    {
        repeat<line_loads>([&](index_t i) {
            const index_t of_line = line + place(i * (along_depth ? 1 : vector), line_part);
            const arch::offset_t start =
                static_cast<arch::offset_t>(of_line) * step<!along_depth>(m.line_bytes);
            repeat<loads_of_line>([&](index_t n) {
                constexpr PixelParts depths{parts.depth};
                const index_t at =
                    first + depths.place(depth_part, n * (along_depth ? vector : 1), order);
                loaded_[n][i] = from.template load<vector>(
                    ((of_line < m.lines) & (at < end))
                        ? start + m.in_line(at, step<along_depth>(m.depth_bytes))
                        : arch::nowhere);
            });
        });
    }

    /// Element `number` of the lane's line `line`.
    CK_DEVICE CK_INLINE T element(index_t line, index_t number) const
    {
        return along_depth ? loaded_[number / vector][line][number % vector]
                           : loaded_[number][line / vector][line % vector];
    }

    /// Number of the lane's lines that are adjacent in memory.
    static constexpr index_t neighbours = along_depth ? lines : vector;

    /// The wave's line of line `number` in a part.
    CK_HOST_DEVICE static constexpr index_t place(index_t number, index_t part)
    {
        constexpr PixelParts line_parts{parts.lines};
        return line_parts.place(part, number, neighbours);
    }
    /// The wave's line of line `line` in an instruction's tile. of_lane: lines that a lane has in
    /// each tile.
    CK_HOST_DEVICE static constexpr index_t
    place_in_tile(index_t tile, index_t line, index_t of_lane)
    {
        return place(tile * of_lane + line / parts.lines, line % parts.lines);
    }
};

} // namespace ck::warp
