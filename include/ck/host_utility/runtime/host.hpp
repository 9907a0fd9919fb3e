#pragma once
// HIP's names without a GPU: device memory is host memory, and every call is synchronous.
// Errors are returned as in HIP, and kept for hipGetLastError. Enumerators have HIP's
// values.

#include "ck/host_utility/runtime/platform.hpp"

#if defined(CK_RUNTIME_HOST)

#include "ck/host_utility/runtime/stand_in.hpp"

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>
#include <unistd.h>

enum hipError_t
{
    hipSuccess                     = 0,
    hipErrorInvalidValue           = 1,
    hipErrorOutOfMemory            = 2,
    hipErrorNotInitialized         = 3,
    hipErrorInvalidConfiguration   = 9,
    hipErrorInvalidDevicePointer   = 17,
    hipErrorInvalidMemcpyDirection = 21,
    hipErrorInvalidDeviceFunction  = 98,
    hipErrorNoDevice               = 100,
    hipErrorInvalidDevice          = 101,
    hipErrorNoBinaryForGpu         = 209,
    hipErrorInvalidHandle          = 400,
    hipErrorNotReady               = 600,
    hipErrorIllegalAddress         = 700,
    hipErrorLaunchOutOfResources   = 701,
    hipErrorLaunchFailure          = 719,
    hipErrorNotSupported           = 801,
    hipErrorUnknown                = 999
};
inline constexpr hipError_t hipErrorInvalidResourceHandle = hipErrorInvalidHandle;

enum hipMemcpyKind
{
    hipMemcpyHostToHost     = 0,
    hipMemcpyHostToDevice   = 1,
    hipMemcpyDeviceToHost   = 2,
    hipMemcpyDeviceToDevice = 3,
    hipMemcpyDefault        = 4
};

inline constexpr unsigned hipStreamDefault      = 0;
inline constexpr unsigned hipStreamNonBlocking  = 1;
inline constexpr unsigned hipEventDefault       = 0;
inline constexpr unsigned hipEventBlockingSync  = 1;
inline constexpr unsigned hipEventDisableTiming = 2;
inline constexpr unsigned hipHostMallocDefault  = 0;

