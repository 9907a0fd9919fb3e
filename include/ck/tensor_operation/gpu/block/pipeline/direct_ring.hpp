#pragma once
// A ring of LDS buffers that loads fill straight from memory (AMD): as MultiStage, for copies that
// are counted one by one. No group is empty, and the last slices are waited for together.
#include "ck/tensor_operation/gpu/block/pipeline/multi_stage.hpp"

namespace ck::block {

/// The stages of this schedule, beside those of AsyncStages.
template <class S>
concept DirectStages = AsyncStages<S> && requires(S stages)
{
    stages.wait(); // barrier
};

template <index_t buffers_>
struct DirectRing
{
    static_assert(buffers_ >= 2, "a ring has at least two buffers");
    static constexpr index_t buffers = buffers_;
    static constexpr index_t ahead   = buffers - 1; ///< slices that are copied before the first is
                                                    ///< multiplied

    /// C += A * B over `slices` slices of the reduction.
    template <DirectStages Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void run(Stages& s, index_t slices)
    {
        for(index_t slot = 0; slot < math::min(ahead, slices); ++slot)
        {
            if(slot > 0)
                s.wait(); // the tables of the last copy's places have been read
            s.copy(slot);
            s.end_group();
        }
        index_t left = slices - ahead; // slices that are not copied yet
        while(left >= buffers)         // whole turns of the ring: buffers are known by number
        {
            turn(s, Number<0>{});
            left -= buffers;
        }
        index_t full = 0;
        for(; left > 0; --left)
        {
            step(s, full, full == 0 ? ahead : full - 1);
            full = next(full);
        }
        s.arrived(Number<0>{});
        for(index_t rest = math::min(slices, ahead); rest > 0; --rest)
        {
            s.multiply(full);
            full = next(full);
        }
    }

private:
    static constexpr CK_HOST_DEVICE index_t next(index_t slot)
    {
        return slot + 1 == buffers ? 0 : slot + 1;
    }

    /// The steps of a turn, from `slot` on. No lambda: one that kernels share is not inlined.
    template <class Stages, index_t slot>
    CK_HOST_DEVICE CK_INLINE static constexpr void turn(Stages& s, Number<slot>)
    {
        step(s, Number<slot>{}, Number<(slot + ahead) % buffers>{});
        if constexpr(slot + 1 < buffers)
            turn(s, Number<slot + 1>{});
    }

    /// Multiplies the slice in `full` while the next one is copied to `empty`, which every wave has
    /// read before.
    template <class Stages, class Full, class Empty>
    CK_HOST_DEVICE CK_INLINE static constexpr void step(Stages& s, Full full, Empty empty)
    {
        s.arrived(Number<ahead - 1>{});
        s.copy(empty);
        s.end_group();
        s.multiply(full);
    }
};

} // namespace ck::block
