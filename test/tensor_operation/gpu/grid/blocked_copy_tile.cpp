// How threads go through a packed tensor that is copied to or from blocks: what follows in memory
// is one run. Another choice is right, too, but slow.
//
// Labels: not sanitized, not emulated
#include "ck/tensor_operation/gpu/grid/blocked_copy_tile.hpp"

#include <gtest/gtest.h>

namespace ck::grid::blocked_copy_tile {
namespace {

constexpr index_t block = 16, bytes = 2;

BlockedCopyTile tile(const BlockedLayout& b, const PackedStrides& packed, index_t vector = 1)
{
    return make_blocked_copy_tile(b, packed, bytes, vector, {});
}

/// Elements of the packed tensor that the first two dimensions of a tile's run go through.
long_index_t run_of(const BlockedCopyTile& t)
{
    return t.run[0].length.value * (t.run_joins ? t.run[1].length.value : 1);
}

TEST(BlockedCopyTile, DimensionsThatFollowEachOtherAreOneRun)
{
    // NCDHW: pixels of a channel, then the next channel.
    const BlockedLayout small = ndc1hwc0(2, 32, 1, 3, 5, block);
    const BlockedCopyTile t   = tile(small, PackedStrides::channels_first(small));
    EXPECT_TRUE(t.run_joins);
    EXPECT_EQ(t.run[0].length.value, 15);
    EXPECT_EQ(t.run[0].stride, 1);
    EXPECT_EQ(t.run[1].stride, 15);
    EXPECT_EQ(run_of(t), 15 * 32);

    PackedStrides gap = PackedStrides::channels_first(small);
    gap.channel       = 16;
    gap.outer[0]      = 32 * 16;
    EXPECT_FALSE(tile(small, gap).run_joins) << "between channels there is a gap";

    // A tile has a part of the pixels: the next channel does not follow.
    const BlockedLayout large = ndc1hwc0(1, 32, 1, 100, 100, block);
    EXPECT_FALSE(tile(large, PackedStrides::channels_first(large)).run_joins);

    // NDHWC: channels of a pixel, then the next pixel.
    EXPECT_TRUE(tile(small, PackedStrides::channels_last(small), 1).run_joins);
    const BlockedLayout one = ndc1hwc0(1, 32, 1, 1, 1, block);
    EXPECT_FALSE(tile(one, PackedStrides::channels_last(one)).run_joins) << "nothing to join";
}

/// Where channels are the fastest: all of a place up to two lines of 128 bytes, else one line.
TEST(BlockedCopyTile, TilesHaveAllChannelsOrALineOfThem)
{
    const auto channels = [](long_index_t count) {
        const BlockedLayout b = ndc1hwc0(1, count, 1, 200, 200, block);
        return tile(b, PackedStrides::channels_last(b), 8).channels.tile;
    };
    EXPECT_EQ(channels(3), 16);
    EXPECT_EQ(channels(64), 64);
    EXPECT_EQ(channels(100), 112);
    EXPECT_EQ(channels(128), 128);
    EXPECT_EQ(channels(129), 64);
    EXPECT_EQ(channels(160), 64);
    EXPECT_EQ(channels(1000), 64);
}

TEST(BlockedCopyTile, ShortRunsHaveFewThreads)
{
    const BlockedCopyTuning tuning;
    const auto lanes = [&](const BlockedLayout& b, index_t least) {
        BlockedCopyTuning changed = tuning;
        changed.run_lanes         = least;
        return make_blocked_copy_tile(b, PackedStrides::channels_first(b), bytes, 1, changed)
            .run_lanes.value;
    };
    const BlockedLayout many = ndc1hwc0(1, 32, 1, 100, 100, block);
    EXPECT_EQ(lanes(many, 0), 8 * bytes) << "as many runs as keep all threads busy";
    EXPECT_EQ(lanes(many, 64), 64);
    const BlockedLayout one_run = ndc1hwc0(1, 32, 1, 3, 5, block);
    EXPECT_EQ(lanes(one_run, 0), tuning.threads) << "all threads in the only run";
}

} // namespace
} // namespace ck::grid::blocked_copy_tile
