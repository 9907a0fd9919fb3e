#include "ck/tensor_operation/gpu/grid/stored_sum.hpp"

#include <gtest/gtest.h>

namespace ck::grid::stored_sum {
namespace {

TEST(MostSharers, FillADevice)
{
    EXPECT_EQ(most_sharers(9216, 132, 132, 256), 16) << "then there are enough threads";
    EXPECT_EQ(most_sharers(1024, 100, 132, 256), 16) << "each has four partial sums at least";
    EXPECT_EQ(most_sharers(1024, 1000, 132, 256), 32) << "128 bytes are read together";
    EXPECT_EQ(most_sharers(1 << 20, 132, 132, 256), 1) << "enough threads";
    EXPECT_EQ(most_sharers(1024, 7, 132, 256), 1) << "too few partial sums";
}

} // namespace
} // namespace ck::grid::stored_sum
