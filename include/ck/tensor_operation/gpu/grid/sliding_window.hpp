#pragma once
// What the kernels of sliding windows share: where rows lie, and how much of them a thread has.
// Windows of y by x taps lie on A, which is X or dY; C has a row and a column for each of them.
#include "ck/arch/memory.hpp"
#include "ck/arch/target.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/utility/magic_division.hpp"

namespace ck::grid {

/// What is wrong with the windows of a tuning's threads; empty if nothing is.
constexpr const char* why_no_window_of_threads(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    if(t.reduction != Reduction::merged || instruction_of(t).requirement != arch::Requirement::none)
        return "kernels of sliding windows see groups as one, and have no matrix instruction";
    const Window& w = t.window;
    if(w.y <= 0 || w.x <= 0 || w.columns <= 0 || w.stride <= 0 || w.vector <= 0)
        return "a sliding window has positive lengths and a positive stride";
    if(t.block_tile.n % w.vector != 0 || block_size(t) * w.vector < t.block_tile.n)
        return "a block of sliding windows has a thread for each vector of its groups";
    return nullptr;
}

/// Where the rows of a convolution with sliding windows lie. Rows and columns are those of an
/// image, y and x; of a 1D convolution the pixels are the rows, of one column.
struct WindowGeometry
{
    struct Image
    {
        index_t rows, columns;              ///< lengths
        index_t row_bytes, column_bytes;    ///< from one to the next
        index_t channel_bytes, image_bytes; ///< likewise
    };

    Image a, c;
    index_t groups;                  ///< of a block
    index_t first_row, first_column; ///< of A, in the window of C's first row and column
    index_t filter_first;            ///< elements from the filter's first to the window's first tap
    index_t filter_group, filter_row, filter_column; ///< elements from one to the next
    Divisor column_strips;
    Divisor row_strips;
    index_t strip_rows; ///< rows of C in a strip, the last one may have fewer
};

/// Returns the byte offset of `count` rows, columns, channels or images.
CK_DEVICE CK_INLINE arch::offset_t window_bytes(index_t count, index_t bytes)
{
    return static_cast<arch::offset_t>(count) * static_cast<arch::offset_t>(bytes);
}

/// A thread computes a vector of groups in strips of C, `columns` wide, from top to bottom.
template <GemmTuning tuning>
struct SlidingWindow
{
    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    static constexpr index_t vector  = tuning.window.vector;
    static constexpr index_t taps_y  = tuning.window.y;
    static constexpr index_t taps_x  = tuning.window.x;
    static constexpr index_t stride  = tuning.window.stride;
    static constexpr index_t columns = tuning.window.columns; ///< of C, of a thread
    /// Columns of A in the windows of a thread's columns.
    static constexpr index_t line = (columns - 1) * stride + taps_x;
    /// Rows of C whose windows have a row of A, at the most.
    static constexpr index_t live = (taps_y + stride - 1) / stride;

    /// Threads of a block for each vector of its groups, each with strips of its own.
    CK_HOST_DEVICE static constexpr index_t walkers(index_t groups)
    {
        return block_size / (groups / vector);
    }
};

} // namespace ck::grid
