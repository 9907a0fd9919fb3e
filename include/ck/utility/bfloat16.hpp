#pragma once
// bhalf_t, the upper half of a binary32. The type is unsigned short, as in Composable Kernel: it
// holds bits, and arithmetic is done in float through type_convert.
#include "ck/utility/host_device.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

#if defined(CK_LANGUAGE_CUDA)
#include <cuda_bf16.h>

#include <nv/target>
#endif

namespace ck {

using bhalf_t = unsigned short;

namespace detail {

CK_HOST_DEVICE constexpr float bhalf_bits_to_float(bhalf_t bits)
{
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

CK_HOST_DEVICE constexpr bhalf_t rounded_bhalf_bits(float x)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    if((bits & 0x7fffffffu) > 0x7f800000u)
        return static_cast<bhalf_t>((bits >> 16) | 0x40u);
    return static_cast<bhalf_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

#if defined(CK_LANGUAGE_HIP) && __clang_major__ >= 20
/// The compiler's conversion, which uses the instruction for two values: v_cvt_pk_bf16_f32.
__device__ inline bhalf_t compiled_bhalf_bits(float x)
{
    return __builtin_bit_cast(bhalf_t, static_cast<__bf16>(x));
}
__host__ inline bhalf_t compiled_bhalf_bits(float x) { return rounded_bhalf_bits(x); }
#endif

/// Rounds to nearest even. NaN stays NaN (NVIDIA's instruction returns one NaN for all). One
/// instruction on NVIDIA GPUs and on gfx950.
CK_HOST_DEVICE constexpr bhalf_t float_to_bhalf_bits(float x)
{
#if defined(CK_LANGUAGE_CUDA)
    if(!std::is_constant_evaluated())
    {
        NV_IF_TARGET(NV_IS_DEVICE,
                     (return static_cast<__nv_bfloat16_raw>(__float2bfloat16_rn(x)).x;))
    }
#elif defined(CK_LANGUAGE_HIP) && __clang_major__ >= 20
    if(!std::is_constant_evaluated())
        return compiled_bhalf_bits(x);
#endif
    return rounded_bhalf_bits(x);
}

} // namespace detail
} // namespace ck
