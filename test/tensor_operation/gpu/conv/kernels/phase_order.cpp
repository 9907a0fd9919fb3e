// The order in which workgroups take tiles of several phases: each tile once; balanced,
// sums of nearly the same length for all.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/phase_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ck::grid {
namespace {

TileMap tile_map(index_t columns, index_t phases, index_t rows, index_t sub_batches)
{
    return {make_divisor(columns),
            make_divisor(phases),
            make_divisor(rows),
            make_divisor(1),
            make_divisor(1),
            sub_batches};
}

void expect_each_tile_once(const TileMap& tiles, const PhaseOrder& order)
{
    const index_t phases = tiles.phases.value, rows = tiles.row_tiles.value,
                  columns = tiles.column_tiles.value;
    std::vector<int> found(static_cast<std::size_t>(tiles.size()));
    for(index_t number = 0; number < order.size; ++number)
        if(const TileMap::Tile t = order(tiles, number); t.phase_index < phases)
        {
            ASSERT_LT(t.column_tile, columns);
            ASSERT_LT(t.row_tile, rows);
            ASSERT_LT(t.sub_batch, tiles.sub_batches);
            ++found[static_cast<std::size_t>(
                ((t.sub_batch * rows + t.row_tile) * phases + t.phase_index) * columns +
                t.column_tile)];
        }
    EXPECT_EQ(std::count(found.begin(), found.end(), 1), tiles.size())
        << "phases " << phases << " rows " << rows;
}

TEST(PhaseOrder, HasEachTileOnce)
{
    for(const index_t phases : {1, 2, 4, 8})
        for(const index_t rows : {1, 2, 7, 131, 133})
            for(const index_t sub_batches : {1, 3})
            {
                const TileMap tiles         = tile_map(rows % 3 + 1, phases, rows, sub_batches);
                const auto all              = static_cast<index_t>(tiles.size());
                const PhaseOrder neighbours = PhaseOrder::of_neighbours(all);
                expect_each_tile_once(tiles, neighbours);
                for(index_t number = 0; number < all; ++number)
                    ASSERT_EQ(neighbours(tiles, number).row_tile, tiles(number).row_tile);
                for(const index_t groups : {1, 2, 3, 7, 132})
                {
                    const PhaseOrder balanced = PhaseOrder::balanced(tiles, groups);
                    EXPECT_EQ(balanced.size % groups, 0);
                    expect_each_tile_once(tiles, balanced);
                }
            }
}

/// 3x3 with stride 2 in two dimensions: filter taps of the phases.
TEST(PhaseOrder, GivesAllAboutTheSame)
{
    const index_t groups = 132, taps[] = {4, 2, 2, 1};
    for(const index_t rows : {49, 64, 162, 196})
    {
        const TileMap tiles = tile_map(4, 4, rows, 1);
        const auto order    = PhaseOrder::balanced(tiles, groups);
        std::vector<index_t> sum(static_cast<std::size_t>(groups));
        for(index_t number = 0; number < order.size; ++number)
            if(const TileMap::Tile t = order(tiles, number); t.phase_index < 4)
                sum[static_cast<std::size_t>(number % groups)] += taps[t.phase_index];
        const index_t all = 9 * 4 * rows;
        EXPECT_LE(*std::max_element(sum.begin(), sum.end()) * groups, all + groups) << rows;
    }
}

} // namespace
} // namespace ck::grid
