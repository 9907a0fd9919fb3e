#include "ck/tensor_operation/gpu/grid/split_tiles.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ck::grid::split_tiles {
namespace {

/// Every slice of every tile once, and each part at a place of its own.
void expect_whole(const SplitTiles& s, index_t tiles, index_t slices)
{
    std::vector<std::vector<int>> done(static_cast<std::size_t>(tiles),
                                       std::vector<int>(static_cast<std::size_t>(slices)));
    std::set<index_t> places;
    for(index_t number = 0; number < s.size(); ++number)
    {
        const SplitTiles::Item item = s(number);
        ASSERT_GE(item.tile, 0);
        ASSERT_LT(item.tile, tiles);
        ASSERT_LE(item.first + item.slices, slices);
        for(index_t i = item.first; i < item.first + item.slices; ++i)
            ++done[static_cast<std::size_t>(item.tile)][static_cast<std::size_t>(i)];
        if(item.is_partial)
        {
            EXPECT_GE(item.partial, 0);
            EXPECT_LT(item.partial, s.partial_sums());
            EXPECT_TRUE(places.insert(item.partial).second);
        }
        else
            EXPECT_EQ(item.slices, slices) << "stored as C";
    }
    EXPECT_EQ(static_cast<index_t>(places.size()), s.partial_sums());
    for(const auto& tile : done)
        for(const int count : tile)
            EXPECT_EQ(count, 1);
}

TEST(SplitTiles, EverySliceOnce)
{
    for(const index_t slices : {1, 7, 64})
        for(const index_t partial_sums : {1, 2, 7})
            for(const index_t last_tiles : {0, 1, 4})
                for(const index_t last_partial_sums : {1, 3, 7})
                    for(const bool whole : {false, true})
                        expect_whole(
                            SplitTiles::make(
                                5, slices, partial_sums, last_tiles, last_partial_sums, whole),
                            5,
                            slices);
}

TEST(SplitTiles, TilesOfOnePartAreStoredAsC)
{
    EXPECT_EQ(SplitTiles::make(5, 8, 1, 0, 1, true).partial_sums(), 0);
    EXPECT_EQ(SplitTiles::make(5, 8, 1, 0, 1, false).partial_sums(), 5);
    EXPECT_EQ(SplitTiles::make(5, 8, 1, 2, 3, true).partial_sums(), 6) << "of the last two";
    EXPECT_EQ(SplitTiles::make(5, 8, 2, 2, 3, true).partial_sums(), 12) << "of all";
}

TEST(SplitTiles, LengthsDifferByOne)
{
    const SplitTiles s = SplitTiles::make(1, 10, 4, 0, 1, true);
    for(const index_t number : {0, 1})
        EXPECT_EQ(s(number).slices, 3);
    for(const index_t number : {2, 3})
        EXPECT_EQ(s(number).slices, 2);
}

TEST(SplitTiles, PartsOfATileFollowEachOther)
{
    const SplitTiles s = SplitTiles::make(3, 8, 2, 1, 4, true);
    EXPECT_EQ(s(0).partial, 0);
    EXPECT_EQ(s(2).tile, 0) << "neighbouring numbers are of neighbouring tiles";
    EXPECT_EQ(s(2).partial, 1);
    EXPECT_EQ(s(4).tile, 2);
    EXPECT_EQ(s(4).partial, 4);
    EXPECT_EQ(s(7).partial, 7);
}

/// Without any slice, C is zero: a part of each tile.
TEST(SplitTiles, WithoutSlices)
{
    const SplitTiles s = SplitTiles::make(3, 0, 1, 0, 1, false);
    EXPECT_EQ(s.size(), 3);
    EXPECT_EQ(s(2).slices, 0);
    EXPECT_EQ(s(2).tile, 2);
}

} // namespace
} // namespace ck::grid::split_tiles
