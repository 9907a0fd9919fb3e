#pragma once
// The runtime under HIP's names: AMD's own, a wrapper of CUDA's, or malloc and memcpy on the host.
#if !defined(__cpp_exceptions) || !defined(__cpp_rtti)
#error "ck-conv's device interface needs exceptions and RTTI; ck/conv.hpp and ck/conv.h do without."
#include <the compiler stops here> // the other errors would be of the same reason
#endif

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
