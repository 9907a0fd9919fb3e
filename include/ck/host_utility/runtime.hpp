#pragma once
// The GPU runtime under its HIP names, on every platform: hipMalloc, hipMemcpy, streams, events,
// errors.
//   AMD      the HIP runtime itself
//   NVIDIA   a thin shim over the CUDA runtime
//   host     a thin shim over malloc and memcpy; everything is synchronous
// Source files in HIP or CUDA are of their platform; plain C++ files are of the platform that the
// library was configured for (ck/config.h), or of the host.

#include "ck/utility/host_device.hpp"

#if __has_include("ck/config.h")
#include "ck/config.h"
#endif

#if defined(CK_LANGUAGE_HIP)
#define CK_RUNTIME_HIP 1
#elif defined(CK_LANGUAGE_CUDA)
#define CK_RUNTIME_CUDA 1
#elif defined(CK_PLATFORM_AMD)
#define CK_RUNTIME_HIP 1
#elif defined(CK_PLATFORM_NVIDIA)
#define CK_RUNTIME_CUDA 1
#else
#define CK_RUNTIME_HOST 1
#endif

#if defined(CK_RUNTIME_HIP)
#if !defined(__HIP_PLATFORM_AMD__) && !defined(CK_LANGUAGE_HIP)
#define __HIP_PLATFORM_AMD__ 1 // plain C++: the HIP headers ask which platform they serve
#endif
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#elif defined(CK_RUNTIME_CUDA)
#include "ck/host_utility/runtime/cuda.hpp"
#else
#include "ck/host_utility/runtime/host.hpp"
#endif
