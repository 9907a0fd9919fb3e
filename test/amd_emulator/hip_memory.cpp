// HIP: allocations, copies, fills and symbols. Streams are in order and done at once.
#include "hip_runtime.hpp"
#include "memory_map.hpp"
#include "options.hpp"
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <type_traits>

namespace emu {

namespace {

constexpr size_t page = 4096;
size_t in_pages(size_t bytes) { return (bytes + page - 1) & ~(page - 1); }

hipError_t deallocate(void* address)
{
    if(address == nullptr)
        return hipSuccess;
    Runtime& state = runtime();
    const std::lock_guard lock(state.mutex);
    const auto found = state.allocations.find(reinterpret_cast<uint64_t>(address));
    if(found == state.allocations.end())
        return hipErrorInvalidValue;
    mem_del(found->first);
    munmap(static_cast<uint8_t*>(address) - page, in_pages(found->second) + 2 * page);
    state.allocated -= found->second;
    state.allocations.erase(found);
    return hipSuccess;
}

/// False for what begins in an allocation and ends outside it.
bool inside(const void* address, size_t bytes)
{
    Runtime& state = runtime();
    const std::lock_guard lock(state.mutex);
    const auto begin = reinterpret_cast<uint64_t>(address);
    auto at          = state.allocations.upper_bound(begin);
    if(at == state.allocations.begin())
        return true;
    --at;
    const uint64_t end = at->first + at->second;
    return begin >= end || begin + bytes <= end;
}

hipError_t copy(void* to, const void* from, size_t bytes)
{
    if(bytes == 0)
        return hipSuccess;
    if(to == nullptr || from == nullptr)
        return remembered(hipErrorInvalidValue);
    if(!inside(to, bytes) || !inside(from, bytes))
    {
        fprintf(stderr, "emu: hipMemcpy of %zu bytes overruns an allocation\n", bytes);
        return remembered(hipErrorInvalidValue);
    }
    memmove(to, from, bytes);
    return hipSuccess;
}

template <class T>
hipError_t fill(void* to, T value, size_t count)
{
    if(!inside(to, count * sizeof(T)))
    {
        fprintf(stderr, "emu: hipMemset of %zu bytes overruns an allocation\n", count * sizeof(T));
        return remembered(hipErrorInvalidValue);
    }
    for(size_t i = 0; i < count; ++i)
        static_cast<T*>(to)[i] = value;
    return hipSuccess;
}

} // namespace

hipError_t allocate(void** address, size_t bytes, const char* what, bool of_host)
{
    if(address == nullptr)
        return remembered(hipErrorInvalidValue);
    *address = nullptr;
    if(bytes == 0)
        return hipSuccess;
    const size_t size  = in_pages(bytes);
    void* const mapped = mmap(nullptr,
                              size + 2 * page,
                              PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                              -1,
                              0);
    if(mapped == MAP_FAILED)
        return remembered(hipErrorOutOfMemory);
    auto* const memory = static_cast<uint8_t*>(mapped) + page;
    mprotect(mapped, page, PROT_NONE);
    mprotect(memory + size, page, PROT_NONE);
    constexpr size_t most_poisoned = size_t{1}
                                     << 30; // larger ones stay pages that nobody has touched
    if(options().poison && !of_host && bytes <= most_poisoned)
        memset(memory, 0xfd, bytes);
    mem_add(reinterpret_cast<uint64_t>(memory), bytes, what);
    Runtime& state = runtime();
    const std::lock_guard lock(state.mutex);
    state.allocations[reinterpret_cast<uint64_t>(memory)] = bytes;
    state.allocated += bytes;
    *address = memory;
    return hipSuccess;
}

} // namespace emu

using namespace emu;

