#pragma once
// Functions of float with one instruction of the GPU in place of the exact function's ten to
// twenty.
#include "ck/utility/number.hpp"

#include <cmath>
#include <type_traits>

namespace ck::arch {

/// e^x with a relative error of at most (4 + |x|) 2^-23: that of x log2(e) reaches the result
/// multiplied by x. A result below the smallest normal number may be 0. (ex2.approx.ftz in
/// the PTX ISA, v_exp_f32 in AMD's ISA manuals.)
CK_HOST_DEVICE CK_INLINE float fast_exp(float x)
{
#if defined(__CUDA_ARCH__)
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * 1.44269504f));
    return result;
#elif defined(__HIP_DEVICE_COMPILE__)
    return __expf(x);
#else
    return std::exp(x);
#endif
}

/// 1 / x with a relative error of at most 2^-23; 0 if that is below the smallest normal number.
/// (rcp.approx.ftz, v_rcp_f32.)
CK_HOST_DEVICE CK_INLINE float fast_reciprocal(float x)
{
#if defined(__CUDA_ARCH__)
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#elif defined(__HIP_DEVICE_COMPILE__)
    return __builtin_amdgcn_rcpf(x);
#else
    return 1 / x;
#endif
}

/// 1 / sqrt(x), with two roundings.
template <class T>
CK_HOST_DEVICE CK_INLINE T reciprocal_root(T x)
{
#if defined(__CUDA_ARCH__)
    if constexpr(std::is_same_v<T, float>)
        return rsqrtf(x);
#endif
    return T(1) / std::sqrt(x);
}

} // namespace ck::arch
