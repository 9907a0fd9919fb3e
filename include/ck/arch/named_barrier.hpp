#pragma once
// A barrier for some warps of a block.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/transaction_barrier.hpp"

namespace ck::arch {

/// A barrier of the first `threads` threads of a block, whole warps: all arrive before any goes on,
/// and then they see what the others wrote to shared memory. Only one for each block (PTX ISA,
/// "bar.sync").
template <index_t threads>
struct NamedBarrier
{
    static_assert(threads % 32 == 0);
    TransactionBarrier arrivals; // for the host; counts warps

    /// Initializes the barrier. One thread calls it, before the others use the barrier.
    CK_DEVICE CK_INLINE void prepare() { initialize(arrivals, threads / 32); }

    CK_DEVICE CK_INLINE void arrive_and_wait()
    {
#if defined(__CUDA_ARCH__)
        asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
        const index_t parity = arrivals.parity;
        wave_sync<32>(); // the whole warp has read it
        if(thread_index() % 32 == 0)
            arrive(arrivals);
        wait(arrivals, parity);
#elif defined(CK_LANGUAGE_HIP)
        trap();
#endif
    }
};

} // namespace ck::arch
