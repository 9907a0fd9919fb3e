#pragma once
// What sliding-window kernels share: positions of rows, and a thread's part of them. Windows of z
// by y by x taps move over A, which is X or dY; C has a plane, a row and a column for each
// window.
#include "ck/arch/memory.hpp"
#include "ck/arch/target.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>
#include <type_traits>

namespace ck::grid {

/// What is wrong with the windows of a tuning's threads; empty if it is valid.
constexpr const char* why_no_window_of_threads(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    if(t.reduction != Reduction::merged || instruction_of(t).requirement != arch::Requirement::none)
        return "kernels of sliding windows see groups as one, and have no matrix instruction";
    const Window& w = t.window;
    if(w.z <= 0 || w.y <= 0 || w.x <= 0 || w.columns <= 0 || w.stride <= 0 || w.vector <= 0)
        return "a sliding window has positive lengths and a positive stride";
    if(w.stages < 1)
        return "a thread of sliding windows has the rows of a step: one stage or more";
    if(t.block_tile.n % w.vector != 0 || block_size(t) * w.vector < t.block_tile.n)
        return "a block of sliding windows has a thread for each vector of its groups";
    return nullptr;
}

/// The rows of a convolution with sliding windows. Planes, rows and columns are an image's z, y and
/// x; in a 1D convolution the pixels are the rows, with one column.
struct WindowGeometry
{
    struct Image
    {
        index_t planes, rows, columns;                ///< lengths
        index_t plane_bytes, row_bytes, column_bytes; ///< distances from one to the next
        index_t channel_bytes, image_bytes;           ///< bytes from one to the next
    };

    Image a, c;
    index_t groups; ///< groups of a block
    /// Position in A of the window of C's first plane, row and column.
    index_t first_plane, first_row, first_column;
    index_t filter_first; ///< elements from the filter's first to the window's first tap
    index_t filter_group, filter_plane, filter_row, filter_column; ///< distances to the next
    Divisor column_segments;
    Divisor row_segments;
    Divisor planes;       ///< planes of C
    index_t segment_rows; ///< rows of C in a segment, the last one may have fewer
};

/// Returns the byte offset of `count` rows, columns, channels or images.
CK_HOST_DEVICE CK_INLINE arch::offset_t window_bytes(index_t count, index_t bytes)
{
    return static_cast<arch::offset_t>(count) * static_cast<arch::offset_t>(bytes);
}

/// A thread computes a vector of groups in segments of C, `columns` wide, from top to bottom.
template <GemmTuning tuning>
struct SlidingWindow
{
    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    static constexpr index_t vector  = tuning.window.vector;
    static constexpr index_t taps_z  = tuning.window.z;
    static constexpr index_t taps_y  = tuning.window.y;
    static constexpr index_t taps_x  = tuning.window.x;
    static constexpr index_t stride  = tuning.window.stride;
    static constexpr index_t columns = tuning.window.columns; ///< columns of C per thread
    /// Columns of A in the windows of a thread's columns.
    static constexpr index_t line = (columns - 1) * stride + taps_x;
    /// The most rows of C whose windows share a row of A.
    static constexpr index_t live = (taps_y + stride - 1) / stride;
    /// Number of steps whose rows of A a thread holds or waits for. A step adds the rows that a row
    /// of C does not share with the previous one.
    static constexpr index_t stages   = tuning.window.stages;
    static constexpr index_t buffers  = math::max(stages, 2); ///< buffers of rows in registers
    static constexpr index_t prefetch = buffers - 1;          ///< steps by which loads lead
    static constexpr bool moves       = stages == 1;          ///< rows, from buffer 1 to 0
    /// The buffer of a step, counted within its period; the buffer of the step that is loaded
    /// meanwhile.
    static constexpr index_t buffer(index_t step) { return moves ? 0 : step % buffers; }
    static constexpr index_t next_buffer(index_t step)
    {
        return moves ? 1 : (step + prefetch) % buffers;
    }
    /// Steps after which sums and rows of A are in the same registers again.
    static constexpr index_t period = math::integer_least_multiple(live, stages);

    /// Calls f(0) to f(count - 1). Inlines if nvcc 13 or clang 22 would call the lists for 7x7 and
    /// 3x3x3; other sizes take fewer registers without.
    template <index_t count, class F>
    CK_DEVICE CK_INLINE static void each(F&& f)
    {
        if constexpr(moves || taps_z > 1)
            repeat_in_place<count>(f);
        else
            repeat<count>(f);
    }

