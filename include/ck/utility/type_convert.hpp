#pragma once
// type_convert<To>(x): the numeric value of x in another element type.
//
//   to floating-point types   rounded to nearest even (of eight bits: see float8.hpp)
//   to integers               towards zero, NaN is 0. Beyond the ends of the range:
//     8 or 16 bits            keep the low bits, as in Composable Kernel: 378 is 122 as int8
//     of more bits, integers  keep the low bits, too
//     of more bits, floats    the nearest end
//
// saturated<To>(x): the same, but all integers beyond the ends of the range are the nearest end.
//
// bhalf_t is a number here, not an integer: it converts by value from and to every other type.
#include "ck/utility/data_type.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ck {

namespace detail {

template <class T>
inline constexpr bool is_float8 = false;
template <int exponent, int mantissa, bool ocp>
inline constexpr bool is_float8<Float8<exponent, mantissa, ocp>> = true;

/// Types that convert through float.
template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, half_t> || is_float8<T>;

/// To an integer, from float, double or an integer.
template <class T, class F>
CK_HOST_DEVICE constexpr T saturate(F x)
{
    constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    if constexpr(std::is_integral_v<F>)
    {
        if constexpr(std::is_signed_v<F> == std::is_signed_v<T> && sizeof(F) <= sizeof(T))
            return static_cast<T>(x);
        else if constexpr(std::is_signed_v<F> && std::is_signed_v<T>)
            return static_cast<T>(x < F{low} ? F{low} : x > F{high} ? F{high} : x);
        else if constexpr(std::is_signed_v<F>)
            return x < 0 ? low : saturate<T>(static_cast<std::make_unsigned_t<F>>(x));
        else if constexpr(sizeof(F) < sizeof(T))
            return static_cast<T>(x);
        else
            return x > static_cast<F>(high) ? high : static_cast<T>(x);
    }
    else // as an F the upper end may be the power of two that follows it
        return x != x                      ? T{0}
               : x <= static_cast<F>(low)  ? low
               : x >= static_cast<F>(high) ? high
                                           : static_cast<T>(x);
}

/// To an integer, from float, double or an integer; keeps the low bits. Floats of 2^31 or more and
/// doubles of 2^63 or more saturate first, as conversions of hardware do.
template <class T, class F>
CK_HOST_DEVICE constexpr T low_bits(F x)
{
    if constexpr(std::is_integral_v<F>)
        return static_cast<T>(x);
    else if constexpr(sizeof(T) >= sizeof(std::int32_t))
        return saturate<T>(x);
    else
        return static_cast<T>(
            saturate<std::conditional_t<std::is_same_v<F, double>, std::int64_t, std::int32_t>>(x));
}

} // namespace detail

template <class To, class From>
CK_HOST_DEVICE constexpr std::remove_cv_t<To> type_convert(From x)
{
    using T = std::remove_cv_t<To>;
    using F = std::remove_cv_t<From>;
    if constexpr(std::is_same_v<T, F>)
        return x;
    else if constexpr(std::is_same_v<F, bhalf_t>)
        return type_convert<T>(detail::bhalf_bits_to_float(x));
    else if constexpr(std::is_same_v<T, bhalf_t> && detail::is_float8<F>) // exact
        return static_cast<bhalf_t>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16);
    else if constexpr(std::is_same_v<T, bhalf_t>)
        return detail::float_to_bhalf_bits(static_cast<float>(x));
    else if constexpr(detail::is_small_float<F>)
        return type_convert<T>(static_cast<float>(x));
    else if constexpr(detail::is_small_float<T>)
        return static_cast<T>(static_cast<float>(x));
    else if constexpr(std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return detail::low_bits<T>(x);
    else
        return static_cast<T>(x);
}

/// Converts as type_convert does, but an integer beyond the ends of its range is the nearest end.
template <class To, class From>
CK_HOST_DEVICE constexpr std::remove_cv_t<To> saturated(From x)
{
    using T = std::remove_cv_t<To>;
    using F = std::remove_cv_t<From>;
    if constexpr(!std::is_integral_v<T> || std::is_same_v<T, bhalf_t> || std::is_same_v<T, bool>)
        return type_convert<T>(x);
    else if constexpr(std::is_same_v<F, bhalf_t> || detail::is_small_float<F>)
        return detail::saturate<T>(type_convert<float>(x));
    else
        return detail::saturate<T>(x);
}

/// Converts to an eight-bit float, to nearest, ties to even, as type_convert does.
template <class To, class From>
CK_HOST_DEVICE constexpr To f8_convert_rne(From x)
{
    return type_convert<To>(x);
}

/// Converts to one of the two neighbouring eight-bit floats, the nearer one the likelier: the mean
/// of many conversions is the number. Chance is a hash of the number and `seed`, so that the same
/// call has the same result. What is beyond the largest number becomes that.
template <class To, class From>
CK_HOST_DEVICE constexpr To f8_convert_sr(From x, std::uint32_t seed = 0)
{
    const float value  = type_convert<float>(x);
    const To nearest   = type_convert<To>(value);
    const float at     = type_convert<float>(nearest);
    const float beyond = value - at;
    if(!(beyond < 0 || beyond > 0) || at == type_convert<float>(To::of_bits(To::largest)) ||
       at == -type_convert<float>(To::of_bits(To::largest)))
        return nearest;
    // Magnitudes are in the order of their bits; from zero both signs are one step away.
    const bool outwards      = at == 0 || (beyond > 0) == (at > 0);
    const std::uint32_t sign = at < 0 || (at == 0 && beyond < 0) ? 0x80u : 0u;
    const std::uint32_t code = (nearest.bits & 0x7fu) + (outwards ? 1u : ~0u);
    const To other           = To::of_bits(static_cast<std::uint8_t>(code == 0 ? 0u : code | sign));
    const float step         = type_convert<float>(other) - at;

    std::uint32_t hash = std::bit_cast<std::uint32_t>(value) ^ (seed * 0x9e3779b9u);
    hash               = (hash ^ (hash >> 16)) * 0x7feb352du;
    hash               = (hash ^ (hash >> 15)) * 0x846ca68bu;
    hash ^= hash >> 16;
    const float chance = static_cast<float>(hash >> 8) * 0x1p-24f; // in [0, 1)
    return chance < beyond / step ? other : nearest;
}

} // namespace ck
