// The views of a matrix product: where row, column and reduction element meet in memory.
#include "ck/tensor_operation/operator_transform/matrix_product.hpp"

#include <gtest/gtest.h>

namespace ck {
namespace {

constexpr index_t m = 5, n = 3, k = 7, a_line = 100, b_line = 1000, c_line = 10;

template <bool a_along_k, bool b_along_k>
void expect_views()
{
    const MatrixProduct<a_along_k, b_along_k> product{m, n, k, a_line, b_line, c_line};
    EXPECT_EQ(product.max_rows(), m);
    const index_t rows = 4; // a sub-batch that is not full
    const auto views   = product.make_phase(0, rows);
    EXPECT_EQ(views.tap_count, 1);
    EXPECT_EQ(views.a.template extent<2>(), k);
    EXPECT_EQ(views.b.template extent<2>(), k);
    EXPECT_EQ(views.c.template extent<1>(), n);
    for(index_t i = 0; i < m + 2; ++i)
        for(index_t r = 0; r < k; ++r)
        {
            const Place a = views.a(i, 0, r);
            EXPECT_EQ(a.valid, i < rows);
            EXPECT_EQ(a.offset, a_along_k ? i * a_line + r : r * a_line + i);
        }
    for(index_t j = 0; j < n + 2; ++j)
        for(index_t r = 0; r < k; ++r)
        {
            const Place b = views.b(j, 0, r);
            EXPECT_EQ(b.valid, j < n);
            EXPECT_EQ(b.offset, b_along_k ? j * b_line + r : r * b_line + j);
        }
    for(index_t i = 0; i < m + 2; ++i)
        for(index_t j = 0; j < n + 2; ++j)
        {
            const Place c = views.c(i, j);
            EXPECT_EQ(c.valid, i < rows && j < n);
            EXPECT_EQ(c.offset, i * c_line + j);
        }
    EXPECT_EQ(views.c.template indices<0>(3)[0], 3); // the row, for D tensors
}

TEST(MatrixProduct, RowMajorTimesRowMajor) { expect_views<true, false>(); }
TEST(MatrixProduct, RowMajorTimesColumnMajor) { expect_views<true, true>(); }
TEST(MatrixProduct, ColumnMajorTimesRowMajor) { expect_views<false, false>(); }
TEST(MatrixProduct, ColumnMajorTimesColumnMajor) { expect_views<false, true>(); }

} // namespace
} // namespace ck
