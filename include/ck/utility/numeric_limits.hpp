#pragma once
// NumericLimits<T>: the limits of an element type, under Composable Kernel's
// names.
#include "ck/utility/float8.hpp"
#include "ck/utility/half.hpp"
#include "ck/utility/integer.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace ck {

/// Min: the smallest positive normal number, or the smallest integer.
template <class T>
struct NumericLimits
{
    CK_HOST_DEVICE static constexpr T Min() { return std::numeric_limits<T>::min(); }
    CK_HOST_DEVICE static constexpr T Max() { return std::numeric_limits<T>::max(); }
    CK_HOST_DEVICE static constexpr T Lowest() { return std::numeric_limits<T>::lowest(); }
    CK_HOST_DEVICE static constexpr T QuietNaN() { return std::numeric_limits<T>::quiet_NaN(); }
    CK_HOST_DEVICE static constexpr T Infinity() { return std::numeric_limits<T>::infinity(); }
};

template <>
struct NumericLimits<half_t>
{
    CK_HOST_DEVICE static constexpr half_t Min() { return of_bits(0x0400); }
    CK_HOST_DEVICE static constexpr half_t Max() { return of_bits(0x7bff); }
    CK_HOST_DEVICE static constexpr half_t Lowest() { return of_bits(0xfbff); }
    CK_HOST_DEVICE static constexpr half_t QuietNaN() { return of_bits(0x7fff); }

private:
    CK_HOST_DEVICE static constexpr half_t of_bits(std::uint16_t bits)
    {
        return std::bit_cast<half_t>(bits);
    }
};

/// Min of e4m3 and e5m2: 2^-7 and 2^-15 for FNUZ, 2^-6 and 2^-14 for OCP.
template <int exponent, int mantissa, bool ocp>
struct NumericLimits<detail::Float8<exponent, mantissa, ocp>>
{
    using T = detail::Float8<exponent, mantissa, ocp>;

    CK_HOST_DEVICE static constexpr T Min() { return T::of_bits(1u << mantissa); }
    CK_HOST_DEVICE static constexpr T Max() { return T::of_bits(T::largest); }
    CK_HOST_DEVICE static constexpr T Lowest() { return T::of_bits(0x80 | T::largest); }
    CK_HOST_DEVICE static constexpr T QuietNaN() { return T::of_bits(T::nan); }
};

} // namespace ck
