// The schedule with two buffers, and that the trace tells wrong ones.
#include "ck/tensor_operation/gpu/block/pipeline/double_buffer.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/gpu/block/pipeline/trace.hpp"

namespace ck::block::test::double_buffer {
namespace {

static_assert(is_right<DoubleBuffer>(0));
static_assert(is_right<DoubleBuffer>(1));
static_assert(is_right<DoubleBuffer>(2));
static_assert(is_right<DoubleBuffer>(3));
static_assert(is_right<DoubleBuffer>(7));

TEST(DoubleBuffer, OneBarrierASlice)
{
    for(index_t slices = 0; slices < 50; ++slices)
    {
        EXPECT_TRUE(is_right<DoubleBuffer>(slices)) << slices;
        EXPECT_EQ(played<DoubleBuffer>(slices).waits, slices);
    }
}

/// Two buffers, `wait_every` slices a wait; `same_buffer` stages into what is being multiplied.
template <index_t wait_every, bool same_buffer>
struct Wrong
{
    template <class Stages>
    static constexpr void run(Stages& s, index_t slices)
    {
        if(slices == 0)
            return;
        s.fetch();
        s.stage(Number<0>{});
        for(index_t i = 0; i < slices; ++i)
        {
            if(i % wait_every == 0)
                s.wait();
            if(i + 1 < slices)
                s.fetch();
            if(i % 2 == 0)
                s.multiply(Number<0>{});
            else
                s.multiply(Number<1>{});
            if(i + 1 < slices)
            {
                if((i % 2 == 0) != same_buffer)
                    s.stage(Number<1>{});
                else
                    s.stage(Number<0>{});
            }
        }
    }
};
static_assert(is_right<Wrong<1, false>>(7));
static_assert(!is_right<Wrong<2, false>>(2));
static_assert(!is_right<Wrong<1, true>>(2));

} // namespace
} // namespace ck::block::test::double_buffer
