#pragma once
// Declarations that HIP's headers before 6.0 expect from clang, and that clang 20 and later no
// longer have. Include it before those headers; with other headers and compilers it is empty.

#if defined(__HIP__) && __clang_major__ >= 20 && __has_include(<hip/hip_version.h>)
#include <hip/hip_version.h>
#if HIP_VERSION_MAJOR < 6

#ifndef __AMDGCN_WAVEFRONT_SIZE // lanes of a wave; clang 22 does not define it
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#endif

// Names that hip_fp16.h calls; clang's own headers declared them until version 19.
static __device__ inline _Float16 __llvm_amdgcn_rcp_f16(_Float16 x)
{
    return __builtin_amdgcn_rcph(x);
}
using ck_hip_5_half2 = _Float16 __attribute__((ext_vector_type(2)));
static __device__ inline ck_hip_5_half2 __llvm_amdgcn_rcp_2f16(ck_hip_5_half2 x)
{
    return {__llvm_amdgcn_rcp_f16(x[0]), __llvm_amdgcn_rcp_f16(x[1])};
}

// Called by __syncthreads() and __threadfence(); from hip.bc, which clang 22 no longer links.
#include <hip/amd_detail/device_library_decls.h>
extern "C" __device__ inline __attribute__((always_inline)) void
__atomic_work_item_fence(__cl_mem_fence_flags, __memory_order order, __memory_scope scope)
{
    __scoped_atomic_thread_fence(order,
                                 scope == __memory_scope_work_item    ? __MEMORY_SCOPE_SINGLE
                                 : scope == __memory_scope_sub_group  ? __MEMORY_SCOPE_WVFRNT
                                 : scope == __memory_scope_work_group ? __MEMORY_SCOPE_WRKGRP
                                 : scope == __memory_scope_device     ? __MEMORY_SCOPE_DEVICE
                                                                      : __MEMORY_SCOPE_SYSTEM);
}

#endif
#endif
