#include "ck/tensor_operation/gpu/grid/tile_map.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>

namespace ck::grid::tile_map {
namespace {

constexpr TileMap make(index_t columns,
                       index_t phases,
                       index_t rows,
                       index_t groups,
                       index_t sub_batches,
                       index_t splits = 1)
{
    return {make_divisor(columns),
            make_divisor(phases),
            make_divisor(rows),
            make_divisor(splits),
            make_divisor(groups),
            sub_batches};
}

TEST(TileMap, NumbersEveryTileOnceNeighboursFirst)
{
    for(const index_t columns : {1, 3, 4})
        for(const index_t phases : {1, 6})
            for(const index_t rows : {1, 5})
                for(const index_t groups : {1, 2})
                    for(const index_t sub_batches : {1, 3})
                    {
                        const TileMap map = make(columns, phases, rows, groups, sub_batches);
                        index_t block     = 0;
                        for(index_t sub_batch = 0; sub_batch < sub_batches; ++sub_batch)
                            for(index_t group = 0; group < groups; ++group)
                                for(index_t row = 0; row < rows; ++row)
                                    for(index_t phase = 0; phase < phases; ++phase)
                                        for(index_t column = 0; column < columns; ++column)
                                        {
                                            const TileMap::Tile t = map(block++);
                                            EXPECT_EQ(t.column_tile, column);
                                            EXPECT_EQ(t.phase_index, phase);
                                            EXPECT_EQ(t.row_tile, row);
                                            EXPECT_EQ(t.group, group);
                                            EXPECT_EQ(t.sub_batch, sub_batch);
                                            if(groups > 1)
                                                continue;
                                            const auto same = map.of_whole_sums<true>(block - 1);
                                            EXPECT_EQ(same.column_tile, column);
                                            EXPECT_EQ(same.phase_index, phase);
                                            EXPECT_EQ(same.row_tile, row);
                                            EXPECT_EQ(same.sub_batch, sub_batch);
                                        }
                        EXPECT_EQ(map.size(), block);
                    }
}

TEST(TileMap, NumbersThePartsOfASplitReductionAfterTheTilesOfC)
{
    const TileMap map = make(3, 1, 2, 2, 2, 4);
    index_t block     = 0;
    for(index_t sub_batch = 0; sub_batch < 2; ++sub_batch)
        for(index_t group = 0; group < 2; ++group)
            for(index_t split = 0; split < 4; ++split)
                for(index_t tile = 0; tile < 6; ++tile)
                {
                    const TileMap::Tile t = map(block++);
                    EXPECT_EQ(t.row_tile * 3 + t.column_tile, tile);
                    EXPECT_EQ(t.split, split);
                    EXPECT_EQ(t.group, group);
                    EXPECT_EQ(t.sub_batch, sub_batch);
                }
    EXPECT_EQ(map.size(), block);
}

TEST(TileMap, CountsBeyondWhatAGridCanHave)
{
    EXPECT_EQ(make(1 << 20, 9, 1 << 20, 64, 1000).size(), (long_index_t{1} << 40) * 9 * 64 * 1000);
}

TEST(TileMap, CountsNoFurtherThan64Bits)
{
    constexpr index_t most = 2147483647;
    EXPECT_EQ(make(most, most, most, most, most).size(), std::numeric_limits<long_index_t>::max());
}

TEST(TileMap, NumbersTheLastBlockOfTheLargestGrid)
{
    constexpr index_t most = std::numeric_limits<index_t>::max();
    const TileMap map      = make(7, 4, 100003, 1, 768); // 2150464512 tiles; the grid ends before
    const TileMap::Tile t  = map(most - 1);
    const long_index_t again =
        ((long_index_t{t.sub_batch} * 100003 + t.row_tile) * 4 + t.phase_index) * 7 + t.column_tile;
    EXPECT_EQ(again, most - 1);
    EXPECT_EQ(t.group, 0);
}

TEST(TileMap, HasNoTilesWhereABatchHasNoImages) { EXPECT_EQ(make(3, 4, 5, 1, 0).size(), 0); }

} // namespace
} // namespace ck::grid::tile_map
