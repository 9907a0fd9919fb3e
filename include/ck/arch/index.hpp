#pragma once
// Who am I: thread within the block, block within the grid. Blocks and grids are one-dimensional.

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

/// x, which the caller promises to be equal in all lanes of the wave: on AMD it moves to a scalar
/// register, and with it all arithmetic and addressing that depends on nothing else.
template <class T>
CK_DEVICE CK_INLINE T uniform(T x)
{
#if defined(CK_LANGUAGE_HIP)
    if constexpr(std::is_integral_v<T> && sizeof(T) == 4)
        return static_cast<T>(__builtin_amdgcn_readfirstlane(static_cast<int>(x)));
#endif
    return x;
}

} // namespace ck::arch
