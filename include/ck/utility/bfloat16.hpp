#pragma once
// bhalf_t, the upper half of a binary32. The type is unsigned short, as in Composable Kernel: it
// carries bits, and arithmetic on it is done in float through type_convert.
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

/// To nearest, ties to even; NaN stays NaN (on NVIDIA's GPUs, in one instruction, one of all).
CK_HOST_DEVICE constexpr bhalf_t float_to_bhalf_bits(float x)
{
#if defined(CK_LANGUAGE_CUDA)
    if(!std::is_constant_evaluated())
    {
        NV_IF_TARGET(NV_IS_DEVICE,
                     (return static_cast<__nv_bfloat16_raw>(__float2bfloat16_rn(x)).x;))
    }
#endif
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    if((bits & 0x7fffffffu) > 0x7f800000u)
        return static_cast<bhalf_t>((bits >> 16) | 0x40u);
    return static_cast<bhalf_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

} // namespace detail
} // namespace ck