EXPORTED hipError_t hipMalloc(void** p, size_t n) { return allocate(p, n, "hipMalloc", false); }
EXPORTED hipError_t hipExtMallocWithFlags(void** p, size_t n, unsigned) { return hipMalloc(p, n); }
EXPORTED hipError_t hipMallocAsync(void** p, size_t n, hipStream_t) { return hipMalloc(p, n); }
EXPORTED hipError_t hipMallocManaged(void** p, size_t n, unsigned) { return hipMalloc(p, n); }
EXPORTED hipError_t hipHostMalloc(void** p, size_t n, unsigned)
{
    return allocate(p, n, "hipHostMalloc", true);
}
EXPORTED hipError_t hipMallocHost(void** p, size_t n) { return hipHostMalloc(p, n, 0); }
EXPORTED hipError_t hipHostAlloc(void** p, size_t n, unsigned) { return hipHostMalloc(p, n, 0); }
EXPORTED hipError_t hipMallocPitch(void** p, size_t* pitch, size_t width, size_t height)
{
    *pitch = (width + 127) & ~size_t{127};
    return hipMalloc(p, *pitch * height);
}
EXPORTED hipError_t hipFree(void* p) { return remembered(deallocate(p)); }
EXPORTED hipError_t hipFreeAsync(void* p, hipStream_t) { return hipFree(p); }
EXPORTED hipError_t hipHostFree(void* p) { return hipFree(p); }
EXPORTED hipError_t hipFreeHost(void* p) { return hipFree(p); }
EXPORTED hipError_t hipHostRegister(void* p, size_t n, unsigned)
{
    mem_add(reinterpret_cast<uint64_t>(p), n, "hipHostRegister");
    return hipSuccess;
}
EXPORTED hipError_t hipHostUnregister(void* p)
{
    return mem_del(reinterpret_cast<uint64_t>(p)) ? hipSuccess : remembered(hipErrorInvalidValue);
}
EXPORTED hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned)
{
    *device = host;
    return hipSuccess;
}
EXPORTED hipError_t hipMemGetInfo(size_t* free, size_t* total)
{
    const std::lock_guard lock(runtime().mutex);
    *total = device_memory;
    *free  = device_memory - runtime().allocated;
    return hipSuccess;
}
EXPORTED hipError_t hipMemPtrGetInfo(void* p, size_t* size)
{
    const std::lock_guard lock(runtime().mutex);
    const auto found = runtime().allocations.find(reinterpret_cast<uint64_t>(p));
    if(found == runtime().allocations.end())
        return remembered(hipErrorInvalidValue);
    *size = found->second;
    return hipSuccess;
}
EXPORTED hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* p)
{
    memset(attributes, 0, sizeof *attributes);
    if(!mem_ok(reinterpret_cast<uint64_t>(p), 1))
        return remembered(hipErrorInvalidValue);
#if HIP_VERSION_MAJOR < 6
    attributes->memoryType = hipMemoryTypeDevice;
#else
    attributes->type = hipMemoryTypeDevice;
#endif
    attributes->devicePointer = attributes->hostPointer = const_cast<void*>(p);
    return hipSuccess;
}
EXPORTED hipError_t hipMemPrefetchAsync(const void*, size_t, int, hipStream_t)
{
    return hipSuccess;
}
EXPORTED hipError_t hipMemAdvise(const void*, size_t, hipMemoryAdvise, int) { return hipSuccess; }

