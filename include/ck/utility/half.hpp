#pragma once
// half_t, IEEE 754 binary16: _Float16 in HIP (as in Composable Kernel), and elsewhere a struct of
// 16 bits with implicit conversions from and to float (clang 14 has no _Float16 on x86, and nvcc
// none on the device).
#include "ck/utility/host_device.hpp"

#include <bit>
#include <cstdint>

#if defined(CK_LANGUAGE_CUDA)
#include <cuda_fp16.h>
#endif

namespace ck {

namespace detail {

/// Exact.
constexpr float half_bits_to_float(std::uint16_t bits)
{
    const std::uint32_t magnitude = bits & 0x7fffu;
    const std::uint32_t sign      = std::uint32_t{bits & 0x8000u} << 16;
    if(magnitude >= 0x7c00u) // infinity and NaN
        return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    // The binary16 fields in binary32's places give the value times 2^-112, also for denormals.
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}

/// Rounds to nearest even; overflow gives infinity; NaN stays NaN.
constexpr std::uint16_t float_to_half_bits(float x)
{
    const std::uint32_t bits      = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign      = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if(magnitude > 0x7f800000u)
        return static_cast<std::uint16_t>(sign | 0x7e00u);
    if(magnitude >= 0x477ff000u) // 65520 and more round to infinity
        return static_cast<std::uint16_t>(sign | 0x7c00u);
    if(magnitude <
       0x38800000u) // below 2^-14: adding 0.5 leaves the rounded denormal in the low bits
    {
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign |
                                          (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
    }
    const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

} // namespace detail

#if defined(CK_LANGUAGE_HIP)

using half_t = _Float16;

#else

struct half_t
{
    std::uint16_t bits;

    half_t() = default;
    CK_HOST_DEVICE constexpr half_t(float x) : bits(to_bits(x)) {}
    CK_HOST_DEVICE constexpr operator float() const { return from_bits(bits); }

    CK_HOST_DEVICE constexpr half_t& operator+=(float x)
    {
        return *this = half_t(float(*this) + x);
    }
    CK_HOST_DEVICE constexpr half_t& operator-=(float x)
    {
        return *this = half_t(float(*this) - x);
    }
    CK_HOST_DEVICE constexpr half_t& operator*=(float x)
    {
        return *this = half_t(float(*this) * x);
    }
    CK_HOST_DEVICE constexpr half_t& operator/=(float x)
    {
        return *this = half_t(float(*this) / x);
    }

private:
#if defined(CK_LANGUAGE_CUDA)
    CK_HOST_DEVICE static constexpr std::uint16_t to_bits(float x)
    {
        if(std::is_constant_evaluated())
            return detail::float_to_half_bits(x);
        return std::bit_cast<std::uint16_t>(static_cast<__half_raw>(__float2half_rn(x)).x);
    }
    CK_HOST_DEVICE static constexpr float from_bits(std::uint16_t b)
    {
        if(std::is_constant_evaluated())
            return detail::half_bits_to_float(b);
        __half_raw raw;
        raw.x = b;
        return __half2float(__half(raw));
    }
#else
    static constexpr std::uint16_t to_bits(float x) { return detail::float_to_half_bits(x); }
    static constexpr float from_bits(std::uint16_t b) { return detail::half_bits_to_float(b); }
#endif
};

#endif

} // namespace ck
