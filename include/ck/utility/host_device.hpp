#pragma once
// Which language this translation unit is written in. Targets (gfx90a, sm_90 ...) are arch/'s
// business.

#if __cplusplus < 202002L
#error "ck-conv needs C++20: compile with -std=c++20 (CMake: CMAKE_CXX_STANDARD 20) or newer."
#include <the compiler stops here> // the other errors would be of the same reason
#endif

#if __has_include("ck/config.h")
#include "ck/config.h"
#endif

#if defined(__HIP__) || defined(__HIPCC__)
#define CK_LANGUAGE_HIP 1
#if __has_include(<hip/hip_runtime.h>)
#include "ck/arch/amd/hip_5.hpp"

#include <hip/hip_runtime.h>
#endif
#elif defined(__CUDACC__)
#define CK_LANGUAGE_CUDA 1
#endif

#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
#define CK_HOST_DEVICE __host__ __device__
#define CK_DEVICE __device__
#else
#define CK_HOST_DEVICE
#define CK_DEVICE
// Clients write these words on their functors, also where no GPU kit's headers define them. Not
// __global__: a kernel of a client's own would be a function that nothing launches.
#if !defined(CK_PLATFORM_AMD) && !defined(CK_PLATFORM_NVIDIA)
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#endif
#endif

// Device code is one kernel: every call in it is inlined, registers are indexed by constants. A CPU
// calls functions as well, and its compiler need not copy each kernel into whoever calls it.
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
#define CK_INLINE inline __attribute__((always_inline))
#else
#define CK_INLINE inline
#endif
// Inlines on the host, too, what is few instructions once the constants that it is called with are
// known. Tests of kernels take 8 % less time, and are compiled as fast.
#define CK_INLINE_EVERYWHERE inline __attribute__((always_inline))

// Inlines the calls of one expression, which are not of functions that say so: of lambdas.
#if defined(__clang__) && __clang_major__ >= 15
#define CK_INLINE_CALLS [[clang::always_inline]]
#else
#define CK_INLINE_CALLS
#endif

// Before a loop whose body is in the code once.
#if defined(__clang__) || defined(__CUDACC__)
#define CK_NOT_UNROLLED _Pragma("unroll 1")
#else
#define CK_NOT_UNROLLED
#endif

// Tells clang what it may take for true; the expression has no side effects. nvcc 13, which makes
// worse code of it, is not told: a kernel of tf32 had too few registers for wgmma.
#if defined(__clang__)
#define CK_ASSUME(condition) __builtin_assume(condition)
#else
#define CK_ASSUME(condition) static_cast<void>(0)
#endif
