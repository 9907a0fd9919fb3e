#pragma once
// The shared memory of a workgroup, for code that lies inside a kernel of somebody else's and has
// no storage handed to it.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

#include <cstddef>

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include <stdexcept>
#include <string>
#endif

namespace ck::arch {

/// Whether a launch has to ask for the bytes of block_memory(): not on AMD, where they are of
/// static size, from which the compiler knows how many workgroups share a compute unit.
#if defined(CK_LANGUAGE_HIP)
inline constexpr bool block_memory_is_dynamic = false;
#else
inline constexpr bool block_memory_is_dynamic = true;
#endif

/// Bytes of shared memory that a compute unit of any target compiled for has for all its
/// workgroups. AMD's targets have 64 KiB, gfx950 160; the host 64; of NVIDIA's sm_80 has the least,
/// 164 KiB.
#if defined(CK_LANGUAGE_CUDA)
inline constexpr index_t shared_bytes_of_cu = 164 << 10;
#else
inline constexpr index_t shared_bytes_of_cu   = 64 << 10;
#endif

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
namespace host {

/// The shared memory of the block that this OS thread runs.
struct BlockMemory
{
    void* base        = nullptr;
    std::size_t bytes = 0;
};
inline constinit thread_local BlockMemory block_memory{};

} // namespace host
#endif

/// The first `bytes` bytes of the workgroup's shared memory that the launch asked for, aligned to
/// 128; on AMD bytes of their own. The same for all threads and calls with the same `Owner`.
template <class Owner, std::size_t bytes>
CK_DEVICE CK_INLINE void* block_memory()
{
#if defined(CK_LANGUAGE_HIP)
    __shared__ __attribute__((aligned(128))) unsigned char storage[bytes];
    return storage;
#elif defined(CK_LANGUAGE_CUDA)
    extern __shared__ __align__(1024) unsigned char storage[];
    return storage;
#else
    if(host::block_memory.bytes < bytes)
        throw std::logic_error("the kernel was launched with " +
                               std::to_string(host::block_memory.bytes) +
                               " bytes of shared memory, but needs " + std::to_string(bytes));
    return host::block_memory.base;
#endif
}

} // namespace ck::arch
