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

    /// Exact. No binary32 denormal appears, which a device might take for zero.
    CK_HOST_DEVICE static constexpr float from_bits(std::uint8_t b)
    {
        const std::uint32_t magnitude = b & 0x7fu;
        const std::uint32_t sign      = std::uint32_t{b & 0x80u} << 24;
        if(b == nan)
            return std::bit_cast<float>(0x7fc00000u);
        std::uint32_t value = (magnitude << shift) + rebias;
        if(magnitude < (1u << mantissa)) // denormal: the fraction without its leading one
            value = std::bit_cast<std::uint32_t>(std::bit_cast<float>(value + (1u << 23)) -
                                                 std::bit_cast<float>(least));
        return std::bit_cast<float>(value | sign);
    }

    /// To nearest, ties to even; what is larger than the largest number becomes that; NaN and
    /// infinities, which say that something went wrong before, NaN.
    CK_HOST_DEVICE static constexpr std::uint8_t to_bits(float x)
    {
        const std::uint32_t all       = std::bit_cast<std::uint32_t>(x);
        const std::uint32_t magnitude = all & 0x7fffffffu;
        if(magnitude >= 0x7f800000u)
            return nan;
        std::uint32_t code = 0;
        if(magnitude >= highest)
            code = largest;
        else if(magnitude < least)
        {
            // Adding a number whose last place is the smallest denormal leaves the rounded one in
            // its low bits.
            constexpr std::uint32_t large = least + (static_cast<std::uint32_t>(shift) << 23);
            code = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) +
                                                std::bit_cast<float>(large)) -
                   large;
        }
        else
            code = (magnitude - rebias + ((1u << (shift - 1)) - 1) + ((magnitude >> shift) & 1u)) >>
                   shift;
        // No negative zero.
        return static_cast<std::uint8_t>(code == 0 ? 0u : code | ((all >> 24) & 0x80u));
    }
};

} // namespace detail

using f8_t  = detail::Float8<4, 3>; ///< largest 240, smallest 2^-10
using bf8_t = detail::Float8<5, 2>; ///< largest 57344, smallest 2^-17

} // namespace ck
