// HIP: the one device, its properties, streams and events.
#include "hip_runtime.hpp"
#include "options.hpp"
#include "target.hpp"
#include "timing/recorder.hpp"
#include <chrono>
#include <cstdio>
#include <cstring>

using namespace emu;

namespace {

constexpr int version = 50221153; // version of the HIP whose interface this is: 5.2.21153

struct Event
{
    std::chrono::steady_clock::time_point time;
};

void know_target()
{
    const std::lock_guard lock(runtime().mutex);
    choose_target();
}

/// Programs recognise it (ck/library/utility/emulation.hpp): they say with a time what it is.
std::string device_name()
{
    return "emulated " + target.name + (options().time ? " (times predicted)" : "");
}

void fill_architecture(hipDeviceArch_t& arch)
{
    arch.hasGlobalInt32Atomics = arch.hasSharedInt32Atomics = arch.hasFloatAtomicAdd = 1;
    arch.hasGlobalInt64Atomics = arch.hasSharedInt64Atomics = arch.hasDoubles = 1;
    arch.hasWarpVote = arch.hasWarpBallot = arch.hasWarpShuffle = 1;
    arch.has3dGrid = arch.hasSyncThreadsExt = arch.hasThreadFenceSystem = 1;
}

} // namespace

EXPORTED hipError_t hipInit(unsigned) { return hipSuccess; }
EXPORTED hipError_t hipGetDeviceCount(int* count)
{
    *count = 1;
    return hipSuccess;
}
EXPORTED hipError_t hipGetDevice(int* device)
{
    *device = 0;
    return hipSuccess;
}
EXPORTED hipError_t hipSetDevice(int device)
{
    return device == 0 ? hipSuccess : remembered(hipErrorInvalidDevice);
}
EXPORTED hipError_t hipDeviceGet(hipDevice_t* device, int number)
{
    *device = 0;
    return number == 0 ? hipSuccess : remembered(hipErrorInvalidDevice);
}
EXPORTED hipError_t hipDeviceSynchronize() { return hipSuccess; }
EXPORTED hipError_t hipDeviceReset() { return hipSuccess; }
EXPORTED hipError_t hipSetDeviceFlags(unsigned) { return hipSuccess; }
EXPORTED hipError_t hipGetDeviceFlags(unsigned* flags)
{
    *flags = 0;
    return hipSuccess;
}
EXPORTED hipError_t hipDriverGetVersion(int* v)
{
    *v = version;
    return hipSuccess;
}
EXPORTED hipError_t hipRuntimeGetVersion(int* v)
{
    *v = version;
    return hipSuccess;
}
EXPORTED hipError_t hipDeviceGetName(char* name, int size, hipDevice_t)
{
    know_target();
    snprintf(name, static_cast<size_t>(size), "%s", device_name().c_str());
    return hipSuccess;
}
EXPORTED hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t)
{
    *bytes = device_memory;
    return hipSuccess;
}
EXPORTED hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t)
{
    know_target();
    *major = target.major;
    *minor = target.minor;
    return hipSuccess;
}
EXPORTED hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
EXPORTED hipError_t hipDeviceSetLimit(hipLimit_t, size_t) { return hipSuccess; }
EXPORTED hipError_t hipDeviceCanAccessPeer(int* can, int, int)
{
    *can = 0;
    return hipSuccess;
}
EXPORTED hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    *least = *greatest = 0;
    return hipSuccess;
}

