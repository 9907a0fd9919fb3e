#pragma once
// HIP's names for the CUDA runtime, for NVIDIA devices. Types and enumerators are CUDA's own, so
// both sets of names can be mixed.

#include "ck/host_utility/runtime/platform.hpp"

#if defined(CK_RUNTIME_CUDA)

#if !__has_include(<cuda_runtime_api.h>)
#error "the NVIDIA platform needs the CUDA toolkit's cuda_runtime_api.h on the include path"
#endif
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>

using hipError_t    = cudaError_t;
using hipStream_t   = cudaStream_t;
using hipEvent_t    = cudaEvent_t;
using hipMemcpyKind = cudaMemcpyKind;

inline constexpr hipError_t hipSuccess                     = cudaSuccess;
inline constexpr hipError_t hipErrorInvalidValue           = cudaErrorInvalidValue;
inline constexpr hipError_t hipErrorOutOfMemory            = cudaErrorMemoryAllocation;
inline constexpr hipError_t hipErrorNotInitialized         = cudaErrorInitializationError;
inline constexpr hipError_t hipErrorInvalidConfiguration   = cudaErrorInvalidConfiguration;
inline constexpr hipError_t hipErrorInvalidDevicePointer   = cudaErrorInvalidDevicePointer;
inline constexpr hipError_t hipErrorInvalidMemcpyDirection = cudaErrorInvalidMemcpyDirection;
inline constexpr hipError_t hipErrorInvalidDeviceFunction  = cudaErrorInvalidDeviceFunction;
inline constexpr hipError_t hipErrorNoDevice               = cudaErrorNoDevice;
inline constexpr hipError_t hipErrorInvalidDevice          = cudaErrorInvalidDevice;
inline constexpr hipError_t hipErrorNoBinaryForGpu         = cudaErrorNoKernelImageForDevice;
inline constexpr hipError_t hipErrorInvalidHandle          = cudaErrorInvalidResourceHandle;
inline constexpr hipError_t hipErrorInvalidResourceHandle  = cudaErrorInvalidResourceHandle;
inline constexpr hipError_t hipErrorNotReady               = cudaErrorNotReady;
inline constexpr hipError_t hipErrorIllegalAddress         = cudaErrorIllegalAddress;
inline constexpr hipError_t hipErrorLaunchOutOfResources   = cudaErrorLaunchOutOfResources;
inline constexpr hipError_t hipErrorLaunchFailure          = cudaErrorLaunchFailure;
inline constexpr hipError_t hipErrorNotSupported           = cudaErrorNotSupported;
inline constexpr hipError_t hipErrorUnknown                = cudaErrorUnknown;

inline constexpr hipMemcpyKind hipMemcpyHostToHost     = cudaMemcpyHostToHost;
inline constexpr hipMemcpyKind hipMemcpyHostToDevice   = cudaMemcpyHostToDevice;
inline constexpr hipMemcpyKind hipMemcpyDeviceToHost   = cudaMemcpyDeviceToHost;
inline constexpr hipMemcpyKind hipMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;
inline constexpr hipMemcpyKind hipMemcpyDefault        = cudaMemcpyDefault;

inline constexpr unsigned hipStreamDefault      = cudaStreamDefault;
inline constexpr unsigned hipStreamNonBlocking  = cudaStreamNonBlocking;
inline constexpr unsigned hipEventDefault       = cudaEventDefault;
inline constexpr unsigned hipEventBlockingSync  = cudaEventBlockingSync;
inline constexpr unsigned hipEventDisableTiming = cudaEventDisableTiming;
inline constexpr unsigned hipHostMallocDefault  = cudaHostAllocDefault;

struct hipDeviceProp_t
{
    char name[256];
    char gcnArchName[256]; // "sm_90"
    int multiProcessorCount;
    int warpSize;
    std::size_t sharedMemPerBlock; // bytes; the maximum that a kernel can request
    std::size_t totalGlobalMem;    // bytes
    int clockRate;                 // kHz
    int l2CacheSize;               // bytes
    int major;
    int minor;
};

inline const char* hipGetErrorName(hipError_t error) { return cudaGetErrorName(error); }
inline const char* hipGetErrorString(hipError_t error) { return cudaGetErrorString(error); }
inline hipError_t hipGetLastError() { return cudaGetLastError(); }
inline hipError_t hipPeekAtLastError() { return cudaPeekAtLastError(); }

inline hipError_t hipMalloc(void** p, std::size_t bytes) { return cudaMalloc(p, bytes); }

