#pragma once
// The GPU runtime under its HIP names, on every platform: hipMalloc, hipMemcpy, streams, events,
// errors.
//   AMD      the HIP runtime itself
//   NVIDIA   a thin shim over the CUDA runtime
//   host     a thin shim over malloc and memcpy; everything is synchronous

#include "ck/host_utility/runtime/cuda.hpp"
#include "ck/host_utility/runtime/host.hpp"
#include "ck/host_utility/runtime/platform.hpp"

#if defined(CK_RUNTIME_HIP)
#if !defined(__HIP_PLATFORM_AMD__) && !defined(CK_LANGUAGE_HIP)
#define __HIP_PLATFORM_AMD__ 1 // plain C++: the HIP headers ask which platform they serve
#endif
#include "ck/arch/amd/hip_5.hpp"

#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#endif
