// The schedule with one buffer for slices that come in runs, and that the trace tells wrong runs.
#include "ck/tensor_operation/gpu/block/pipeline/single_buffer_in_runs.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/gpu/block/pipeline/trace.hpp"

namespace ck::block::test::single_buffer_in_runs {
namespace {

static_assert(is_right<SingleBufferInRuns>(0));
static_assert(is_right<SingleBufferInRuns>(1));
static_assert(is_right<SingleBufferInRuns>(2));
static_assert(is_right<SingleBufferInRuns>(3));
static_assert(is_right<SingleBufferInRuns>(7));

TEST(SingleBufferInRuns, TwoBarriersASlice)
{
    for(index_t slices = 0; slices < 50; ++slices)
    {
        EXPECT_TRUE(is_right<SingleBufferInRuns>(slices)) << slices;
        EXPECT_EQ(played<SingleBufferInRuns>(slices).waits, slices == 0 ? 0 : 2 * slices - 1);
    }
}

/// Begins a run before every n-th slice.
template <index_t n>
struct Wrong
{
    template <class Stages>
    static constexpr void run(Stages& s, index_t slices)
    {
        constexpr Number<0> buffer{};
        for(index_t i = 0; i < slices; ++i)
        {
            if(i % n == 0)
                s.begin_run();
            s.fetch_of_run();
            s.stage(buffer);
            s.wait();
            s.multiply(buffer);
            s.wait();
        }
    }
};
static_assert(played<Wrong<1>>(2).ok);
static_assert(!played<Wrong<1>>(3).ok); // the second run has two slices
static_assert(!played<Wrong<2>>(2).ok); // the first one

} // namespace
} // namespace ck::block::test::single_buffer_in_runs
