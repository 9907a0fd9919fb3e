// The rings of buffers filled by asynchronous copies, played at compile time.
#include "ck/tensor_operation/gpu/block/pipeline/multi_stage.hpp"

#include "ck/tensor_operation/gpu/block/pipeline/direct_multi_stage.hpp"
#include "ck/utility/integer.hpp"

#include <gtest/gtest.h>

namespace ck::block::test::multi_stage {
namespace {

/// What a schedule must keep to, whatever order its waves run in:
///   - a copied slice is multiplied only after its group has been waited for, with a barrier,
///   - between a multiplication and the copy over what it read lies a barrier,
///   - slices are copied and multiplied in order, once each.
struct Trace
{
    static constexpr index_t most_buffers = 8, most_slices = 64;

    bool ok         = true;
    index_t slices  = 0;
    index_t started = 0, multiplied = 0, barriers = 0;
    index_t groups = 0; // ended
    index_t group_of[most_slices]{};
    index_t arrived_groups = 0; // groups that all threads see
    index_t slice_in[most_buffers]{-1, -1, -1, -1, -1, -1, -1, -1};
    bool read[most_buffers]{};         // since the last barrier
    index_t least_ahead = most_slices; // slices on their way while one is multiplied
    index_t copied = 0, ended = 0, empty_groups = 0;
    index_t copies_without_barrier = 0, most_copies = 0; // between two barriers

    constexpr void copy(index_t buffer)
    {
        ok = ok && started < slices;
        copy_over(buffer);
        slice_in[buffer]  = started;
        group_of[started] = groups;
        ++started;
    }
    constexpr void copy_over(index_t buffer)
    {
        ok = ok && 0 <= buffer && buffer < most_buffers && !read[buffer] &&
             slice_in[buffer] < read_slices;
        ++copied;
        ++copies_without_barrier;
        most_copies = math::max(most_copies, copies_without_barrier);
    }
    constexpr void end_group()
    {
        empty_groups += copied == ended;
        ended = copied;
        ++groups;
    }
    constexpr void wait()
    {
        copies_without_barrier = 0;
        writes                 = false;
    }
    template <class Groups>
    constexpr void arrived(Groups)
    {
        ok             = ok && !writes; // its barrier waits for no group
        arrived_groups = math::max(arrived_groups, groups - Groups::value);
        for(bool& r : read)
            r = false;
        ++barriers;
        copies_without_barrier = 0;
    }
    constexpr void multiply(index_t buffer)
    {
        ok = ok && slice_in[buffer] == multiplied && group_of[multiplied] < arrived_groups;
        read[buffer] = true;
        ++read_slices;
        ++multiplied;
        if(started < slices)
            least_ahead = math::min(least_ahead, started - multiplied);
    }

    // The same in steps. `first`: the slice whose first operands are in registers.
    index_t first = -1, read_slices = 0;

    constexpr void read_first(index_t buffer)
    {
        ok = ok && first < 0 && slice_in[buffer] == read_slices &&
             group_of[read_slices] < arrived_groups;
        first        = read_slices;
        read[buffer] = true;
    }
    constexpr void multiply_but_last(index_t buffer)
    {
        ok     = ok && first == multiplied && slice_in[buffer] == multiplied;
        writes = false;
        if(started < slices)
            least_ahead = math::min(least_ahead, started - multiplied - 1);
        first        = -1;
        read[buffer] = true;
        ++read_slices;
    }
    constexpr void multiply_part(index_t next) { read_first(next); }
    constexpr void multiply_other_part(index_t) { multiply_last(); }
    constexpr void multiply_last()
    {
        ok = ok && read_slices == multiplied + 1;
        ++multiplied;
    }

    // Runs of 1, 2, 3 and again 1 slices; the last may be said to be longer than it is.
    index_t in_run = 0, runs = 0;
    bool nothing = false; // is copied
    bool writes  = false; // whether a write may be in progress

