#pragma once
// Detects the language of this translation unit. Targets (gfx90a, sm_90 ...) are detected in
// arch/.

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
// Clients write these words on their functors, also if no header of a GPU toolkit defines them.
// __global__ is not defined: a client's own kernel would be a function that nothing launches.
#if !defined(CK_PLATFORM_AMD) && !defined(CK_PLATFORM_NVIDIA)
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#endif
#endif

// Device code inlines every call of a kernel, and registers are indexed by constants. On a CPU
// calls are fine, and its compiler need not copy each kernel into every caller.
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
#define CK_INLINE inline __attribute__((always_inline))
#else
#define CK_INLINE inline
#endif
// Also inlines on the host: for functions that are few instructions once their constant arguments
// are known. Tests of kernels take 8 % less time, and compile as fast.
#define CK_INLINE_EVERYWHERE inline __attribute__((always_inline))

// Inlines the calls in one expression, for callees that cannot be marked: lambdas.
#if defined(__clang__) && __clang_major__ >= 15
#define CK_INLINE_CALLS [[clang::always_inline]]
#else
#define CK_INLINE_CALLS
#endif

// Goes before a loop whose body must not be duplicated.
#if defined(__clang__) || defined(__CUDACC__)
#define CK_NOT_UNROLLED _Pragma("unroll 1")
#else
#define CK_NOT_UNROLLED
#endif

// Tells clang what it may assume; the expression must have no side effects. Not used with nvcc 13,
// which then generates worse code: a tf32 kernel had too few registers for wgmma.
#if defined(__clang__)
#define CK_ASSUME(condition) __builtin_assume(condition)
#else
#define CK_ASSUME(condition) static_cast<void>(0)
#endif