template <class T>
hipError_t hipMalloc(T** p, std::size_t bytes)
{
    void* memory           = nullptr;
    const hipError_t error = cudaMalloc(p == nullptr ? nullptr : &memory, bytes);
    if(p != nullptr)
        *p = static_cast<T*>(memory);
    return error;
}

inline hipError_t hipFree(void* p) { return cudaFree(p); }

inline hipError_t hipHostMalloc(void** p, std::size_t bytes, unsigned flags = hipHostMallocDefault)
{
    return cudaHostAlloc(p, bytes, flags);
}

template <class T>
hipError_t hipHostMalloc(T** p, std::size_t bytes, unsigned flags = hipHostMallocDefault)
{
    void* memory           = nullptr;
    const hipError_t error = cudaHostAlloc(p == nullptr ? nullptr : &memory, bytes, flags);
    if(p != nullptr)
        *p = static_cast<T*>(memory);
    return error;
}

inline hipError_t hipHostFree(void* p) { return cudaFreeHost(p); }

inline hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind)
{
    return cudaMemcpy(to, from, bytes, kind);
}

inline hipError_t hipMemcpyAsync(
    void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream = nullptr)
{
    return cudaMemcpyAsync(to, from, bytes, kind, stream);
}

inline hipError_t hipMemcpy2DAsync(void* to,
                                   std::size_t to_pitch,
                                   const void* from,
                                   std::size_t from_pitch,
                                   std::size_t width,
                                   std::size_t rows,
                                   hipMemcpyKind kind,
                                   hipStream_t stream = nullptr)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, kind, stream);
}

inline hipError_t hipMemset(void* to, int byte, std::size_t bytes)
{
    return cudaMemset(to, byte, bytes);
}

inline hipError_t
hipMemsetAsync(void* to, int byte, std::size_t bytes, hipStream_t stream = nullptr)
{
    return cudaMemsetAsync(to, byte, bytes, stream);
}

inline hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total)
{
    return cudaMemGetInfo(free, total);
}

inline hipError_t hipStreamCreate(hipStream_t* stream) { return cudaStreamCreate(stream); }
inline hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags)
{
    return cudaStreamCreateWithFlags(stream, flags);
}
inline hipError_t hipStreamDestroy(hipStream_t stream) { return cudaStreamDestroy(stream); }
inline hipError_t hipStreamSynchronize(hipStream_t stream) { return cudaStreamSynchronize(stream); }
inline hipError_t hipStreamQuery(hipStream_t stream) { return cudaStreamQuery(stream); }
inline hipError_t hipDeviceSynchronize() { return cudaDeviceSynchronize(); }

inline hipError_t hipEventCreate(hipEvent_t* event) { return cudaEventCreate(event); }
inline hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr)
{
    return cudaEventRecord(event, stream);
}
inline hipError_t hipEventSynchronize(hipEvent_t event) { return cudaEventSynchronize(event); }
inline hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags = 0)
{
    return cudaStreamWaitEvent(stream, event, flags);
}
inline hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop)
{
    return cudaEventElapsedTime(milliseconds, start, stop);
}
inline hipError_t hipEventDestroy(hipEvent_t event) { return cudaEventDestroy(event); }

inline hipError_t hipGetDeviceCount(int* count) { return cudaGetDeviceCount(count); }
inline hipError_t hipGetDevice(int* device) { return cudaGetDevice(device); }
inline hipError_t hipSetDevice(int device) { return cudaSetDevice(device); }

inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device)
{
    if(properties == nullptr)
        return hipErrorInvalidValue;
    cudaDeviceProp cuda{};
    int clock_khz = 0;
    if(const auto error = cudaGetDeviceProperties(&cuda, device); error != cudaSuccess)
        return error;
    if(const auto error = cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device);
       error != cudaSuccess)
        return error;
    *properties                     = hipDeviceProp_t{};
    properties->multiProcessorCount = cuda.multiProcessorCount;
    properties->warpSize            = cuda.warpSize;
    properties->sharedMemPerBlock   = cuda.sharedMemPerBlockOptin;
    properties->totalGlobalMem      = cuda.totalGlobalMem;
    properties->clockRate           = clock_khz;
    properties->l2CacheSize         = cuda.l2CacheSize;
    properties->major               = cuda.major;
    properties->minor               = cuda.minor;
    std::snprintf(properties->name, sizeof properties->name, "%s", cuda.name);
    std::snprintf(
        properties->gcnArchName, sizeof properties->gcnArchName, "sm_%d%d", cuda.major, cuda.minor);
    return hipSuccess;
}

#endif
