#pragma once
// A circular buffer of LDS slices filled by asynchronous copies and read by asynchronous
// multiplications: while two slices are being multiplied, the next buffers - 2 are in flight. One
// barrier per slice.
#include "ck/tensor_operation/gpu/block/pipeline/multi_stage.hpp"

namespace ck::block {

/// The stages of this schedule, in addition to the copies of AsyncStages.
template <class S>
concept OverlappedStages = requires(S stages, index_t stage, Number<1> groups)
{
    stages.copy(stage);
    stages.end_group();
    stages.arrived(groups);
    stages.start(stage);     // start multiplying
    stages.wait_mma(groups); // all but the last `groups` starts of this wave are done
};

template <index_t buffers_>
struct OverlappedMultiStage
{
    static_assert(buffers_ >= 3, "two slices are multiplied while a third arrives");
    static constexpr index_t buffers = buffers_;

    /// C += A * B over `slices` slices of the reduction.
    template <OverlappedStages Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void run(Stages& s, index_t slices)
    {
        constexpr index_t prefetch = buffers - 2;
        for(index_t stage = 0; stage < prefetch; ++stage)
        {
            if(stage < slices)
                s.copy(stage);
            s.end_group(); // an empty one keeps the count
        }
        index_t full = 0, empty = prefetch; // stages
        for(index_t i = 0; i < slices; ++i)
        {
            s.arrived(Number<prefetch - 1>{}); // slice i; every wave is done with slice i - 2
            s.start(full);
            if(i + prefetch < slices)
                s.copy(empty); // over slice i - 2
            s.end_group();
            s.wait_mma(Number<1>{}); // slice i - 1
            full  = full + 1 == buffers ? 0 : full + 1;
            empty = empty + 1 == buffers ? 0 : empty + 1;
        }
        s.wait_mma(Number<0>{});
    }
};

} // namespace ck::block
