#pragma once
// The skeleton of Hopper's warp-specialized kernels: initializes barriers, assigns roles, and
// moves registers from the warps that do not multiply to those that do. A kernel defines the
// roles.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/warpgroups.hpp"

namespace ck::grid {

/// The base of a kernel whose first `consumers` threads multiply. In the warpgroup after them the
/// first thread copies, and other warps may assist. The kernel has Registers, a
/// RegisterReallocation of these threads or LaunchedRegisters, and
///   prepare(shared)  initializes the barriers, by one thread
///   Producer         run(p, shared) is what the producer thread does
///   Consumer         run(p, shared, thread) is what a thread does that multiplies
/// and hides those of the functions below that differ for it.
template <class Kernel>
struct WarpSpecialized
{
    template <class Params, class SharedStorage>
    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        using Registers             = typename Kernel::Registers;
        constexpr index_t consumers = Registers::consumers, lanes = 32;
        arch::let_next_kernel_start();
        const index_t thread = arch::thread_index();
        if(thread == consumers)
            Kernel::prefetch(p);
        if(thread == 0)
        {
            Kernel::prepare(shared);
            arch::publish_barriers();
        }
        Kernel::set_up(p, shared, thread);
        Kernel::sync();
        if(Kernel::waits_first)
            arch::wait_for_previous_kernel();
        if(thread < consumers)
        {
            Registers::take();
            Kernel::multiply(p, shared, thread);
        }
        else
        {
            Registers::give_up();
            if(thread == consumers)
                Kernel::copy(p, shared);
            else if(thread >= consumers + lanes)
                Kernel::assist(p, shared, thread - consumers - lanes);
        }
        Kernel::finish();
    }

protected:
    /// Whether all threads wait for earlier kernels; otherwise roles do where they read memory.
    static constexpr bool waits_first = true;

    /// Prefetches what the copies need, in the producer thread, before the barriers are ready.
    template <class Params>
    CK_DEVICE CK_INLINE static void prefetch(const Params&)
    {}
    /// Fills tables in shared memory, in all threads, before the barriers are ready.
    template <class Params, class SharedStorage>
    CK_DEVICE CK_INLINE static void set_up(const Params&, SharedStorage&, index_t /*thread*/)
    {}
    /// Makes barriers and tables visible to all threads.
    CK_DEVICE CK_INLINE static void sync() { arch::block_sync(); }
    template <class Params, class SharedStorage>
    CK_DEVICE CK_INLINE static void copy(const Params& p, SharedStorage& shared)
    {
        Kernel::Producer::run(p, shared);
    }
    template <class Params, class SharedStorage>
    CK_DEVICE CK_INLINE static void multiply(const Params& p, SharedStorage& shared, index_t thread)
    {
        Kernel::Consumer::run(p, shared, thread);
    }
    /// The work of a warp that neither multiplies nor copies. thread: index among these.
    template <class Params, class SharedStorage>
    CK_DEVICE CK_INLINE static void assist(const Params&, SharedStorage&, index_t /*thread*/)
    {}
    /// Ends all threads' work.
    CK_DEVICE CK_INLINE static void finish() {}
};

/// Shared memory of a kernel that divides a pool into stages at launch. Rest: the part of fixed
/// size. limit: bytes per block.
template <class Rest, index_t limit>
struct PooledStorage
{
    static constexpr index_t pool_bytes =
        (limit - static_cast<index_t>(sizeof(Rest))) / 1024 * 1024;

    alignas(1024) char pool[pool_bytes];
    Rest rest;
};

} // namespace ck::grid
