// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ck::tensor_operation::device::split_plan {
namespace {

/// Plans for an H200, where partial sums cost 20 slices.
SplitPlan plan(long_index_t tiles, long_index_t slices, bool whole = true)
{
    return plan_split({tiles, slices, 132, 20, whole});
}

TEST(SplitPlan, TheModelSeesTwoLaunchesOfWholeClusters)
{
    const SplitPlan plan{.partial_sums = 3, .last_tiles = 4, .last_partial_sums = 5};
    const LaunchShape shape = split(LaunchShape{1, 2, 3, 4}, plan, 61, 10, 2);
    EXPECT_EQ(shape.tiles, 6 * 3 * 2);
    EXPECT_EQ(shape.slices, 21);
    EXPECT_EQ(shape.last_tiles, 4 * 5 * 2);
    EXPECT_EQ(shape.last_slices, 13);
}

TEST(SplitPlan, OfOneWorkgroupAUnitIsThatOfOtherEngines)
{
    int others = 0;
    for(const long_index_t tiles : {1, 5, 40, 131, 200})
        for(const long_index_t slices : {3, 100, 784})
        {
            const SplitShape s{tiles, slices, 132, 20, true};
            EXPECT_EQ(split_for_unit(s, 1), plan_equal_partial_sums(s)) << tiles << ' ' << slices;
            const long_index_t places = std::clamp(2 * 132 / tiles, long_index_t{1}, slices);
            EXPECT_EQ(split_for_unit(s, 2), s.plan(places)) << tiles << ' ' << slices;
            others += !(plan_equal_partial_sums(s) ==
                        s.plan(std::clamp(132 / tiles, long_index_t{1}, slices)));
        }
    EXPECT_GT(others, 0) << "the rule of several workgroups is another";
}

TEST(SplitPlan, FewTilesAreCutIntoAsManyPartsAsRunAtATime)
{
    EXPECT_EQ(plan(4, 784), (SplitPlan{.partial_sums = 33}));
    EXPECT_EQ(plan(1, 784).partial_sums, 131) << "of 6 slices, as 132 would be";
}

TEST(SplitPlan, TilesThatFillRoundsStayWhole)
{
    EXPECT_FALSE(plan(132, 784).has_partial_sums());
    EXPECT_FALSE(plan(3 * 132, 784).has_partial_sums());
}

TEST(SplitPlan, TheLastTilesFillARoundOfTheirOwn)
{
    // 66 tiles in 2 partial sums are a round, 6 in 22 another: 412 + 56 slices; all in 11 partial
    // sums: 6
    // * 92.
    EXPECT_EQ(plan(72, 784),
              (SplitPlan{.partial_sums = 2, .last_tiles = 6, .last_partial_sums = 22}));
}

TEST(SplitPlan, BehindWholeTilesToo)
{
    EXPECT_EQ(plan(132 + 33, 784),
              (SplitPlan{.partial_sums = 1, .last_tiles = 33, .last_partial_sums = 4}));
}

TEST(SplitPlan, NoMorePartsThanSlices)
{
    const SplitPlan few = plan(1, 3);
    EXPECT_LE(few.partial_sums, 3);
    EXPECT_FALSE(plan(5, 0).has_partial_sums());
    EXPECT_FALSE(plan(140, 10).has_partial_sums()) << "not worth storing partial sums";
}

TEST(SplitPlan, EqualPartialsEndAsSoonAsAnyNumberOfThem)
{
    for(const long_index_t tiles : {1, 9, 100, 300})
        for(const long_index_t slices : {0, 1, 7, 400, 1500})
            for(const bool whole : {true, false})
            {
                const SplitShape s{tiles, slices, 132, 20, whole};
                index_t best       = 1;
                long_index_t least = s.rounds(1) * s.round(1);
                for(index_t n = 2; n <= slices && n <= 8 * 132; ++n)
                    if(const long_index_t time = s.rounds(n) * s.round(n); time < least)
                    {
                        best  = n;
                        least = time;
                    }
                EXPECT_EQ(plan_equal_partial_sums(s).partial_sums, best) << tiles << ' ' << slices;
            }
}

/// plan_split() without bounds.
SplitPlan fastest_of_all(const SplitShape& s)
{
    FastestSplit<long_index_t> best(s.plan(1), s.time(1));
    for(long_index_t n = 2; n <= std::min(s.slices, 8 * s.places); ++n)
        best.offer(s.plan(n), s.time(n));
    for(long_index_t n = 1; n <= std::min<long_index_t>(s.slices, 64); ++n)
        for(long_index_t rounds = 1; rounds * s.places / n < s.tiles; ++rounds)
        {
            const long_index_t last = s.tiles - rounds * s.places / n;
            if(last == s.tiles || last > s.places)
                continue;
            const long_index_t of_last = std::min(s.slices, s.places / last);
            best.offer({static_cast<index_t>(n),
                        static_cast<index_t>(last),
                        static_cast<index_t>(of_last),
                        s.whole},
                       rounds * s.round(n) + s.round(of_last));
        }
    return best.plan();
}

TEST(SplitPlan, BoundsRuleOutNoFasterPlan)
{
    int with_last_tiles = 0;
    for(const long_index_t tiles : {1, 2, 5, 18, 36, 66, 72, 100, 131, 133, 150, 264, 300, 700})
        for(const long_index_t slices : {1, 2, 3, 9, 40, 98, 400, 784, 1500, 6272})
            for(const long_index_t places : {132, 264})
                for(const long_index_t partial : {1, 5, 20, 64})
                    for(const bool whole : {true, false})
                    {
                        const SplitShape s{tiles, slices, places, partial, whole};
                        const SplitPlan fastest = fastest_of_all(s);
                        with_last_tiles += fastest.last_tiles > 0;
                        EXPECT_EQ(plan_split(s), fastest)
                            << tiles << " tiles, " << slices << " slices, " << places << " places, "
                            << partial << ' ' << whole;
                    }
    EXPECT_GT(with_last_tiles, 100);
}

TEST(SplitPlan, AbsurdSizesDoNotOverflow)
{
    for(const long_index_t slices : {1ll, 1ll << 20, 1ll << 31, 1ll << 60})
        for(const bool whole : {true, false})
            EXPECT_EQ(plan(SplitShape::most_tiles, slices, whole).partial_sums, 1);
}

TEST(SplitPlan, WherePartsAreAllThatCanBeStored)
{
    EXPECT_EQ(plan(132, 784, false), (SplitPlan{.whole = false}));
    EXPECT_TRUE(plan(132, 784, false).has_partial_sums());
    EXPECT_FALSE(plan(72, 784, false).whole);
}

TEST(SplitPlan, TheModelSeesBothKinds)
{
    const LaunchShape s =
        split({}, {.partial_sums = 2, .last_tiles = 6, .last_partial_sums = 22}, 785, 72, 1);
    EXPECT_EQ(s.tiles, 132);
    EXPECT_EQ(s.slices, 393);
    EXPECT_EQ(s.last_tiles, 132);
    EXPECT_EQ(s.last_slices, 36);
}

TEST(SplitRounds, FillRoundsOfWorkgroups)
{
    std::vector<index_t> asked;
    const auto best = plan_rounds({3, 100, 70, 4, false}, [&](index_t partial_sums) {
        asked.push_back(partial_sums);
        return partial_sums == 33 ? 2. : 1.;
    });
    EXPECT_EQ(asked, (std::vector<index_t>{33, 66, 70})) << "70 once: that is the most";
    EXPECT_EQ(best.plan(), (SplitPlan{.partial_sums = 66, .whole = false})) << "the first of two";
    EXPECT_EQ(best.time(), 1);
}

TEST(SplitRounds, HaveAPartialSumAtLeast)
{
    const auto best =
        plan_rounds({500, 100, 1, 4, true}, [](index_t partial_sums) { return partial_sums; });
    EXPECT_EQ(best.plan(), SplitPlan{});
}

TEST(SplitPlan, CountsPartialSumsThatHaveSlices)
{
    EXPECT_EQ(count_with_slices(10, 4), 4);
    EXPECT_EQ(count_with_slices(10, 6), 5) << "of two slices each";
    EXPECT_EQ(count_with_slices(3, 100), 3);
    EXPECT_EQ(count_with_slices(0, 7), 1);
}

TEST(SplitPlan, TheMostPartialSumsMayBeThoseOfTheLastTiles)
{
    EXPECT_EQ((SplitPlan{.partial_sums = 2, .last_tiles = 6, .last_partial_sums = 22})
                  .most_partial_sums(),
              22);
    EXPECT_EQ(
        (SplitPlan{.partial_sums = 5, .last_tiles = 6, .last_partial_sums = 3}).most_partial_sums(),
        5);
    EXPECT_EQ((SplitPlan{.partial_sums = 2, .last_partial_sums = 22}).most_partial_sums(), 2);
}

} // namespace
} // namespace ck::tensor_operation::device::split_plan
