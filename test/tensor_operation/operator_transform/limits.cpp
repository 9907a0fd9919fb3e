#include "ck/tensor_operation/operator_transform/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ck {
namespace {

ConvProblem image_of(long_index_t k, long_index_t c, long_index_t filter)
{
    return make_packed_problem<2>(
        1, 4, k, c, {filter, filter}, {8, 8}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
}

TEST(Limits, merged_reductions_end_at_2_to_the_30)
{
    EXPECT_TRUE(check_merged_reduction(image_of(8, 1 << 14, 1 << 8), 1 << 14));
    const Support more = check_merged_reduction(image_of(8, 1 << 14, 1 << 8), (1 << 14) + 1);
    EXPECT_EQ(more.reason,
              "the filter's taps times 16385 channels are more than the 2^30 that one merged "
              "reduction can have");
}

TEST(Limits, products_that_leave_64_bits_are_still_above_the_limit)
{
    constexpr long_index_t large = 2147483647;
    EXPECT_GT(detail::limited_product({large, large, large, large}), detail::row_limit);
    EXPECT_EQ(detail::limited_product({large, large, large, 0}), 0);
    EXPECT_EQ(detail::limited_product({1 << 15, 1 << 15}), detail::row_limit);
    EXPECT_EQ(detail::limited_product({}), 1);
}

TEST(Limits, channels_are_limited_where_bytes_are_not)
{
    ConvProblem p    = image_of((1 << 30) + 1, 1, 1);
    p.filter_strides = p.output_strides = {};
    EXPECT_EQ(detail::check_offsets(p, 1, {1, 1, 1}, {"X", "W", "Y"}).reason,
              "K is 1073741825, but a launch takes at most 2^30");
    --p.out_channels;
    EXPECT_TRUE(detail::check_offsets(p, 1, {1, 1, 1}, {"X", "W", "Y"}));
}

TEST(Limits, a_reach_that_leaves_64_bits_is_still_refused)
{
    ConvProblem p       = image_of(14, 1, 4);
    p.filter_strides[1] = (long_index_t{1} << 60) - 1;
    EXPECT_EQ(
        detail::check_offsets(p, 1, {2, 2, 2}, {"X", "W", "Y"}).reason,
        "W spans 9223372036854775807 bytes in a sub-batch of 1 images, but 32-bit offsets need "
        "less than 2^31");
}

TEST(Limits, the_most_images_is_the_last_that_holds)
{
    ConvProblem p = image_of(1, 1, 1);
    p.batch       = 1000;
    for(const long_index_t last : {0, 1, 2, 617, 999, 1000, 1001})
        EXPECT_EQ(detail::most_images(p, [&](long_index_t n) { return n <= last; }),
                  std::min<long_index_t>(last, 1000));
    p.batch = 0;
    EXPECT_EQ(detail::most_images(p, [](long_index_t) { return true; }), 1);
}

} // namespace
} // namespace ck
