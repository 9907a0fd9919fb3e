// How many average tiles the workgroup with the most work has.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/phase_sums.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

using grid::PhaseOrder;
using grid::TileMap;

constexpr index_t tile_rows = 128;

TileMap tile_map(index_t columns, index_t phases, index_t rows)
{
    return {make_divisor(columns),
            make_divisor(phases),
            make_divisor(rows),
            make_divisor(1),
            make_divisor(1),
            1};
}

double share(const TileMap& tiles, const std::vector<PhaseSums>& of, index_t workgroups)
{
    const auto size = static_cast<index_t>(tiles.size());
    return longest_share(tiles, PhaseOrder::of_neighbours(size), of, tile_rows, workgroups);
}
double balanced(const TileMap& tiles, const std::vector<PhaseSums>& of, index_t workgroups)
{
    return longest_share(tiles, PhaseOrder::balanced(tiles, workgroups), of, tile_rows, workgroups);
}

constexpr index_t rows = 6 * tile_rows;
const std::vector<PhaseSums> stride_of_2{{4, rows}, {2, rows}, {2, rows}, {1, rows}};

TEST(PhaseSums, OfEqualSumsAreTheTilesOfAWorkgroup)
{
    const std::vector<PhaseSums> equal(4, {3, rows});
    EXPECT_DOUBLE_EQ(share(tile_map(2, 4, 6), equal, 16), 3);
    EXPECT_DOUBLE_EQ(share(tile_map(2, 4, 6), equal, 47), 2) << "one has two tiles";
}

TEST(PhaseSums, OneWorkgroupHasAll)
{
    EXPECT_DOUBLE_EQ(share(tile_map(2, 4, 6), stride_of_2, 1), 48);
    EXPECT_DOUBLE_EQ(balanced(tile_map(2, 4, 6), stride_of_2, 1), 48);
}

TEST(PhaseSums, ATileForEachIsTheLongestSum)
{
    EXPECT_DOUBLE_EQ(share(tile_map(2, 4, 6), stride_of_2, 48), 16. / 9);
    EXPECT_DOUBLE_EQ(balanced(tile_map(2, 4, 6), stride_of_2, 48), 16. / 9);
}

/// 48 tiles of four phases for 20.
TEST(PhaseSums, ABalancedOrderLeavesLess)
{
    const double neighbours = share(tile_map(2, 4, 6), stride_of_2, 20),
                 dealt      = balanced(tile_map(2, 4, 6), stride_of_2, 20);
    EXPECT_GE(dealt, 48. / 20) << "the average";
    EXPECT_LT(dealt, neighbours);
}

TEST(PhaseSums, RowsThatAPhaseLacksAreNoTiles)
{
    const std::vector<PhaseSums> one_short{{4, rows}, {4, rows - tile_rows}};
    EXPECT_DOUBLE_EQ(share(tile_map(1, 2, 6), one_short, 1), 11);
    EXPECT_DOUBLE_EQ(share(tile_map(1, 2, 6), one_short, 12), 1);
}

} // namespace
} // namespace ck::tensor_operation::device