struct dim3
{
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

struct ihipStream_t
{};
using hipStream_t = ihipStream_t*;

struct ihipEvent_t
{
    std::chrono::steady_clock::time_point time{};
    bool recorded = false;
    bool timing   = true;
};
using hipEvent_t = ihipEvent_t*;

struct hipDeviceProp_t
{
    char name[256];
    char gcnArchName[256];
    int multiProcessorCount;
    int warpSize;
    std::size_t sharedMemPerBlock; // bytes
    std::size_t totalGlobalMem;    // bytes
    int clockRate;                 // kHz
    int l2CacheSize;               // bytes
    int major;
    int minor;
};

namespace ck::host_runtime {

inline constinit thread_local hipError_t last_error = hipSuccess;

inline hipError_t result(hipError_t error)
{
    if(error != hipSuccess)
        last_error = error;
    return error;
}

inline constexpr std::align_val_t alignment{256};         // as in device allocators
inline constexpr std::size_t poison_limit = 256ull << 20; // bytes

inline std::size_t memory_bytes(int page_count_name)
{
    const long pages = sysconf(page_count_name), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? static_cast<std::size_t>(pages) * bytes : 0;
}

/// New memory reads as NaN, so that code which relies on zeros fails visibly. Allocations larger
/// than `poison_limit` are left untouched, since they may be meant to stay sparse.
inline hipError_t allocate(void** p, std::size_t bytes)
{
    if(p == nullptr)
        return result(hipErrorInvalidValue);
    *p = nullptr;
    if(bytes == 0)
        return hipSuccess;
    // refuse what cannot fit: sanitizers would stop the program at an absurd size
    if(bytes > memory_bytes(_SC_PHYS_PAGES))
        return result(hipErrorOutOfMemory);
    void* const memory = ::operator new(bytes, alignment, std::nothrow);
    if(memory == nullptr)
        return result(hipErrorOutOfMemory);
    if(bytes <= poison_limit)
        std::memset(memory, 0xFF, bytes);
    *p = memory;
    return hipSuccess;
}

inline hipError_t release(void* p)
{
    ::operator delete(p, alignment);
    return hipSuccess;
}

template <class T>
hipError_t allocate_typed(T** p, std::size_t bytes)
{
    void* memory           = nullptr;
    const hipError_t error = allocate(p == nullptr ? nullptr : &memory, bytes);
    if(p != nullptr)
        *p = static_cast<T*>(memory);
    return error;
}

} // namespace ck::host_runtime

inline const char* hipGetErrorName(hipError_t error)
{
    switch(error)
    {
    case hipSuccess:
        return "hipSuccess";
    case hipErrorInvalidValue:
        return "hipErrorInvalidValue";
    case hipErrorOutOfMemory:
        return "hipErrorOutOfMemory";
    case hipErrorNotInitialized:
        return "hipErrorNotInitialized";
    case hipErrorInvalidConfiguration:
        return "hipErrorInvalidConfiguration";
    case hipErrorInvalidDevicePointer:
        return "hipErrorInvalidDevicePointer";
    case hipErrorInvalidMemcpyDirection:
        return "hipErrorInvalidMemcpyDirection";
    case hipErrorInvalidDeviceFunction:
        return "hipErrorInvalidDeviceFunction";
    case hipErrorNoDevice:
        return "hipErrorNoDevice";
    case hipErrorInvalidDevice:
        return "hipErrorInvalidDevice";
    case hipErrorNoBinaryForGpu:
        return "hipErrorNoBinaryForGpu";
    case hipErrorInvalidHandle:
        return "hipErrorInvalidHandle";
    case hipErrorNotReady:
        return "hipErrorNotReady";
    case hipErrorIllegalAddress:
        return "hipErrorIllegalAddress";
    case hipErrorLaunchOutOfResources:
        return "hipErrorLaunchOutOfResources";
    case hipErrorLaunchFailure:
        return "hipErrorLaunchFailure";
    case hipErrorNotSupported:
        return "hipErrorNotSupported";
    case hipErrorUnknown:
        return "hipErrorUnknown";
    }
    return "unrecognised hipError_t";
}

inline const char* hipGetErrorString(hipError_t error)
{
    switch(error)
    {
    case hipSuccess:
        return "no error";
    case hipErrorInvalidValue:
        return "invalid argument";
    case hipErrorOutOfMemory:
        return "out of memory";
    case hipErrorInvalidConfiguration:
        return "invalid launch configuration";
    case hipErrorInvalidMemcpyDirection:
        return "invalid copy direction";
    case hipErrorInvalidDevice:
        return "invalid device ordinal";
    case hipErrorInvalidHandle:
        return "invalid stream or event";
    case hipErrorLaunchOutOfResources:
        return "too many resources requested for launch";
    default:
        return hipGetErrorName(error);
    }
}

inline hipError_t hipPeekAtLastError() { return ck::host_runtime::last_error; }

inline hipError_t hipGetLastError()
{
    const hipError_t error       = ck::host_runtime::last_error;
    ck::host_runtime::last_error = hipSuccess;
    return error;
}

inline hipError_t hipMalloc(void** p, std::size_t bytes)
{
    return ck::host_runtime::allocate(p, bytes);
}

template <class T>
hipError_t hipMalloc(T** p, std::size_t bytes)
{
    return ck::host_runtime::allocate_typed(p, bytes);
}

inline hipError_t hipFree(void* p) { return ck::host_runtime::release(p); }

inline hipError_t hipHostMalloc(void** p, std::size_t bytes, unsigned = hipHostMallocDefault)
{
    return ck::host_runtime::allocate(p, bytes);
}

template <class T>
hipError_t hipHostMalloc(T** p, std::size_t bytes, unsigned = hipHostMallocDefault)
{
    return ck::host_runtime::allocate_typed(p, bytes);
}

inline hipError_t hipHostFree(void* p) { return ck::host_runtime::release(p); }

inline hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind)
{
    if(kind < hipMemcpyHostToHost || kind > hipMemcpyDefault)
        return ck::host_runtime::result(hipErrorInvalidMemcpyDirection);
    if(bytes == 0)
        return hipSuccess;
    if(to == nullptr || from == nullptr)
        return ck::host_runtime::result(hipErrorInvalidValue);
    std::memmove(to, from, bytes);
    return hipSuccess;
}

inline hipError_t hipMemcpyAsync(
    void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t = nullptr)
{
    return hipMemcpy(to, from, bytes, kind);
}

/// Copies `height` rows of `width` bytes. Rows start `to_pitch` and `from_pitch` bytes after the
/// previous row.
inline hipError_t hipMemcpy2DAsync(void* to,
                                   std::size_t to_pitch,
                                   const void* from,
                                   std::size_t from_pitch,
                                   std::size_t width,
                                   std::size_t rows,
                                   hipMemcpyKind kind,
                                   hipStream_t = nullptr)
{
    if(width > to_pitch || width > from_pitch)
        return ck::host_runtime::result(hipErrorInvalidValue);
    for(std::size_t row = 0; row < rows; ++row)
        if(const hipError_t error = hipMemcpy(static_cast<char*>(to) + row * to_pitch,
                                              static_cast<const char*>(from) + row * from_pitch,
                                              width,
                                              kind);
           error != hipSuccess)
            return error;
    return hipSuccess;
}

inline hipError_t hipMemset(void* to, int byte, std::size_t bytes)
{
    if(bytes == 0)
        return hipSuccess;
    if(to == nullptr)
        return ck::host_runtime::result(hipErrorInvalidValue);
    std::memset(to, byte, bytes);
    return hipSuccess;
}

