// How many average tiles the workgroup with the most work has.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/phases_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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

/// The same as by each number's tile, as workgroups take them.
TEST(PhaseSums, AreThoseOfTheTilesThatWorkgroupsTake)
{
    const auto by_numbers = [](const TileMap& tiles,
                               const PhaseOrder& order,
                               const std::vector<PhaseSums>& of,
                               index_t workgroups) {
        std::vector<long_index_t> taps(static_cast<std::size_t>(workgroups));
        for(index_t number = 0; number < order.size; ++number)
        {
            const TileMap::Tile t = order(tiles, number);
            if(t.phase_index >= tiles.phases.value)
                continue;
            const PhaseSums& c = of[static_cast<std::size_t>(
                order.is_balanced() ? t.phase_index
                                    : rotated_phase(t.phase_index, t.row_tile, tiles.phases))];
            if(long_index_t{t.row_tile} * tile_rows < c.rows)
                taps[static_cast<std::size_t>(number % workgroups)] += c.taps;
        }
        long_index_t all = 0;
        for(const PhaseSums& c : of)
            all += c.taps;
        return static_cast<double>(*std::max_element(taps.begin(), taps.end())) *
               static_cast<double>(of.size()) / static_cast<double>(all);
    };
    for(const index_t columns : {1, 2, 3, 5})
        for(const index_t row_tiles : {1, 2, 6, 7})
            for(const index_t workgroups : {1, 2, 5, 16, 47, 132})
                for(const std::vector<PhaseSums>& of :
                    {stride_of_2,
                     std::vector<PhaseSums>{{9, rows}, {6, rows - 2 * tile_rows}, {0, rows}}})
                {
                    const TileMap tiles =
                        tile_map(columns, static_cast<index_t>(of.size()), row_tiles);
                    const auto size = static_cast<index_t>(tiles.size());
                    EXPECT_DOUBLE_EQ(
                        share(tiles, of, workgroups),
                        by_numbers(tiles, PhaseOrder::of_neighbours(size), of, workgroups))
                        << columns << ' ' << row_tiles << ' ' << workgroups;
                    EXPECT_DOUBLE_EQ(
                        balanced(tiles, of, workgroups),
                        by_numbers(tiles, PhaseOrder::balanced(tiles, workgroups), of, workgroups))
                        << columns << ' ' << row_tiles << ' ' << workgroups;
                }
    TileMap of_groups = tile_map(2, 4, 6);
    of_groups.groups  = make_divisor(3);
    const auto size   = static_cast<index_t>(of_groups.size());
    EXPECT_DOUBLE_EQ(share(of_groups, stride_of_2, 20),
                     by_numbers(of_groups, PhaseOrder::of_neighbours(size), stride_of_2, 20));
}

} // namespace
} // namespace ck::tensor_operation::device
