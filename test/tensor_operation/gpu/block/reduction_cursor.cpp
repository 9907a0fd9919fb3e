#include "ck/tensor_operation/gpu/block/reduction_cursor.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ck::block::reduction_cursor {
namespace {

struct Slice
{
    index_t tap, k, count;
    bool operator==(const Slice&) const = default;
};

template <index_t slice_k>
void count_slices(index_t taps, index_t length)
{
    SCOPED_TRACE(testing::Message()
                 << taps << " taps of " << length << " in slices of " << slice_k);
    std::vector<Slice> expected;
    for(index_t tap = 0; tap < taps; ++tap)
        for(index_t k = 0; k < length; k += slice_k)
            expected.push_back({tap, k, math::min(slice_k, length - k)});
    ASSERT_EQ(ReductionCursor<slice_k>::slices(taps, length),
              static_cast<index_t>(expected.size()));

    ReductionCursor<slice_k> cursor{.length = length};
    index_t selected = -1, moved = 0;
    for(const Slice& slice : expected)
    {
        index_t limit = slice_k;
        cursor.advance(
            [&](index_t tap) {
                selected = tap;
                moved    = 0;
            },
            [&] { moved += slice_k; },
            [&](index_t left) { limit = left; });
        EXPECT_EQ(moved, length - cursor.left) << "moves since the tap began lead to the slice";
        EXPECT_EQ((Slice{cursor.tap, moved, limit}), slice);
        EXPECT_EQ(selected, cursor.tap) << "a tap is selected when it begins";
    }
}

/// Counts in runs: slices of a run lie one after the other, and only one alone is cut short.
template <index_t slice_k>
void count_in_runs(index_t taps, index_t length)
{
    SCOPED_TRACE(testing::Message()
                 << taps << " taps of " << length << " in slices of " << slice_k);
    ReductionCursor<slice_k> cursor{.length = length};
    index_t moved = 0, slices = 0;
    for(index_t tap = 0; tap < taps; ++tap)
        for(index_t k = 0; k < length;)
        {
            index_t limit = slice_k, selected = -1;
            const index_t in_run = cursor.begin_run(
                [&](index_t selected_tap) {
                    selected = selected_tap;
                    moved    = 0;
                },
                [&](index_t left) { limit = left; });
            EXPECT_EQ(selected, k == 0 ? tap : -1) << "a tap is selected when it begins";
            EXPECT_EQ(moved, k) << "the run begins where the last one ended";
            EXPECT_EQ(limit, math::min(slice_k, length - k));
            EXPECT_EQ(in_run, math::max(1, (length - k) / slice_k)) << "as long as it can be";
            moved += in_run * slice_k;
            k += in_run * slice_k;
            slices += in_run;
        }
    EXPECT_EQ(slices, ReductionCursor<slice_k>::slices(taps, length));
}

TEST(ReductionCursor, VisitsEveryTapInSlicesAndCutsTheLast)
{
    for(const index_t taps : {0, 1, 2, 9})
        for(const index_t length : {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100})
        {
            count_slices<8>(taps, length);
            count_slices<16>(taps, length);
            count_slices<32>(taps, length);
            count_in_runs<8>(taps, length);
            count_in_runs<32>(taps, length);
        }
}

TEST(ReductionCursor, LimitsOnlySlicesThatAreCut)
{
    ReductionCursor<8> cursor{.length = 16};
    index_t limits = 0, taps = 0;
    for(int i = 0; i < 6; ++i)
        cursor.advance([&](index_t) { ++taps; }, [] {}, [&](index_t) { ++limits; });
    EXPECT_EQ(limits, 0);
    EXPECT_EQ(taps, 3);
}

/// What a copy is told.
struct Told
{
    index_t taps = 0, limit = -1;
    CK_HOST_DEVICE void select_tap(index_t) { ++taps; }
    CK_HOST_DEVICE void move_k(index_t) {}
    CK_HOST_DEVICE void limit_k(index_t count) { limit = count; }
};

TEST(ReductionCursor, AnEmptyReductionIsARunOfASliceOfNothing)
{
    ReductionCursor<32> cursor{.length = 0};
    index_t taps = 0, limit = -1;
    EXPECT_EQ(cursor.begin_run([&](index_t) { ++taps; }, [&](index_t left) { limit = left; }), 1);
    EXPECT_EQ(taps, 1);
    EXPECT_EQ(limit, 0);
}

TEST(SlicesByTap, AnEmptyReductionIsASliceOfNothing)
{
    for(const auto& [taps, length] : {std::pair{0, 64}, std::pair{9, 0}, std::pair{0, 0}})
    {
        SlicesByTap<32> slices(taps, length);
        EXPECT_EQ(slices.count(), 1);
        Told a, b;
        slices.advance(a, b);
        EXPECT_EQ(a.taps, 1);
        EXPECT_EQ(a.limit, 0);
        EXPECT_EQ(b.limit, 0);
    }
    EXPECT_EQ(SlicesByTap<32>(3, 33).count(), 6);
}

} // namespace
} // namespace ck::block::reduction_cursor
