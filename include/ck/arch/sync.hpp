#pragma once
// Barriers. They order shared memory; global memory that one thread writes is not promised to be
// visible to the others of its block after one.

#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/host/wave.hpp"
#endif

namespace ck::arch {

/// All threads of the block arrive before any goes on; shared memory written before is seen after.
CK_DEVICE CK_INLINE void block_sync()
{
#if defined(CK_LANGUAGE_HIP)
    // Not __syncthreads(): on gfx908 and in RDNA's WGP mode that also waits for every outstanding
    // global load, and a pipeline that prefetches from global memory lives on not waiting. Each
    // wave waits for its own LDS accesses, then for the other waves.
    if constexpr(compiling_for == Target::gfx12)
        asm volatile("s_wait_dscnt 0x0\n\ts_barrier_signal -1\n\ts_barrier_wait -1" ::: "memory");
    else
        asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
#elif defined(CK_LANGUAGE_CUDA)
    __syncthreads();
#else
    host::require_block("block_sync").barrier();
#endif
}

/// The same for an aligned group of `lanes` threads, which lies inside one hardware wave.
template <index_t lanes>
CK_DEVICE CK_INLINE void wave_sync()
{
    static_assert(lanes == 32 || lanes == 64, "a wave has 32 or 64 lanes");
#if defined(CK_LANGUAGE_HIP)
    // The lanes of a wave run in step and LDS serves one wave's accesses in order: what remains is
    // to keep the compiler from moving accesses across. No instruction comes of it.
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#elif defined(CK_LANGUAGE_CUDA)
    static_assert(lanes == 32, "an NVIDIA warp has 32 lanes");
    __syncwarp();
#else
    wave_operation(lanes, nullptr, [](void* const*) {});
#endif
}

/// From now on the next kernel of the stream may start on what this one leaves free, if it says
/// that it starts_early (arch/kernel.hpp); when all blocks have called this or ended. sm_90 (PTX
/// ISA, "griddepcontrol"); nothing elsewhere.
CK_DEVICE CK_INLINE void let_next_kernel_start()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/// The kernels before this one in its stream have ended, and what they wrote is seen. For kernels
/// that start early.
CK_DEVICE CK_INLINE void wait_for_previous_kernel()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Targets on which a wave names what it waits for, and where the compiler's own waits, one before
/// each first use of something loaded, would be many: one may stand for all of them. For code that
/// has put the loads far ahead of their uses. Nothing elsewhere.
inline constexpr bool waits_at_once =
    compiling_for == Target::gfx908 || compiling_for == Target::gfx90a ||
    compiling_for == Target::gfx942 || compiling_for == Target::gfx950;

/// The wave's reads of shared memory are done. Instructions before and after it stay there.
CK_DEVICE CK_INLINE void wait_shared_reads()
{
#if defined(CK_LANGUAGE_HIP)
    if constexpr(waits_at_once)
    {
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_waitcnt(0xc07f); // lgkmcnt(0): LLVM AMDGPU usage, "S_WAITCNT", gfx9
        __builtin_amdgcn_sched_barrier(0);
    }
#endif
}

/// block_sync() of a wave that has written nothing to shared memory since wait_shared_reads().
CK_DEVICE CK_INLINE void block_sync_after_reads()
{
#if defined(CK_LANGUAGE_HIP)
    if constexpr(waits_at_once)
    {
        asm volatile("s_barrier" ::: "memory");
        return;
    }
#endif
    block_sync();
}

/// The wave's loads from global memory are done. Instructions before and after it stay there: what
/// is multiplied meanwhile is the time that they have.
CK_DEVICE CK_INLINE void wait_global_loads()
{
#if defined(CK_LANGUAGE_HIP)
    if constexpr(waits_at_once)
    {
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_waitcnt(0x0f70); // vmcnt(0)
        __builtin_amdgcn_sched_barrier(0);
    }
#endif
}

/// Instructions before it stay before it. No instruction comes of it.
CK_DEVICE CK_INLINE void keep_order()
{
#if defined(CK_LANGUAGE_HIP)
    if constexpr(waits_at_once)
        __builtin_amdgcn_sched_barrier(0);
#endif
}

} // namespace ck::arch
