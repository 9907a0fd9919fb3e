#pragma once
// Barriers. They order shared memory. They do not guarantee that global memory written by one
// thread is visible to the other threads of its block.

#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/host/wave.hpp"
#endif

namespace ck::arch {

/// All threads of the block arrive before any goes on; earlier writes to shared memory are visible.
CK_DEVICE CK_INLINE void block_sync()
{
#if defined(CK_LANGUAGE_HIP)
    // Not __syncthreads(): on gfx908 and in RDNA's WGP mode that also waits for all outstanding
    // global loads, which a prefetching pipeline must not wait for. Each wave waits for its own LDS
    // accesses, then for the other waves.
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

/// The same for an aligned group of `lanes` threads, which must be inside one hardware wave.
template <index_t lanes>
CK_DEVICE CK_INLINE void wave_sync()
{
    static_assert(lanes == 32 || lanes == 64, "a wave has 32 or 64 lanes");
#if defined(CK_LANGUAGE_HIP)
    // The lanes of a wave run in lockstep, and LDS serves a wave's accesses in order: only the
    // compiler must be kept from moving accesses across. This generates no instruction.
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

/// Lets the next kernel of the stream start on free resources, if it declares starts_early
/// (arch/kernel.hpp), once all blocks have called this or ended. sm_90 (PTX ISA, "griddepcontrol");
/// does nothing elsewhere.
CK_DEVICE CK_INLINE void let_next_kernel_start()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/// Waits until previous kernels in the stream have ended and their writes are visible. For kernels
/// that start early.
CK_DEVICE CK_INLINE void wait_for_previous_kernel()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Targets on which a wave names what it waits for, and on which the compiler would wait many
/// times, before each first use of a loaded value: one wait can replace them all. For code that
/// issues loads long before their uses. False elsewhere.
inline constexpr bool waits_at_once =
    compiling_for == Target::gfx908 || compiling_for == Target::gfx90a ||
    compiling_for == Target::gfx942 || compiling_for == Target::gfx950;

/// Waits for the wave's reads of shared memory. Instructions are not moved across.
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

/// block_sync() for a wave that has not written to shared memory since wait_shared_reads().
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

/// Waits for the wave's loads from global memory. Instructions are not moved across:
/// multiplications before it hide the latency of the loads.
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

/// Instructions before it stay before it. Generates no instruction.
CK_DEVICE CK_INLINE void keep_order()
{
#if defined(CK_LANGUAGE_HIP)
    if constexpr(waits_at_once)
        __builtin_amdgcn_sched_barrier(0);
#endif
}

} // namespace ck::arch
