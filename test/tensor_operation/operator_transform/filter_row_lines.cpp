// The lines of X that a slice of output pixels meets with a filter row.
#include "ck/tensor_operation/operator_transform/filter_row_lines.hpp"

#include <gtest/gtest.h>

namespace ck {
namespace {

/// Rows have all even lengths: a pixel's line is that of its place among the lines of whole rows,
/// and none lies beyond the slice's.
TEST(FilterRowLines, are_those_of_whole_rows)
{
    for(index_t row = 2; row <= 80; row += 2)
    {
        const FilterRowLines x = FilterRowLines::make(row);
        EXPECT_EQ(x.span(), row + 2);
        EXPECT_EQ(x.lines % 8, 0);
        for(index_t slice = 0, column = 0; slice < 3 * row; ++slice, column = x.next(column))
        {
            const index_t first = slice * FilterRowLines::pixels;
            EXPECT_EQ(column, first % row);
            for(index_t i = 0; i < FilterRowLines::pixels; ++i)
            {
                const index_t line = x.line(first % row, i), pixel = first + i;
                EXPECT_EQ(first / row * x.span() + first % row + line,
                          pixel / row * x.span() + pixel % row);
                EXPECT_LE(line + FilterRowLines::taps, x.lines);
                EXPECT_EQ(line % 2, i % 2);
            }
        }
    }
    EXPECT_EQ(FilterRowLines::make(56).lines, 40);
    EXPECT_EQ(FilterRowLines::make(2).lines, 64);
}

/// Rows are all that the kernel computes; a slice's first pixel is in the first row.
TEST(FilterRowLines, are_divided_by_rows_of_all_lengths)
{
    for(index_t row = 2; row <= FilterRowLines::longest_row; row += 2)
    {
        const FilterRowLines x = FilterRowLines::make(row);
        for(index_t pixel = row - 2; pixel < row + FilterRowLines::pixels; ++pixel)
            ASSERT_EQ(x.rows(pixel), pixel / row) << pixel << " of rows of " << row;
        ASSERT_EQ(x.rows(row / 2), 0);
    }
}

} // namespace
} // namespace ck
