// The lines of X that a slice of output pixels meets with a row of taps.
#include "ck/tensor_operation/gpu/grid/gridwise_tap_row_conv.hpp"

#include <gtest/gtest.h>

namespace ck::grid {
namespace {

/// Of rows of all even lengths: a pixel's line is that of its place among the lines of whole rows,
/// and none lies beyond the slice's.
TEST(TapRowLines, are_those_of_whole_rows)
{
    for(index_t row = 2; row <= 80; row += 2)
    {
        const TapRowLines x = TapRowLines::make(row);
        EXPECT_EQ(x.span(), row + 2);
        EXPECT_EQ(x.lines % 8, 0);
        for(index_t slice = 0; slice < 3 * row; ++slice)
        {
            const index_t first = slice * TapRowLines::pixels;
            for(index_t i = 0; i < TapRowLines::pixels; ++i)
            {
                const index_t line = x.line(first % row, i), pixel = first + i;
                EXPECT_EQ(first / row * x.span() + first % row + line,
                          pixel / row * x.span() + pixel % row);
                EXPECT_LE(line + TapRowLines::taps, x.lines);
                EXPECT_EQ(line % 2, i % 2);
            }
        }
    }
    EXPECT_EQ(TapRowLines::make(56).lines, 40);
    EXPECT_EQ(TapRowLines::make(2).lines, 64);
}

} // namespace
} // namespace ck::grid
