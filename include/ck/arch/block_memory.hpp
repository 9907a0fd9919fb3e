#pragma once
// The shared memory of a workgroup, for code inside a user's kernel that does not receive storage
// as an argument.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

#include <cstddef>

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include <stdexcept>
#include <string>
#endif

namespace ck::arch {

/// Whether a launch has to request the bytes of block_memory(). Not on AMD: there they have a
/// static size, which tells the compiler how many workgroups share a compute unit.
#if defined(CK_LANGUAGE_HIP)
inline constexpr bool block_memory_is_dynamic = false;
#else
inline constexpr bool block_memory_is_dynamic = true;
#endif

/// Bytes of shared memory that a compute unit has for all its workgroups, on every target compiled
/// for: 64 KiB on AMD's targets, 160 on gfx950; 64 on the host; on NVIDIA's, sm_80 has the least,
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

/// The first `bytes` bytes of the workgroup's shared memory that the launch requested, aligned to
/// 128; on AMD separate memory. The same for all threads and calls with the same `Owner`.
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