EXPORTED hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int device)
{
    if(device != 0)
        return remembered(hipErrorInvalidDevice);
    know_target();
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", device_name().c_str());
    snprintf(p->gcnArchName,
             sizeof p->gcnArchName,
             "%s%s",
             target.name.c_str(),
             target.sramecc ? ":sramecc+:xnack-" : "");
#if HIP_VERSION_MAJOR < 6
    p->gcnArch = target.major * 100 + target.minor * 10 + target.step;
#endif
    p->totalGlobalMem                   = device_memory;
    p->sharedMemPerBlock                = target.lds;
    p->maxSharedMemoryPerMultiProcessor = target.lds;
    p->regsPerBlock                     = 65536;
    p->warpSize                         = target.wave;
    p->maxThreadsPerBlock               = 1024;
    p->maxThreadsPerMultiProcessor      = 2048;
    for(int axis = 0; axis < 3; ++axis)
    {
        p->maxThreadsDim[axis] = 1024;
        p->maxGridSize[axis]   = 2147483647;
    }
    p->clockRate            = 1700000; // kHz
    p->memoryClockRate      = 1600000;
    p->clockInstructionRate = 100000;
    p->memoryBusWidth       = 4096;
    p->totalConstMem        = 2147483647;
    p->major                = target.major;
    p->minor                = target.minor;
    p->multiProcessorCount  = target.cus;
    p->l2CacheSize          = 8 << 20;
    p->concurrentKernels    = 1;
    p->pciBusID             = 1;
    p->canMapHostMemory     = 1;
    p->textureAlignment     = 256;
    p->memPitch             = 2147483647;
    fill_architecture(p->arch);
    return hipSuccess;
}
EXPORTED hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device)
{
    hipDeviceProp_t p;
    if(const hipError_t error = hipGetDeviceProperties(&p, device))
        return error;
    switch(attribute)
    {
    case hipDeviceAttributeWarpSize:
        *value = p.warpSize;
        break;
    case hipDeviceAttributeMultiprocessorCount:
        *value = p.multiProcessorCount;
        break;
    case hipDeviceAttributeMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        break;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
        *value = static_cast<int>(p.sharedMemPerBlock);
        break;
    case hipDeviceAttributeClockRate:
        *value = p.clockRate;
        break;
    case hipDeviceAttributeMemoryClockRate:
        *value = p.memoryClockRate;
        break;
    case hipDeviceAttributeMemoryBusWidth:
        *value = p.memoryBusWidth;
        break;
    case hipDeviceAttributeComputeCapabilityMajor:
        *value = p.major;
        break;
    case hipDeviceAttributeComputeCapabilityMinor:
        *value = p.minor;
        break;
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
    case hipDeviceAttributeMaxBlockDimZ:
        *value = p.maxThreadsDim[0];
        break;
    case hipDeviceAttributeMaxGridDimX:
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ:
        *value = p.maxGridSize[0];
        break;
    case hipDeviceAttributeL2CacheSize:
        *value = p.l2CacheSize;
        break;
    case hipDeviceAttributeMaxRegistersPerBlock:
        *value = p.regsPerBlock;
        break;
    default:
        return remembered(hipErrorNotSupported);
    }
    return hipSuccess;
}

// Streams: operations are done when they are called, so a stream has no state.
EXPORTED hipError_t hipStreamCreate(hipStream_t* stream)
{
    *stream = reinterpret_cast<hipStream_t>(new int(0)); // the address distinguishes it
    return hipSuccess;
}
EXPORTED hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned)
{
    return hipStreamCreate(stream);
}
EXPORTED hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned, int)
{
    return hipStreamCreate(stream);
}
EXPORTED hipError_t hipStreamDestroy(hipStream_t stream)
{
    delete reinterpret_cast<int*>(stream);
    return hipSuccess;
}
EXPORTED hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
EXPORTED hipError_t hipStreamQuery(hipStream_t) { return hipSuccess; }
EXPORTED hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned) { return hipSuccess; }
EXPORTED hipError_t hipStreamGetFlags(hipStream_t, unsigned* flags)
{
    *flags = 0;
    return hipSuccess;
}
EXPORTED hipError_t hipStreamGetPriority(hipStream_t, int* priority)
{
    *priority = 0;
    return hipSuccess;
}
EXPORTED hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus* status)
{
    *status = hipStreamCaptureStatusNone;
    return hipSuccess;
}
EXPORTED hipError_t hipStreamAddCallback(hipStream_t stream,
                                         hipStreamCallback_t callback,
                                         void* data,
                                         unsigned)
{
    callback(stream, hipSuccess, data);
    return hipSuccess;
}

// Events: times are the emulation's, or the predicted ones.
EXPORTED hipError_t hipEventCreate(hipEvent_t* event)
{
    *event = reinterpret_cast<hipEvent_t>(new Event);
    return hipSuccess;
}
EXPORTED hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned)
{
    return hipEventCreate(event);
}
EXPORTED hipError_t hipEventDestroy(hipEvent_t event)
{
    delete reinterpret_cast<Event*>(event);
    return hipSuccess;
}
EXPORTED hipError_t hipEventRecord(hipEvent_t event, hipStream_t)
{
    reinterpret_cast<Event*>(event)->time =
        options().time ? timing::predicted_now() : std::chrono::steady_clock::now();
    return hipSuccess;
}
EXPORTED hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
EXPORTED hipError_t hipEventQuery(hipEvent_t) { return hipSuccess; }
EXPORTED hipError_t hipEventElapsedTime(float* ms, hipEvent_t from, hipEvent_t to)
{
    *ms = std::chrono::duration<float, std::milli>(reinterpret_cast<Event*>(to)->time -
                                                   reinterpret_cast<Event*>(from)->time)
              .count();
    return hipSuccess;
}
EXPORTED hipError_t hipProfilerStart() { return hipSuccess; }
EXPORTED hipError_t hipProfilerStop() { return hipSuccess; }
