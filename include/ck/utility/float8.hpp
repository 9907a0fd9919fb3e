#pragma once
// Eight-bit floats. They are structs on every compiler, with implicit conversions from and to float
// (Composable Kernel's f8_t and bf8_t are _BitInt(8) and unsigned _BitInt(8), which g++ and nvcc do
// not support). There are two encodings:
//   FNUZ  f8_t (e4m3), bf8_t (e5m2), of AMD's gfx942: finite numbers, one NaN (0x80), no negative
//         zero; infinity is converted to NaN
//   OCP   f8_ocp_t, bf8_ocp_t, of NVIDIA's sm_89 and later: the exponent bias is one less; e4m3
//         has NaNs (0x7f, 0xff) but no infinities, e5m2 has both as in IEEE 754; infinity is
//         converted to the largest number (Open Compute Project, "OFP8")
#include "ck/utility/host_device.hpp"

#include <bit>
#include <cstdint>

#if defined(CK_LANGUAGE_CUDA)
#include <cuda_fp8.h>

#include <nv/target>
#endif

namespace ck {

namespace detail {

/// A sign, `exponent_` bits with bias 2^(exponent_ - 1) (OCP: one less), and `mantissa` bits.
template <int exponent_, int mantissa, bool ocp = false>
struct Float8
{
    static constexpr int bias = (1 << (exponent_ - 1)) - (ocp ? 1 : 0);
    /// The NaN of conversions; for OCP e5m2 the last of several.
    static constexpr std::uint8_t nan     = ocp ? 0x7f : 0x80;
    static constexpr std::uint8_t largest = !ocp ? 0x7f : mantissa == 3 ? 0x7e : 0x7b;

    std::uint8_t bits;

    Float8() = default;
    CK_HOST_DEVICE constexpr Float8(float x) : bits(encoded(x)) {}
    CK_HOST_DEVICE constexpr operator float() const { return from_bits(bits); }

    CK_HOST_DEVICE static constexpr Float8 of_bits(std::uint8_t bits)
    {
        Float8 x{};
        x.bits = bits;
        return x;
    }

private:
    // Values as binary32.
    static constexpr int shift             = 23 - mantissa; // from one fraction to the other
    static constexpr std::uint32_t rebias  = (127u - bias) << 23;
    static constexpr std::uint32_t least   = (128u - bias) << 23; // the smallest normal number
    static constexpr std::uint32_t highest = ((std::uint32_t{largest} << shift) + rebias);

    CK_HOST_DEVICE static constexpr std::uint8_t encoded(float x)
    {
#if defined(CK_LANGUAGE_CUDA)
        if constexpr(ocp) // one instruction, with the results of to_bits()
            if(!std::is_constant_evaluated())
            {
                NV_IF_TARGET(NV_PROVIDES_SM_89,
                             (return __nv_cvt_float_to_fp8(x,
                                                           __NV_SATFINITE,
                                                           mantissa == 3 ? __NV_E4M3 : __NV_E5M2);))
            }
#endif
        return to_bits(x);
    }

    // Without branches: on a GPU, each element would take both sides.

    /// Exact. Never uses a binary32 denormal, which a device might flush to zero.
    CK_HOST_DEVICE static constexpr float from_bits(std::uint8_t b)
    {
        const std::uint32_t magnitude = b & 0x7fu;
        const std::uint32_t sign      = std::uint32_t{b & 0x80u} << 24;
        const std::uint32_t normal    = (magnitude << shift) + rebias;
        // A denormal is its fraction without the implicit leading one.
        constexpr float one  = std::bit_cast<float>(least);
        const float denormal = std::bit_cast<float>(normal + (1u << 23)) - one;
        const std::uint32_t value =
            magnitude < (1u << mantissa) ? std::bit_cast<std::uint32_t>(denormal) : normal;
        if constexpr(!ocp)
            return std::bit_cast<float>(b == nan ? 0x7fc00000u : value | sign);
        const std::uint32_t infinity = largest + 1u; // for e5m2; for e4m3 the NaN
        const std::uint32_t special =
            mantissa == 2 && magnitude == infinity ? 0x7f800000u : 0x7fc00000u;
        return std::bit_cast<float>((magnitude < infinity ? value : special) | sign);
    }

    /// Rounds to nearest even. Values beyond the largest number saturate. NaN stays NaN. FNUZ
    /// infinities become NaN, which shows that an earlier computation failed.
    CK_HOST_DEVICE static constexpr std::uint8_t to_bits(float x)
    {
        const std::uint32_t all       = std::bit_cast<std::uint32_t>(x);
        const std::uint32_t magnitude = all & 0x7fffffffu;
        const std::uint32_t m         = magnitude < highest ? magnitude : highest;
        const std::uint32_t normal =
            (m - rebias + ((1u << (shift - 1)) - 1) + ((m >> shift) & 1u)) >> shift;
        // Adding a number whose last place is the smallest denormal rounds the denormal into the
        // low bits.
        constexpr std::uint32_t large = least + (static_cast<std::uint32_t>(shift) << 23);
        constexpr float large_number  = std::bit_cast<float>(large);
        const std::uint32_t denormal =
            std::bit_cast<std::uint32_t>(std::bit_cast<float>(m) + large_number) - large;
        const std::uint32_t code = m < least ? denormal : normal;
        const std::uint32_t signed_code =
            !ocp && code == 0 ? 0u : code | ((all >> 24) & 0x80u); // FNUZ has no -0
        return static_cast<std::uint8_t>(
            magnitude >= 0x7f800000u + (ocp ? 1u : 0u) ? std::uint32_t{nan} : signed_code);
    }
};

} // namespace detail

using f8_t  = detail::Float8<4, 3>; ///< largest 240, smallest 2^-10
using bf8_t = detail::Float8<5, 2>; ///< largest 57344, smallest 2^-17

using f8_fnuz_t  = f8_t;  ///< the same: f8_t is FNUZ on every target
using bf8_fnuz_t = bf8_t; ///< bf8_t is FNUZ on every target

using f8_ocp_t  = detail::Float8<4, 3, true>; ///< largest 448, smallest 2^-9
using bf8_ocp_t = detail::Float8<5, 2, true>; ///< largest 57344, smallest 2^-16

} // namespace ck