    /// Threads per vector of a block's groups; each computes segments of its own.
    CK_HOST_DEVICE static constexpr index_t segment_threads(index_t groups)
    {
        return block_size / (groups / vector);
    }
};

/// A segment of an image: its first plane, row and column of C.
struct WindowSegment
{
    index_t image, plane, row, column;
    index_t rows; ///< rows of C

    /// Segment `number`, `width` columns wide.
    CK_DEVICE CK_INLINE WindowSegment(const WindowGeometry& g, index_t number, index_t width)
    {
        column = split_off(number, g.column_segments) * width;
        row    = split_off(number, g.row_segments) * g.segment_rows;
        plane  = split_off(number, g.planes);
        image  = number;
        rows   = math::min(g.segment_rows, g.c.rows - row);
    }
};

/// Elements that wait in registers, as words where they fill some.
template <class T, index_t n>
class Waiting
{
    using Elements                 = Vector<T, n>;
    static constexpr index_t bytes = n * static_cast<index_t>(sizeof(T));
    static constexpr index_t words = bytes % 4 == 0 ? bytes / 4 : 0;
    /// Whether two elements of one byte wait in half a word.
    static constexpr bool in_part = bytes == 2 && n == 2;
    std::conditional_t<
        in_part,
        std::uint32_t,
        std::conditional_t<(words > 0), Vector<std::uint32_t, math::max(words, 1)>, Elements>>
        value_;

public:
    CK_DEVICE CK_INLINE void operator=(const Elements& elements)
    {
        if constexpr(in_part)
            value_ = __builtin_bit_cast(std::uint16_t, elements);
        else
            value_ = __builtin_bit_cast(decltype(value_), elements);
    }
    CK_DEVICE CK_INLINE Elements elements() const
    {
        if constexpr(in_part)
            return __builtin_bit_cast(Elements,
                                      static_cast<std::uint16_t>(arch::undivided_word(value_)));
        else
        {
            auto value = value_;
            repeat<words>([&](index_t i) { value[i] = arch::undivided_word(value[i]); });
            return __builtin_bit_cast(Elements, value);
        }
    }
};

/// The positions of the rows of A in a segment's windows.
template <GemmTuning tuning>
class WindowRows : SlidingWindow<tuning>
{
    using Windows = SlidingWindow<tuning>;
    using Windows::taps_z, Windows::stride, Windows::line, Windows::vector;

public:
    /// The rows of a step: `stride` in each of the windows' planes.
    template <class A>
    using Step = Waiting<A, vector>[taps_z][stride][line];

    CK_DEVICE CK_INLINE WindowRows(const WindowGeometry& g,
                                   const WindowSegment& segment,
                                   index_t channel)
        : first_row_(segment.row * stride + g.first_row)
    {
        const arch::offset_t from =
            window_bytes(segment.image, g.a.image_bytes) + window_bytes(channel, g.a.channel_bytes);
        repeat<line>([&](index_t i) {
            const index_t column = segment.column * stride + g.first_column + i;
            at_[i]               = column >= 0 && column < g.a.columns
                                       ? from + window_bytes(column, g.a.column_bytes)
                                       : arch::nowhere;
        });
        repeat<taps_z>([&](index_t z) {
            const index_t plane = segment.plane + g.first_plane + z;
            exists_[z]          = plane >= 0 && plane < g.a.planes;
            plane_[z]           = window_bytes(plane, g.a.plane_bytes);
        });
    }

    /// Loads the rows of a step; zeros where there are none, and from step `steps` on.
    template <class A>
    CK_DEVICE CK_INLINE void load(Step<A>& to,
                                  const arch::GlobalView<const A>& from,
                                  const WindowGeometry& g,
                                  index_t step,
                                  index_t steps) const
    {
        repeat<stride>([&](index_t j) {
            const index_t row = first_row_ + step * stride + j;
            const bool here   = step < steps && row >= 0 && row < g.a.rows;
            repeat<taps_z>([&](index_t z) {
                const bool inside         = here && exists_[z];
                const arch::offset_t down = window_bytes(row, g.a.row_bytes) + plane_[z];
                repeat<line>([&](index_t i) {
                    to[z][j][i] =
                        from.template load<vector>(inside ? at_[i] + down : arch::nowhere);
                });
            });
        });
    }

    /// Moves the rows of a step.
    template <class A>
    CK_DEVICE CK_INLINE static void move(Step<A>& to, const Step<A>& from)
    {
        repeat<taps_z>([&](index_t z) {
            repeat<stride>(
                [&](index_t j) { repeat<line>([&](index_t i) { to[z][j][i] = from[z][j][i]; }); });
        });
    }

private:
    index_t first_row_;
    arch::offset_t at_[line];
    arch::offset_t plane_[taps_z];
    bool exists_[taps_z];
};

} // namespace ck::grid
