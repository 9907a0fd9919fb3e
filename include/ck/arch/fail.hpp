#pragma once
// Ends a kernel whose caller passed invalid arguments.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

#include <cstdint>

#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
#if !defined(NDEBUG)
#include <cstdio>
#endif
#else
#include <stdexcept>
#endif

namespace ck::arch {

/// Whether kernels make checks that cost time: on the host, and in debug builds.
#if defined(NDEBUG) && (defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA))
inline constexpr bool checks_in_kernels = false;
#else
inline constexpr bool checks_in_kernels = true;
#endif

/// Ends the kernel. On the host it throws std::invalid_argument(message), which leaves the launch.
/// On a GPU it traps; debug builds print the message first, once for each wave, until the first
/// wave that traps ends the others.
CK_DEVICE inline void fail([[maybe_unused]] const char* message)
{
#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    throw std::invalid_argument(message);
#else
#if !defined(NDEBUG)
#if defined(CK_LANGUAGE_HIP)
    const auto thread     = static_cast<std::int32_t>(threadIdx.x);
    const bool first_lane = thread == __builtin_amdgcn_readfirstlane(thread);
#else
    const bool first_lane = 1u << threadIdx.x % 32 == (__activemask() & (0u - __activemask()));
#endif
    if(first_lane)
        printf("block %u: %s\n", static_cast<unsigned>(blockIdx.x), message);
#endif
    trap();
#endif
}

} // namespace ck::arch
