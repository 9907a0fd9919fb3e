// The schedule with one buffer, and that the trace tells wrong ones.
#include "ck/tensor_operation/gpu/block/pipeline/single_buffer.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/gpu/block/pipeline/trace.hpp"

namespace ck::block::test::single_buffer {
namespace {

static_assert(is_right<SingleBuffer>(0));
static_assert(is_right<SingleBuffer>(1));
static_assert(is_right<SingleBuffer>(2));
static_assert(is_right<SingleBuffer>(3));
static_assert(is_right<SingleBuffer>(7));

TEST(SingleBuffer, TwoBarriersASlice)
{
    for(index_t slices = 0; slices < 50; ++slices)
    {
        EXPECT_TRUE(is_right<SingleBuffer>(slices)) << slices;
        EXPECT_EQ(played<SingleBuffer>(slices).waits, slices == 0 ? 0 : 2 * slices - 1);
    }
}

enum class Mistake
{
    none,
    no_wait_before_multiply,
    wait_read_before_multiply,
    no_wait_after_multiply,
    last_slice_twice,
    fetch_late
};

template <Mistake mistake>
struct Wrong
{
    template <class Stages>
    static constexpr void run(Stages& s, index_t slices)
    {
        constexpr Number<0> buffer{};
        for(index_t i = 0; i < slices; ++i)
        {
            if(i == 0 || mistake == Mistake::fetch_late)
                s.fetch();
            s.stage(buffer);
            if(mistake == Mistake::wait_read_before_multiply)
                s.wait_read();
            else if(mistake != Mistake::no_wait_before_multiply)
                s.wait();
            if(i + 1 < slices && mistake != Mistake::fetch_late)
                s.fetch();
            s.multiply(buffer);
            if(mistake != Mistake::no_wait_after_multiply)
                s.wait();
        }
        if(mistake == Mistake::last_slice_twice)
            s.multiply(buffer);
    }
};
static_assert(is_right<Wrong<Mistake::none>>(5));
static_assert(!is_right<Wrong<Mistake::no_wait_before_multiply>>(1));
static_assert(!is_right<Wrong<Mistake::wait_read_before_multiply>>(1));
static_assert(is_right<Wrong<Mistake::no_wait_after_multiply>>(1));
static_assert(!is_right<Wrong<Mistake::no_wait_after_multiply>>(2));
static_assert(!is_right<Wrong<Mistake::last_slice_twice>>(1));
static_assert(!is_right<Wrong<Mistake::fetch_late>>(2));

} // namespace
} // namespace ck::block::test::single_buffer