// Copies
using HostSource = std::conditional_t < HIP_VERSION_MAJOR<7, void*, const void*>;
EXPORTED hipError_t hipMemcpy(void* to, const void* from, size_t n, hipMemcpyKind)
{
    return copy(to, from, n);
}
EXPORTED hipError_t
hipMemcpyWithStream(void* to, const void* from, size_t n, hipMemcpyKind, hipStream_t)
{
    return copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyAsync(void* to, const void* from, size_t n, hipMemcpyKind, hipStream_t)
{
    return copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyHtoD(hipDeviceptr_t to, HostSource from, size_t n)
{
    return copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t n)
{
    return copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t n)
{
    return copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, HostSource from, size_t n, hipStream_t)
{
    return copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t n, hipStream_t)
{
    return copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to,
                                       hipDeviceptr_t from,
                                       size_t n,
                                       hipStream_t)
{
    return copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyPeer(void* to, int, const void* from, int, size_t n)
{
    return copy(to, from, n);
}
EXPORTED hipError_t hipMemcpy2D(void* to,
                                size_t to_pitch,
                                const void* from,
                                size_t from_pitch,
                                size_t width,
                                size_t height,
                                hipMemcpyKind)
{
    for(size_t i = 0; i < height; ++i)
        if(const hipError_t error = copy(static_cast<char*>(to) + i * to_pitch,
                                         static_cast<const char*>(from) + i * from_pitch,
                                         width))
            return error;
    return hipSuccess;
}
EXPORTED hipError_t hipMemcpy2DAsync(void* to,
                                     size_t to_pitch,
                                     const void* from,
                                     size_t from_pitch,
                                     size_t width,
                                     size_t height,
                                     hipMemcpyKind kind,
                                     hipStream_t)
{
    return hipMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

// Fills
EXPORTED hipError_t hipMemset(void* to, int value, size_t n)
{
    return fill(to, static_cast<uint8_t>(value), n);
}
EXPORTED hipError_t hipMemsetAsync(void* to, int value, size_t n, hipStream_t)
{
    return hipMemset(to, value, n);
}
EXPORTED hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t n)
{
    return fill(to, value, n);
}
EXPORTED hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t n, hipStream_t)
{
    return fill(to, value, n);
}
EXPORTED hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t n)
{
    return fill(to, value, n);
}
EXPORTED hipError_t hipMemsetD16Async(hipDeviceptr_t to,
                                      unsigned short value,
                                      size_t n,
                                      hipStream_t)
{
    return fill(to, value, n);
}
EXPORTED hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t n)
{
    return fill(to, value, n);
}
EXPORTED hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t n, hipStream_t)
{
    return fill(to, value, n);
}
EXPORTED hipError_t hipMemset2D(void* to, size_t pitch, int value, size_t width, size_t height)
{
    for(size_t i = 0; i < height; ++i)
        if(const hipError_t error = hipMemset(static_cast<char*>(to) + i * pitch, value, width))
            return error;
    return hipSuccess;
}
EXPORTED hipError_t
hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, hipStream_t)
{
    return hipMemset2D(to, pitch, value, width, height);
}

// Symbols
EXPORTED hipError_t hipGetSymbolAddress(void** address, const void* host_address)
{
    const Code::Symbol* const symbol = find_symbol(host_address);
    if(symbol == nullptr)
        return remembered(hipErrorInvalidSymbol);
    *address = reinterpret_cast<void*>(symbol->address);
    return hipSuccess;
}
EXPORTED hipError_t hipGetSymbolSize(size_t* size, const void* host_address)
{
    const Code::Symbol* const symbol = find_symbol(host_address);
    if(symbol == nullptr)
        return remembered(hipErrorInvalidSymbol);
    *size = symbol->size;
    return hipSuccess;
}

namespace {
/// The bytes of a symbol; nullptr where it has not that many.
char* part_of_symbol(const void* host_address, size_t offset, size_t bytes)
{
    const Code::Symbol* const symbol = find_symbol(host_address);
    if(symbol == nullptr || offset + bytes > symbol->size)
        return nullptr;
    return reinterpret_cast<char*>(symbol->address) + offset;
}
} // namespace
EXPORTED hipError_t hipMemcpyToSymbol(
    const void* host_address, const void* from, size_t n, size_t offset, hipMemcpyKind)
{
    char* const to = part_of_symbol(host_address, offset, n);
    return to == nullptr ? remembered(hipErrorInvalidSymbol) : copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyToSymbolAsync(const void* host_address,
                                           const void* from,
                                           size_t n,
                                           size_t offset,
                                           hipMemcpyKind kind,
                                           hipStream_t)
{
    return hipMemcpyToSymbol(host_address, from, n, offset, kind);
}
EXPORTED hipError_t
hipMemcpyFromSymbol(void* to, const void* host_address, size_t n, size_t offset, hipMemcpyKind)
{
    const char* const from = part_of_symbol(host_address, offset, n);
    return from == nullptr ? remembered(hipErrorInvalidSymbol) : copy(to, from, n);
}
EXPORTED hipError_t hipMemcpyFromSymbolAsync(
    void* to, const void* host_address, size_t n, size_t offset, hipMemcpyKind kind, hipStream_t)
{
    return hipMemcpyFromSymbol(to, host_address, n, offset, kind);
}
