#pragma once
// The lines of X that one slice of output pixels meets with a row of a filter.
#include "ck/utility/integer.hpp"
#include "ck/utility/magic_division.hpp"

#include <cstdint>

namespace ck {

/// The lines of X that 32 output pixels in a row meet with three neighbouring taps, of stride and
/// dilation 1 in x: those of whole rows of windows follow each other, from the first pixel of the
/// first tap to the last of the last.
struct FilterRowLines
{
    Divisor row;              ///< output pixels in x, an even number
    index_t lines;            ///< of a slice, a multiple of 8
    std::uint32_t multiplier; ///< 2^32 over the row, rounded up
    index_t advance;          ///< pixels to where the next slice begins, or to a row after that

    static constexpr index_t pixels = 32, taps = 3;
    static constexpr index_t longest_row = 1 << 15; ///< that rows() can divide by

    static constexpr FilterRowLines make(long_index_t row)
    {
        FilterRowLines r{};
        r.row        = make_divisor(static_cast<index_t>(row));
        r.multiplier = static_cast<std::uint32_t>(((1ll << 32) + row - 1) / row);
        r.advance    = pixels % r.row.value;
        // The pixels may begin with a row's last two.
        r.lines = math::integer_least_multiple(r.line(r.row.value - 2, pixels - 1) + taps, 8);
        return r;
    }

    /// Lines of a row.
    CK_HOST_DEVICE constexpr index_t span() const { return row.value + taps - 1; }
    /// Lines from the first tap of the pixel `column` of a row to that of the pixel `number` pixels
    /// on.
    CK_HOST_DEVICE constexpr index_t line(index_t column, index_t number) const
    {
        return number + rows(column + number) * (taps - 1);
    }
    /// Whole rows before a pixel, counted from the start of the row that a slice begins in. Exact
    /// below 2^32 / row pixels: rounded up, the multiplier is less than 1 too large.
    CK_HOST_DEVICE CK_INLINE constexpr index_t rows(index_t pixel) const
    {
        const auto n = static_cast<std::uint64_t>(static_cast<std::uint32_t>(pixel));
        return static_cast<index_t>(n * multiplier >> 32);
    }
    /// Where in its row the slice after one begins.
    CK_HOST_DEVICE CK_INLINE constexpr index_t next(index_t column) const
    {
        column += advance;
        return column - (column >= row.value ? row.value : 0);
    }
};

} // namespace ck
