#include "ck/arch/lane_map.hpp"

#include <gtest/gtest.h>

using ck::index_t;
using ck::arch::LaneMap;

namespace {

// 8 x 8, 16 lanes, 4 values: a lane is row lane / 4 and, of each half, a pair of columns.
constexpr LaneMap pairs = {
    .lane_low = {4, 0, 2}, .lane_high = {4, 1, 0}, .value_low = {2, 0, 1}, .value_high = {2, 4, 0}};

} // namespace

TEST(LaneMap, PeelsModesFromTheLowestPart)
{
    for(index_t lane = 0; lane < 16; ++lane)
        for(index_t value = 0; value < 4; ++value)
        {
            const LaneMap::Coordinate at = pairs(lane, value);
            EXPECT_EQ(at.row, lane / 4 + 4 * (value / 2)) << lane << ' ' << value;
            EXPECT_EQ(at.column, lane % 4 * 2 + value % 2) << lane << ' ' << value;
        }
    EXPECT_EQ(pairs.lanes(), 16);
    EXPECT_EQ(pairs.values(), 4);
}

TEST(LaneMap, IsAConstant)
{
    static_assert(pairs(7, 3) == LaneMap::Coordinate{5, 7});
    static_assert(covers(pairs, 8, 8, 1));
}

TEST(LaneMap, CoversCountsCopies)
{
    const LaneMap copied = {.lane_low = {8, 1, 0}, .lane_high = {2, 0, 0}, .value_low = {4, 0, 1}};
    EXPECT_TRUE(covers(copied, 8, 4, 2));
    EXPECT_FALSE(covers(copied, 8, 4, 1));
    EXPECT_FALSE(covers(copied, 8, 8, 1)); // as many pairs as elements, but half are duplicates
}

TEST(LaneMap, CoversFindsElementsOutsideAndMissing)
{
    EXPECT_FALSE(covers(pairs, 4, 16, 1)); // row 7 is outside
    EXPECT_FALSE(covers(pairs, 16, 4, 1)); // column 7 is outside
    EXPECT_FALSE(covers(pairs, 8, 4, 1));  // more pairs than elements
    EXPECT_FALSE(covers(pairs, 8, 16, 1)); // fewer
    LaneMap overlapping    = pairs;
    overlapping.value_high = {2, 0, 0};
    EXPECT_FALSE(covers(overlapping, 8, 8, 1));
    LaneMap negative   = pairs;
    negative.value_low = {2, 0, -1};
    EXPECT_FALSE(covers(negative, 8, 8, 1));
}
