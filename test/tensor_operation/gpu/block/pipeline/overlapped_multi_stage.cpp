// The ring whose multiplications overlap, played at compile time.
#include "ck/tensor_operation/gpu/block/pipeline/overlapped_multi_stage.hpp"

#include "ck/utility/integer.hpp"

#include <gtest/gtest.h>

namespace ck::block::test::overlapped_multi_stage {
namespace {

/// What the schedule must keep to, whatever order its waves run in:
///   - a slice is multiplied only after its group has been waited for, with a barrier,
///   - before a copy over what was read, the multiplication has settled, and then a barrier lies,
///   - slices are copied and multiplied in order, once each, and all have settled in the end.
struct Trace
{
    static constexpr index_t most_buffers = 8, most_slices = 64;

    bool ok        = true;
    index_t slices = 0;
    index_t copied = 0, started = 0, settled = 0, settled_for_all = 0, barriers = 0;
    index_t groups = 0, arrived_groups = 0;
    index_t group_of[most_slices]{};
    index_t slice_in[most_buffers]{-1, -1, -1, -1, -1, -1, -1, -1};
    index_t most_running = 0;

    constexpr void copy(index_t buffer)
    {
        ok = ok && copied < slices && 0 <= buffer && buffer < most_buffers &&
             slice_in[buffer] < settled_for_all;
        slice_in[buffer] = copied;
        group_of[copied] = groups;
        ++copied;
    }
    constexpr void end_group() { ++groups; }
    template <class Groups>
    constexpr void arrived(Groups)
    {
        arrived_groups  = math::max(arrived_groups, groups - Groups::value);
        settled_for_all = settled; // a barrier
        ++barriers;
    }
    constexpr void start(index_t buffer)
    {
        ok = ok && slice_in[buffer] == started && group_of[started] < arrived_groups;
        ++started;
        most_running = math::max(most_running, started - settled);
    }
    template <class Groups>
    constexpr void wait_mma(Groups)
    {
        settled = math::max(settled, started - Groups::value);
    }
};
static_assert(OverlappedStages<Trace>);

template <class Schedule>
constexpr bool is_right(index_t slices)
{
    Trace t;
    t.slices = slices;
    Schedule::run(t, slices);
    return t.ok && t.copied == slices && t.started == slices && t.settled == slices &&
           t.barriers == slices && t.most_running == math::min(slices, 2);
}

TEST(OverlappedMultiStage, TwoSlicesAreMultipliedWhileOthersArrive)
{
    for(index_t slices = 0; slices < 60; ++slices)
    {
        EXPECT_TRUE(is_right<OverlappedMultiStage<3>>(slices)) << slices;
        EXPECT_TRUE(is_right<OverlappedMultiStage<4>>(slices)) << slices;
        EXPECT_TRUE(is_right<OverlappedMultiStage<6>>(slices)) << slices;
    }
}

/// Copies over the previous slice, whose multiplication has not settled.
struct TooEager
{
    template <class Stages>
    static constexpr void run(Stages& s, index_t slices)
    {
        for(index_t i = 0; i < slices; ++i)
        {
            s.copy(i % 2);
            s.end_group();
            s.arrived(Number<0>{});
            s.start(i % 2);
            s.wait_mma(Number<1>{});
        }
        s.wait_mma(Number<0>{});
    }
};
TEST(OverlappedMultiStage, ACopyOverARunningMultiplicationIsFound)
{
    EXPECT_TRUE(is_right<TooEager>(2));
    EXPECT_FALSE(is_right<TooEager>(3));
}

} // namespace
} // namespace ck::block::test::overlapped_multi_stage
