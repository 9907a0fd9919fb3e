#pragma once
// Copies from global to shared memory that bypass registers and complete later (PTX ISA,
// "cp.async"; sm_80 and later). For AMD, amd::buffer_load_to_lds() copies for whole waves. On the
// host a copy is done when it is waited for, not before, so that a missing wait is visible.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/index.hpp"

#include <cstring>
#include <vector>
#endif

namespace ck::arch {

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
namespace host {

struct PendingCopy
{
    void* to;
    const void* from;
    index_t bytes;   // 0: the end of a group
    index_t present; // bytes at the start that are copied; the rest is zeros
};

/// Copies that the threads of the block on this OS thread have not waited for yet.
inline std::vector<PendingCopy>& pending_copies()
{
    static thread_local std::vector<std::vector<PendingCopy>> of_thread(1024);
    return of_thread[static_cast<std::size_t>(thread_index())];
}

} // namespace host
#endif

/// Copies the first `present` of `bytes` bytes, and writes zeros for the others. bytes is 4, 8 or
/// 16, and both addresses are aligned to it.
/// whole_lines: the threads of a warp copy lines of 128 bytes in global memory to lines in shared
/// memory.
template <index_t bytes, bool whole_lines = false>
CK_DEVICE CK_INLINE void copy_async([[maybe_unused]] void* shared,
                                    [[maybe_unused]] const void* global,
                                    [[maybe_unused]] index_t present)
{
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
#if defined(__CUDA_ARCH__)
    const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    // Bypassing L1 (.cg) is only for whole lines: otherwise it asks L2 for each 16 bytes, if
    // neighbours in global memory are not neighbours in shared memory. H200: example 17's default
    // problem, mma.sync, 128 x 128 x 32 tiles, 0.603 ms instead of 0.320 through L1 (.ca); N 64, K
    // and C 256, 56x56, 3x3 forward, wgmma with whole lines, 0.363 instead of 0.450.
    if constexpr(whole_lines && bytes == 16)
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to),
                     "l"(global),
                     "r"(present)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to),
                     "l"(global),
                     "n"(bytes),
                     "r"(present)
                     : "memory");
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    host::pending_copies().push_back({shared, global, bytes, present});
#else
    trap();
#endif
}

/// Ends a group: the copies of this thread since the previous group.
CK_DEVICE CK_INLINE void end_copy_group()
{
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.commit_group;" ::: "memory");
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    host::pending_copies().push_back({nullptr, nullptr, 0, 0});
#endif
}

/// Waits until all groups of this thread except the last `groups` are in shared memory; other
/// threads see them after a block_sync(). copies: the number of copies in a group. AMD counts
/// copies, and all loads and stores, instead of groups: no copy may be empty.
template <index_t groups, index_t copies>
CK_DEVICE CK_INLINE void wait_copy_groups()
{
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#elif defined(__HIP_DEVICE_COMPILE__)
    static_assert(groups * copies < 64, "gfx9 counts up to 63 loads");
    asm volatile("s_waitcnt vmcnt(%0)" ::"n"(groups * copies) : "memory");
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    auto& pending  = host::pending_copies();
    index_t ending = 0;
    for(const auto& copy : pending)
        ending += copy.bytes == 0;
    std::size_t done = 0;
    for(; ending > groups; ++done)
    {
        const host::PendingCopy& copy = pending[done];
        if(copy.bytes == 0)
            --ending;
        else
        {
            std::memset(copy.to, 0, static_cast<std::size_t>(copy.bytes));
            if(copy.present > 0)
                std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.present));
        }
    }
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(done));
#endif
}

} // namespace ck::arch