inline hipError_t hipMemsetAsync(void* to, int byte, std::size_t bytes, hipStream_t = nullptr)
{
    return hipMemset(to, byte, bytes);
}

inline hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total)
{
    if(free == nullptr || total == nullptr)
        return ck::host_runtime::result(hipErrorInvalidValue);
    *free  = ck::host_runtime::memory_bytes(_SC_AVPHYS_PAGES);
    *total = ck::host_runtime::memory_bytes(_SC_PHYS_PAGES);
    return hipSuccess;
}

inline hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned)
{
    if(stream == nullptr)
        return ck::host_runtime::result(hipErrorInvalidValue);
    *stream = new(std::nothrow) ihipStream_t;
    return *stream != nullptr ? hipSuccess : ck::host_runtime::result(hipErrorOutOfMemory);
}

inline hipError_t hipStreamCreate(hipStream_t* stream)
{
    return hipStreamCreateWithFlags(stream, hipStreamDefault);
}

inline hipError_t hipStreamDestroy(hipStream_t stream)
{
    if(stream == nullptr) // the default stream is not the caller's
        return ck::host_runtime::result(hipErrorInvalidHandle);
    delete stream;
    return hipSuccess;
}

inline hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
inline hipError_t hipStreamQuery(hipStream_t) { return hipSuccess; }
inline hipError_t hipDeviceSynchronize() { return hipSuccess; }

inline hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags)
{
    if(event == nullptr)
        return ck::host_runtime::result(hipErrorInvalidValue);
    *event = new(std::nothrow) ihipEvent_t;
    if(*event == nullptr)
        return ck::host_runtime::result(hipErrorOutOfMemory);
    (*event)->timing = (flags & hipEventDisableTiming) == 0;
    return hipSuccess;
}

inline hipError_t hipEventCreate(hipEvent_t* event)
{
    return hipEventCreateWithFlags(event, hipEventDefault);
}

inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t = nullptr)
{
    if(event == nullptr)
        return ck::host_runtime::result(hipErrorInvalidHandle);
    event->time     = std::chrono::steady_clock::now();
    event->recorded = true;
    return hipSuccess;
}

inline hipError_t hipEventSynchronize(hipEvent_t event)
{
    return event != nullptr ? hipSuccess : ck::host_runtime::result(hipErrorInvalidHandle);
}

inline hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t event, unsigned = 0)
{
    return hipEventSynchronize(event);
}

inline hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop)
{
    if(milliseconds == nullptr)
        return ck::host_runtime::result(hipErrorInvalidValue);
    for(const hipEvent_t event : {start, stop})
        if(event == nullptr || !event->recorded || !event->timing)
            return ck::host_runtime::result(hipErrorInvalidHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
    return hipSuccess;
}

inline hipError_t hipEventDestroy(hipEvent_t event)
{
    if(event == nullptr)
        return ck::host_runtime::result(hipErrorInvalidHandle);
    delete event;
    return hipSuccess;
}

inline hipError_t hipGetDeviceCount(int* count)
{
    if(count == nullptr)
        return ck::host_runtime::result(hipErrorInvalidValue);
    *count = 1;
    return hipSuccess;
}

inline hipError_t hipGetDevice(int* device)
{
    if(device == nullptr)
        return ck::host_runtime::result(hipErrorInvalidValue);
    *device = 0;
    return hipSuccess;
}

inline hipError_t hipSetDevice(int device)
{
    return device == 0 ? hipSuccess : ck::host_runtime::result(hipErrorInvalidDevice);
}

inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device)
{
    if(properties == nullptr)
        return ck::host_runtime::result(hipErrorInvalidValue);
    if(device != 0)
        return ck::host_runtime::result(hipErrorInvalidDevice);
    const char* target = "";
    try
    {
        target = ck::host_runtime::device_name().c_str();
    }
    catch(const std::invalid_argument& unknown)
    {
        std::fprintf(stderr, "%s\n", unknown.what());
        return ck::host_runtime::result(hipErrorInvalidDevice);
    }
    *properties                     = hipDeviceProp_t{};
    const unsigned processors       = std::thread::hardware_concurrency();
    properties->multiProcessorCount = processors > 0 ? static_cast<int>(processors) : 1;
    properties->warpSize            = 64;
    properties->sharedMemPerBlock   = 256 << 10;
    properties->totalGlobalMem      = ck::host_runtime::memory_bytes(_SC_PHYS_PAGES);
    properties->clockRate           = 1'000'000;
    properties->l2CacheSize         = 1 << 20;
    std::snprintf(properties->name, sizeof properties->name, "host CPU, GPU kernels emulated");
    std::snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "%s", target);
    return hipSuccess;
}

#endif