    constexpr index_t begin_run()
    {
        ok            = ok && in_run == 0 && !nothing;
        writes        = true;
        return in_run = 1 + runs++ % 3;
    }
    constexpr void begin_nothing()
    {
        ok      = ok && started == slices;
        nothing = true;
    }
    constexpr void copy_of_run(index_t buffer)
    {
        if(nothing)
        {
            copy_over(buffer);
            slice_in[buffer] = -1;
            return;
        }
        ok = ok && in_run-- > 0;
        copy(buffer);
    }
};
static_assert(AsyncStages<Trace> && DirectStages<Trace>);

template <class Schedule>
constexpr Trace played(index_t slices)
{
    Trace trace;
    trace.slices = slices;
    Schedule::run(trace, slices);
    return trace;
}

template <class Schedule>
constexpr bool is_right(index_t slices)
{
    const Trace t = played<Schedule>(slices);
    return t.ok && t.started == slices && t.multiplied == slices && t.barriers == slices;
}

template <index_t buffers>
constexpr bool all_are_right()
{
    for(const index_t slices : {0, 1, 2, 3, 4, 5, 7, 20})
        if(!is_right<MultiStage<buffers>>(slices))
            return false;
    return played<MultiStage<buffers>>(20).least_ahead == buffers - 1;
}
static_assert(all_are_right<2>());
static_assert(all_are_right<3>());
static_assert(all_are_right<4>());
static_assert(all_are_right<5>());

TEST(MultiStage, OneBarrierASliceAndTheNextSlicesOnTheirWay)
{
    for(index_t slices = 0; slices < 60; ++slices)
    {
        EXPECT_TRUE(is_right<MultiStage<2>>(slices)) << slices;
        EXPECT_TRUE(is_right<MultiStage<3>>(slices)) << slices;
        EXPECT_TRUE(is_right<MultiStage<4>>(slices)) << slices;
    }
    EXPECT_EQ(played<MultiStage<3>>(20).least_ahead, 2);
}

/// Each group has copies, and no two slices are copied between the same barriers: tables of places
/// are written again.
template <class Schedule>
constexpr bool counts_copies(index_t slices)
{
    const Trace t = played<Schedule>(slices);
    return t.ok && t.started == slices && t.multiplied == slices && t.empty_groups == 0 &&
           t.groups == t.copied && t.most_copies <= 1;
}
static_assert(counts_copies<DirectMultiStage<3>>(20));
static_assert(!counts_copies<MultiStage<2>>(20), "its last group is empty");
static_assert(!counts_copies<MultiStage<3>>(20), "its first two slices are copied at once");

TEST(DirectMultiStage, NoGroupIsEmptyAndTheNextSlicesAreOnTheirWay)
{
    for(index_t slices = 0; slices < 60; ++slices)
    {
        EXPECT_TRUE(counts_copies<DirectMultiStage<2>>(slices)) << slices;
        EXPECT_TRUE(counts_copies<DirectMultiStage<3>>(slices)) << slices;
        EXPECT_TRUE(counts_copies<DirectMultiStage<4>>(slices)) << slices;
    }
    EXPECT_EQ(played<DirectMultiStage<3>>(20).least_ahead, 2);
    EXPECT_EQ(played<DirectMultiStage<4>>(20).least_ahead, 3);
}

/// Three buffers; waits for all but `pending` groups, and copies to a buffer `shift` further.
template <index_t pending, index_t shift>
struct Wrong
{
    template <class Stages>
    static constexpr void run(Stages& s, index_t slices)
    {
        for(index_t buffer = 0; buffer < 2; ++buffer)
        {
            if(buffer < slices)
                s.copy(buffer);
            s.end_group();
        }
        for(index_t i = 0; i < slices; ++i)
        {
            s.arrived(Number<pending>{});
            if(i + 2 < slices)
                s.copy((i + 2 + shift) % 3);
            s.end_group();
            s.multiply(i % 3);
        }
    }
};
static_assert(is_right<Wrong<1, 0>>(9));
static_assert(!is_right<Wrong<2, 0>>(1), "the slice is not there yet");
static_assert(!is_right<Wrong<1, 1>>(9), "over a slice that has not been multiplied");

} // namespace
} // namespace ck::block::test::multi_stage
