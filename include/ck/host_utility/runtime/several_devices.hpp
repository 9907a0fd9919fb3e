#pragma once
// Runtime functions for programs with several devices, under HIP's names: peers and priorities. The
// CPU is a single device and supports neither.
#include "ck/host_utility/runtime.hpp"

#if defined(CK_RUNTIME_CUDA)

inline constexpr hipError_t hipErrorPeerAccessAlreadyEnabled = cudaErrorPeerAccessAlreadyEnabled;

inline hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer)
{
    return cudaDeviceCanAccessPeer(can, device, peer);
}
inline hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return cudaDeviceEnablePeerAccess(peer, flags);
}
inline hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    return cudaDeviceGetStreamPriorityRange(least, greatest);
}
inline hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority)
{
    return cudaStreamCreateWithPriority(stream, flags, priority);
}

#elif defined(CK_RUNTIME_HOST)

inline constexpr hipError_t hipErrorPeerAccessAlreadyEnabled = static_cast<hipError_t>(704);

inline hipError_t hipDeviceCanAccessPeer(int* can, int, int)
{
    *can = 0;
    return hipSuccess;
}
inline hipError_t hipDeviceEnablePeerAccess(int, unsigned) { return hipErrorInvalidDevice; }
inline hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    *least = *greatest = 0;
    return hipSuccess;
}
inline hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int)
{
    return hipStreamCreateWithFlags(stream, flags);
}

#endif
