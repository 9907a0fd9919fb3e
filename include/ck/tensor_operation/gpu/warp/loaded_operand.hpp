#pragma once
// What a lane loads of an operand of a wave's matrix instructions straight from memory. The order
// of the reduction is free, and so is that of a wave's lines (A's rows, B's columns), so both are
// numbered anew: a vector of neighbours in memory is one lane's, whichever way it lies.
#include "ck/arch/memory.hpp"
#include "ck/tensor_operation/gpu/warp/pixel_lanes.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"

namespace ck::warp {

/// Lanes that have different lines of an instruction's operand, and lanes that have different parts
/// of its reduction.
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

/// A matrix in memory; a line's elements lie along the reduction.
struct LoadedMatrix
{
    arch::offset_t line_bytes;  ///< from a line to the next
    arch::offset_t depth_bytes; ///< from an element of a line to the next
    index_t lines;

    /// Where an element of a line is, in bytes; step: from an element to the next.
    CK_DEVICE CK_INLINE arch::offset_t in_line(index_t element, arch::offset_t step) const
    {
        return static_cast<arch::offset_t>(element) * step;
    }
};
/// The same of channels of several images, each a plane of neighbouring pixels: a line goes through
/// the planes of a channel.
struct LoadedPlanes : LoadedMatrix
{
    arch::offset_t image_bytes; ///< from an image to the next
    Divisor pixels;             ///< of an image

    CK_DEVICE CK_INLINE arch::offset_t in_line(index_t element, arch::offset_t step) const
    {
        const index_t image = quotient(element, pixels);
        return static_cast<arch::offset_t>(image) * image_bytes +
               static_cast<arch::offset_t>(element - image * pixels.value) * step;
    }
};

/// A lane's part of `lines` of its lines and `depth` elements of each. vector: elements of a load,
/// neighbours of a line (along_depth) or of neighbouring lines. order: neighbours of a line that
/// are one lane's.
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

    /// Bytes from an element to the next, known where they are neighbours.
    template <bool in_vectors>
    CK_DEVICE CK_INLINE static constexpr arch::offset_t step(arch::offset_t bytes)
    {
        return in_vectors && vector > 1 ? arch::offset_t{sizeof(T)} : bytes;
    }

public:
    /// Loads what there is from line `line` and element `first` on; zeros elsewhere. end: of the
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

    /// The number-th element of a lane's line-th line.
    CK_DEVICE CK_INLINE T element(index_t line, index_t number) const
    {
        return along_depth ? loaded_[number / vector][line][number % vector]
                           : loaded_[number][line / vector][line % vector];
    }

    /// Lines that are neighbours in memory, of those that a lane has.
    static constexpr index_t neighbours = along_depth ? lines : vector;

    /// Which of the wave's lines the number-th of a part is.
    CK_HOST_DEVICE static constexpr index_t place(index_t number, index_t part)
    {
        constexpr PixelParts line_parts{parts.lines};
        return line_parts.place(part, number, neighbours);
    }
    /// The wave's line that is number `line` of an instruction's tile. of_lane: lines that a lane
    /// has of each tile.
    CK_HOST_DEVICE static constexpr index_t
    place_in_tile(index_t tile, index_t line, index_t of_lane)
    {
        return place(tile * of_lane + line / parts.lines, line % parts.lines);
    }
};

} // namespace ck::warp
