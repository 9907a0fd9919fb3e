#pragma once
// Barriers in shared memory that wait for threads and for the bytes of copies (mbarrier, sm_90; PTX
// ISA, "Parallel Synchronization and Communication Instructions: mbarrier"). Emulated on the host.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

#include <cstdint>

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/host/block.hpp"
#endif

namespace ck::arch {

/// A phase ends once the number of arrivals set by initialize(), and all bytes that they announced,
/// have come; then the next one starts. The fields are for the host.
struct alignas(8) TransactionBarrier
{
    std::int32_t bytes;   // announced, not yet arrived; may be negative in between
    std::int16_t missing; // missing arrivals
    std::int8_t arrivals; // arrivals in each phase
    std::int8_t parity;   // the current phase's
};

namespace detail {
#if defined(__CUDA_ARCH__)
CK_DEVICE CK_INLINE std::uint32_t shared_address(const void* p)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
inline void end_phase_if_complete(TransactionBarrier& b)
{
    if(b.missing != 0 || b.bytes != 0)
        return;
    b.missing = b.arrivals;
    b.parity ^= 1;
    host::require_block("a transaction barrier").wake();
}
#endif
} // namespace detail

/// Initializes a barrier for phases of `arrivals` arrivals. One thread calls it; the others see it
/// after publish_barriers() and a block_sync().
CK_DEVICE CK_INLINE void initialize([[maybe_unused]] TransactionBarrier& b,
                                    [[maybe_unused]] index_t arrivals)
{
#if defined(__CUDA_ARCH__)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(detail::shared_address(&b)),
                 "r"(arrivals)
                 : "memory");
#else
    b = {0, static_cast<std::int16_t>(arrivals), static_cast<std::int8_t>(arrivals), 0};
#endif
}
CK_DEVICE CK_INLINE void publish_barriers()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

CK_DEVICE CK_INLINE void arrive([[maybe_unused]] TransactionBarrier& b)
{
#if defined(__CUDA_ARCH__)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(detail::shared_address(&b))
                 : "memory");
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    --b.missing;
    detail::end_phase_if_complete(b);
#endif
}

/// Arrives at the same barrier of block `rank` of the cluster.
CK_DEVICE CK_INLINE void arrive_in_cluster([[maybe_unused]] TransactionBarrier& b,
                                           [[maybe_unused]] index_t rank)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(detail::shared_address(&b)),
        "r"(rank)
        : "memory");
#else
    trap(); // the host has no clusters
#endif
}

/// All threads of all blocks of the cluster arrive before any goes on; earlier writes to their
/// shared memory are visible.
CK_DEVICE CK_INLINE void cluster_sync()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#else
    trap();
#endif
}

/// Arrives, and announces bytes of copies that will complete on this barrier.
CK_DEVICE CK_INLINE void arrive_expecting([[maybe_unused]] TransactionBarrier& b,
                                          [[maybe_unused]] index_t bytes)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(detail::shared_address(&b)),
        "r"(bytes)
        : "memory");
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    b.bytes += bytes;
    --b.missing;
    detail::end_phase_if_complete(b);
#endif
}

/// Waits until the phase of this parity has ended. The first phase has parity 0; the phase before
/// it has parity 1 and has ended.
CK_DEVICE CK_INLINE void wait([[maybe_unused]] TransactionBarrier& b,
                              [[maybe_unused]] index_t parity)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("{\n.reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n}" ::"r"(detail::shared_address(&b)),
                 "r"(parity)
                 : "memory");
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    while(b.parity == parity)
        host::require_block("a transaction barrier").sleep();
#endif
}

} // namespace ck::arch
