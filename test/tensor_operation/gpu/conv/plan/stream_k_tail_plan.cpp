// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ck::tensor_operation::device::stream_k_tail_plan {
namespace {

constexpr GemmTuning tuning{.block_tile  = {128, 256, 64},
                            .wave_m      = 16,
                            .wave_n      = 256,
                            .instruction = arch::Matrix::wgmma_f32_16x8x16_f16,
                            .a_vector    = 8,
                            .b_vector    = 8,
                            .c_vector    = 8,
                            .pipeline    = Pipeline::tensor_maps,
                            .stages      = 4};

SplitPlan plan(double tiles, double slices, index_t tiles_of_row = 1)
{
    return plan_stream_k_tail(tuning, LaunchShape{tiles, slices, 0, 0}, tiles_of_row, 132);
}

TEST(StreamKTailPlan, BoundsRuleOutNoFasterTail)
{
    int tails = 0;
    for(const double tiles : {20., 133., 140., 200., 263., 270., 500., 1400., 9000.})
        for(const double slices : {1., 2., 3., 9., 36., 72., 500.})
            for(const double bytes : {0., 1e7, 1e9})
            {
                const LaunchShape shape{tiles, slices, bytes, 0};
                SplitPlan tail;
                tail.last_tiles = static_cast<index_t>(tiles) % 132;
                FastestSplit<double> best({}, 0.97 * predicted_time(tuning, shape, 132));
                for(tail.last_partial_sums = 2;
                    tail.last_partial_sums <= std::min(static_cast<index_t>(slices), 64);
                    ++tail.last_partial_sums)
                    best.offer(tail, predicted_time(tuning, ended(tuning, shape, tail), 132));
                const SplitPlan planned = plan_stream_k_tail(tuning, shape, 1, 132);
                EXPECT_EQ(planned, best.plan()) << tiles << " tiles, " << slices << " slices";
                tails += planned.last_tiles > 0;
            }
    EXPECT_GT(tails, 10);
}

TEST(StreamKTailPlan, LaunchesEndInPartialSumsThatAreAddedUp)
{
    LaunchShape whole{200, 99, 1e6, 3e6};
    whole.longest_share = 1.5, whole.whole_share = 1.25;
    const LaunchShape cut = ended(tuning, whole, {1, 2 * 10, 4}); // two rows of ten tiles
    EXPECT_EQ(cut.tiles, 180);
    EXPECT_EQ(cut.slices, 99);
    EXPECT_EQ(cut.last_tiles, 2 * 10 * 4);
    EXPECT_EQ(cut.last_slices, 25);
    EXPECT_EQ(cut.more_bytes, 3e6 + 2 * 4. * 80 * 128 * 256) << "written and read";
    EXPECT_EQ(cut.longest_share, 1.25);
    EXPECT_GT(cut.more_cycles, 0);
    LaunchShape at_once = cut;
    at_once.more_cycles = 0;
    EXPECT_EQ(predicted_time(tuning, cut, 132) - predicted_time(tuning, at_once, 132),
              cut.more_cycles);
    EXPECT_EQ(ended(tuning, whole, {}).more_cycles, 0);
}

TEST(StreamKTailPlan, FullRoundsHaveNoStreamKTail)
{
    EXPECT_EQ(plan(132, 100), SplitPlan{});
    EXPECT_EQ(plan(10 * 132, 100), SplitPlan{});
    EXPECT_EQ(plan(10 * 132 - 1, 100), SplitPlan{}) << "a round that is almost full";
}

TEST(StreamKTailPlan, OneTileMoreThanRoundsIsCutIntoManyParts)
{
    const SplitPlan p = plan(4 * 132 + 1, 36);
    EXPECT_EQ(p.partial_sums, 1);
    EXPECT_TRUE(p.whole);
    EXPECT_EQ(p.last_tiles, 1);
    EXPECT_GE(p.last_partial_sums, 9);
    EXPECT_LE(p.last_partial_sums, 36);
}

TEST(StreamKTailPlan, HalfARoundIsCutInTwo)
{
    const SplitPlan p = plan(132 + 64, 72, 2);
    EXPECT_EQ(p.last_tiles, 32 * 2) << "32 rows of two tiles each";
    EXPECT_EQ(p.last_partial_sums, 2);
}

TEST(StreamKTailPlan, FewTilesAreAllCut)
{
    const SplitPlan p = plan(8, 72, 4);
    EXPECT_EQ(p.last_tiles, 8);
    EXPECT_GT(p.last_partial_sums, 4);
}

TEST(StreamKTailPlan, PartsOfWholeRowsOfTilesAlone)
{
    const SplitPlan p = plan(2 * 90, 200, 90); // a row, and 42 tiles of the next, in one round
    EXPECT_EQ(p.last_tiles, 90);
    EXPECT_GE(p.last_partial_sums, 2) << "of all 90";
}

TEST(StreamKTailPlan, ShortSumsAreNotWorthIt)
{
    EXPECT_EQ(plan(132 + 20, 2), SplitPlan{});
    EXPECT_EQ(plan(30 * 132 + 20, 4), SplitPlan{}) << "one round of many";
}

TEST(StreamKTailPlan, CountsTilesOfClusters)
{
    GemmTuning clusters      = tuning;
    clusters.maps.cluster    = 2;
    constexpr LaunchShape of = {132 + 64, 72, 0, 0};
    const SplitPlan p        = plan_stream_k_tail(clusters, of, 2, 132);
    EXPECT_EQ(p.last_tiles, 32) << "64 tiles, of two workgroups each";
    EXPECT_EQ(ended(clusters, of, p).tiles, 132);
}

/// Partial sums as long as fewer of them are not looked at.
TEST(StreamKTailPlan, PromisesTheEarliestEndOfAllNumbersOfPartials)
{
    int cut = 0;
    for(const double tiles : {1., 8., 133., 140., 200., 263., 500., 1000.})
        for(const double slices : {1., 2., 9., 36., 40.5, 72., 200., 1000.})
            for(const index_t of_row : {1, 2, 4})
                for(const bool by_pixels : {false, true})
                {
                    LaunchShape shape{tiles, slices, 1e6, 0};
                    shape.by_pixels    = by_pixels;
                    const auto found   = plan_stream_k_tail(tuning, shape, of_row, 132);
                    double least       = 0.97 * predicted_time(tuning, shape, 132);
                    SplitPlan best     = {};
                    const index_t rows = static_cast<index_t>(tiles) / of_row -
                                         full_rows(tuning, tiles, of_row, 132);
                    for(index_t n = 2; n <= 64 && n <= static_cast<index_t>(slices); ++n)
                    {
                        const SplitPlan plan{1, rows * of_row, n};
                        if(const double time =
                               predicted_time(tuning, ended(tuning, shape, plan), 132);
                           time < least)
                        {
                            least = time;
                            best  = plan;
                        }
                    }
                    EXPECT_EQ(found, best) << tiles << ' ' << slices << ' ' << of_row;
                    cut += best.last_tiles > 0;
                }
    EXPECT_GT(cut, 20);
}

} // namespace
} // namespace ck::tensor_operation::device::stream_k_tail_plan
