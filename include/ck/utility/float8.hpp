#pragma once
// f8_t (e4m3) and bf8_t (e5m2), eight-bit floats in AMD's FNUZ encodings: finite numbers, one NaN
// (0x80) and no negative zero. Structs of their own on every compiler, with implicit conversions
// from and to float (Composable Kernel: _BitInt(8) and unsigned _BitInt(8), which g++ and nvcc do
// not know).
#include "ck/utility/host_device.hpp"

#include <bit>
#include <cstdint>

namespace ck {

namespace detail {

/// A sign, `exponent_` bits with a bias of 2^(exponent_ - 1), `mantissa` bits.
template <int exponent_, int mantissa>
struct Float8
{
    static constexpr int bias             = 1 << (exponent_ - 1);
    static constexpr std::uint8_t nan     = 0x80;
    static constexpr std::uint8_t largest = 0x7f;

    std::uint8_t bits;

    Float8() = default;
    CK_HOST_DEVICE constexpr Float8(float x) : bits(to_bits(x)) {}
    CK_HOST_DEVICE constexpr operator float() const { return from_bits(bits); }

    CK_HOST_DEVICE static constexpr Float8 of_bits(std::uint8_t bits)
    {
        Float8 x{};
        x.bits = bits;
        return x;
    }

private:
    // Of a binary32.
    static constexpr int shift             = 23 - mantissa; // from one fraction to the other
    static constexpr std::uint32_t rebias  = (127u - bias) << 23;
    static constexpr std::uint32_t least   = (128u - bias) << 23; // the smallest normal number
    static constexpr std::uint32_t highest = ((std::uint32_t{largest} << shift) + rebias);

    // Without branches, of which each element would pay both sides on a GPU.

    /// Exact. No binary32 denormal appears, which a device might take for zero.
    CK_HOST_DEVICE static constexpr float from_bits(std::uint8_t b)
    {
        const std::uint32_t magnitude = b & 0x7fu;
        const std::uint32_t sign      = std::uint32_t{b & 0x80u} << 24;
        const std::uint32_t normal    = (magnitude << shift) + rebias;
        // A denormal is its fraction without the leading one.
        constexpr float one  = std::bit_cast<float>(least);
        const float denormal = std::bit_cast<float>(normal + (1u << 23)) - one;
        const std::uint32_t value =
            magnitude < (1u << mantissa) ? std::bit_cast<std::uint32_t>(denormal) : normal;
        return std::bit_cast<float>(b == nan ? 0x7fc00000u : value | sign);
    }

    /// To nearest, ties to even; what is larger than the largest number becomes that; NaN and
    /// infinities, which say that something went wrong before, NaN.
    CK_HOST_DEVICE static constexpr std::uint8_t to_bits(float x)
    {
        const std::uint32_t all       = std::bit_cast<std::uint32_t>(x);
        const std::uint32_t magnitude = all & 0x7fffffffu;
        const std::uint32_t m         = magnitude < highest ? magnitude : highest;
        const std::uint32_t normal =
            (m - rebias + ((1u << (shift - 1)) - 1) + ((m >> shift) & 1u)) >> shift;
        // Adding a number whose last place is the smallest denormal leaves the rounded one in its
        // low bits.
        constexpr std::uint32_t large = least + (static_cast<std::uint32_t>(shift) << 23);
        constexpr float large_number  = std::bit_cast<float>(large);
        const std::uint32_t denormal =
            std::bit_cast<std::uint32_t>(std::bit_cast<float>(m) + large_number) - large;
        const std::uint32_t code        = m < least ? denormal : normal;
        const std::uint32_t signed_code = code == 0 ? 0u : code | ((all >> 24) & 0x80u); // no -0
        return static_cast<std::uint8_t>(magnitude >= 0x7f800000u ? std::uint32_t{nan}
                                                                  : signed_code);
    }
};

} // namespace detail

using f8_t  = detail::Float8<4, 3>; ///< largest 240, smallest 2^-10
using bf8_t = detail::Float8<5, 2>; ///< largest 57344, smallest 2^-17

} // namespace ck
