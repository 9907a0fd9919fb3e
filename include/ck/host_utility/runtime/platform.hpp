#pragma once
// Selects the runtime of this source file: defines one of CK_RUNTIME_HIP, CK_RUNTIME_CUDA and
// CK_RUNTIME_HOST. Files in HIP or CUDA use their own platform; plain C++ files use the platform
// that the library was configured for (ck/config.h), or the host.

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
