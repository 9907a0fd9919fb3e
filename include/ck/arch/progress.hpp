#pragma once
// The progress of one thread, for others of its block that follow it.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

namespace ck::arch {

/// A counter of steps of one thread, in shared memory. Atomic, but orders nothing else. sm_70 and
/// later, and the host.
struct Progress
{
    index_t made;

    /// Starts at 0. One thread calls it; the others see it after a block_sync().
    CK_DEVICE CK_INLINE void prepare() { made = 0; }

    CK_DEVICE CK_INLINE void advance([[maybe_unused]] index_t steps = 1)
    {
#if defined(__CUDA_ARCH__)
        atomicAdd(&made, steps);
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
        made += steps;
#else
        trap();
#endif
    }
    CK_DEVICE CK_INLINE index_t steps()
    {
#if defined(__CUDA_ARCH__)
        return atomicAdd(&made, 0);
#else
        return made;
#endif
    }
    /// Waits until at least `for_steps` steps have been made; returns their number. On the host,
    /// whose threads take turns at barriers, returns at once.
    CK_DEVICE CK_INLINE index_t wait(index_t for_steps)
    {
#if defined(__CUDA_ARCH__)
        index_t so_far = steps();
        for(; so_far < for_steps; so_far = steps())
            __nanosleep(200);
        return so_far;
#else
        return for_steps;
#endif
    }
};

} // namespace ck::arch
