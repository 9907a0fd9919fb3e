#pragma once
// The pixels of X (lines) that a slice of output pixels reads with one filter row.
#include "ck/utility/integer.hpp"
#include "ck/utility/magic_division.hpp"

#include <cstdint>

namespace ck {

/// The lines (pixels) of X that 32 consecutive output pixels read with three adjacent taps, with
/// stride and dilation 1 in x. Rows of windows follow each other; each goes from the first tap of
/// the first pixel to the last tap of the last pixel.
struct FilterRowLines
{
    Divisor row;              ///< output pixels in x, even
    index_t lines;            ///< lines per slice, a multiple of 8
    std::uint32_t multiplier; ///< 2^32 over the row, rounded up
    index_t advance;          ///< pixels from a slice to the next, or to a row after that

    static constexpr index_t pixels = 32, taps = 3;
    static constexpr index_t longest_row = 1 << 15; ///< the longest that rows() can divide by

    static constexpr FilterRowLines make(long_index_t row)
    {
        FilterRowLines r{};
        r.row        = make_divisor(static_cast<index_t>(row));
        r.multiplier = static_cast<std::uint32_t>(((1ll << 32) + row - 1) / row);
        r.advance    = pixels % r.row.value;
        // A slice may begin with the last two pixels of a row.
        r.lines = math::integer_least_multiple(r.line(r.row.value - 2, pixels - 1) + taps, 8);
        return r;
    }

    /// Lines of a row.
    CK_HOST_DEVICE constexpr index_t span() const { return row.value + taps - 1; }
    /// Lines from the first tap of pixel `column` of a row to the first tap of the pixel `number`
    /// pixels later.
    CK_HOST_DEVICE constexpr index_t line(index_t column, index_t number) const
    {
        return number + rows(column + number) * (taps - 1);
    }
    /// Whole rows before a pixel, counted from the start of the row in which a slice begins. Exact
    /// below 2^32 / row pixels, because the rounded-up multiplier is less than 1 too large.
    CK_HOST_DEVICE CK_INLINE constexpr index_t rows(index_t pixel) const
    {
        const auto n = static_cast<std::uint64_t>(static_cast<std::uint32_t>(pixel));
        return static_cast<index_t>(n * multiplier >> 32);
    }
    /// The position in its row at which the next slice begins.
    CK_HOST_DEVICE CK_INLINE constexpr index_t next(index_t column) const
    {
        column += advance;
        return column - (column >= row.value ? row.value : 0);
    }
};

} // namespace ck
