#pragma once
// Two LDS buffers: while one slice is multiplied, the next one moves through registers to the other
// buffer. One barrier per slice.
#include "ck/tensor_operation/gpu/block/pipeline/stages.hpp"

namespace ck::block {

struct DoubleBuffer
{
    static constexpr index_t buffers = 2;

    /// C += A * B over `slices` slices of the reduction.
    template <PipelineStages Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void run(Stages& s, index_t slices)
    {
        if(slices == 0)
            return;
        s.fetch();
        s.stage(Number<0>{});
        index_t left = slices - 1; // slices not fetched yet
        while(left >= 2)
        {
            step(s, Number<0>{}, Number<1>{});
            step(s, Number<1>{}, Number<0>{});
            left -= 2;
        }
        if(left == 1)
        {
            step(s, Number<0>{}, Number<1>{});
            s.wait();
            s.multiply(Number<1>{});
        }
        else
        {
            s.wait();
            s.multiply(Number<0>{});
        }
    }

private:
    /// Multiplies the slice in `full` and stores the next one to `empty`, which every wave has
    /// finished reading before the barrier.
    template <class Stages, class Full, class Empty>
    CK_HOST_DEVICE CK_INLINE static constexpr void step(Stages& s, Full full, Empty empty)
    {
        s.wait();
        s.fetch();
        s.multiply(full);
        s.stage(empty);
    }
};

} // namespace ck::block
