#pragma once
// The index of the thread in its block, and of the block in the grid. Both are one-dimensional.

#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

#include <type_traits>

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/host/block.hpp"
#endif

namespace ck::arch {

CK_DEVICE CK_INLINE index_t thread_index()
{
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
    return static_cast<index_t>(threadIdx.x);
#else
    return host::position.thread;
#endif
}

CK_DEVICE CK_INLINE index_t block_index()
{
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
    return static_cast<index_t>(blockIdx.x);
#else
    return host::position.block;
#endif
}

/// x, which the caller promises to be equal in all lanes of the wave. On AMD it moves to a scalar
/// register, as does all arithmetic and addressing that depends only on it.
template <class T>
CK_DEVICE CK_INLINE T uniform(T x)
{
#if defined(CK_LANGUAGE_HIP)
    if constexpr(std::is_integral_v<T> && sizeof(T) == 4)
        return static_cast<T>(__builtin_amdgcn_readfirstlane(static_cast<int>(x)));
#endif
    return x;
}

/// Hides the value of x from the compiler: code that depends on it is computed here, not before a
/// loop, where it would occupy registers.
CK_DEVICE CK_INLINE index_t opaque(index_t x)
{
#if defined(CK_LANGUAGE_CUDA) && defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(x));
#endif
    return x;
}

/// The same for AMD, for an x that is equal in all lanes of the wave.
CK_DEVICE CK_INLINE index_t opaque_uniform(index_t x)
{
#if defined(CK_LANGUAGE_HIP) && defined(__HIP_DEVICE_COMPILE__)
    asm volatile("" : "+s"(x));
#endif
    return x;
}

/// p, which is equal in all lanes of the wave and points to memory that nobody writes during the
/// launch. On AMD it is read into scalar registers, like a kernel's parameters.
template <class T>
CK_DEVICE CK_INLINE const T* constant_uniform(const T* p)
{
#if defined(CK_LANGUAGE_HIP)
    const auto bits = reinterpret_cast<std::uint64_t>(p);
    const auto low =
        static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<std::int32_t>(bits)));
    const auto high = static_cast<std::uint32_t>(
        __builtin_amdgcn_readfirstlane(static_cast<std::int32_t>(bits >> 32)));
    using Constant = const __attribute__((address_space(4))) T;
    return (const T*)reinterpret_cast<Constant*>(std::uint64_t{high} << 32 | low);
#else
    return p;
#endif
}

} // namespace ck::arch
