// Products and sums that stop at the largest number instead of wrapping.
#include "ck/utility/integer.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

namespace ck::math {
namespace {

constexpr long_index_t most = std::numeric_limits<long_index_t>::max();

TEST(Integer, ProductsStopAtTheLargestNumber)
{
    static_assert(saturating_product(6, 7) == 42);
    EXPECT_EQ(saturating_product(most / 3, long_index_t{3}), most / 3 * 3);
    EXPECT_EQ(saturating_product(most / 3 + 1, long_index_t{3}), most);
    EXPECT_EQ(saturating_product(most, most), most);
    EXPECT_EQ(saturating_product(std::size_t{1} << 32, std::size_t{1} << 32),
              std::numeric_limits<std::size_t>::max());
    EXPECT_EQ(saturating_product(std::size_t{1} << 32, std::size_t{1} << 31), std::size_t{1} << 63);
}

TEST(Integer, ProductsWithNothingAreNothing)
{
    EXPECT_EQ(saturating_product(most, long_index_t{0}), 0);
    EXPECT_EQ(saturating_product(long_index_t{0}, most), 0);
}

TEST(Integer, SumsStopAtTheLargestNumber)
{
    static_assert(saturating_sum(3, 4) == 7);
    EXPECT_EQ(saturating_sum(most - 1, long_index_t{1}), most);
    EXPECT_EQ(saturating_sum(most, long_index_t{1}), most);
    EXPECT_EQ(saturating_sum(most, most), most);
    EXPECT_EQ(saturating_sum(most, long_index_t{0}), most);
}

} // namespace
} // namespace ck::math
