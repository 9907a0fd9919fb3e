#pragma once
// A circular buffer of LDS slices filled by asynchronous copies: while one slice is multiplied, the
// next buffers - 1 are in flight. One barrier per slice, no registers for slices in flight.
#include "ck/tensor_operation/gpu/block/pipeline/stages.hpp"

namespace ck::block {

/// The stages of this schedule. `buffer` is the number of an LDS buffer.
template <class S>
concept AsyncStages = requires(S stages, index_t buffer, Number<1> groups)
{
    stages.copy(buffer); // start copying the next slice to LDS
    stages.end_group();  // what was copied since the last end is one group
    stages.arrived(
        groups); // all but the last `groups` groups are in LDS, for every thread; barrier
    stages.multiply(buffer); // LDS -> registers -> matrix instructions
};

template <index_t buffers_>
struct MultiStage
{
    static_assert(buffers_ >= 2, "a circular buffer has at least two buffers");
    static constexpr index_t buffers = buffers_;

    /// C += A * B over `slices` slices of the reduction.
    template <AsyncStages Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void run(Stages& s, index_t slices)
    {
        if(slices == 0)
            return;
        for(index_t buffer = 0; buffer < buffers - 1; ++buffer)
        {
            if(buffer < slices)
                s.copy(buffer);
            s.end_group(); // an empty one keeps the count
        }
        index_t full = 0, empty = buffers - 1;
        for(index_t i = 0; i < slices; ++i)
        {
            s.arrived(Number<buffers - 2>{}); // slice i; slice i - 1 has been read by every wave
            if(i + buffers - 1 < slices)
                s.copy(empty); // over slice i - 1
            s.end_group();
            s.multiply(full);
            full  = full + 1 == buffers ? 0 : full + 1;
            empty = empty + 1 == buffers ? 0 : empty + 1;
        }
    }
};

} // namespace ck::block
