#pragma once
// Integer types and basic integer functions.
#include "ck/utility/host_device.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ck {

using index_t      = std::int32_t;
using long_index_t = std::int64_t;

namespace math {

/// Smallest q with q * y >= x, for x >= 0 and y > 0.
template <class X, class Y>
CK_HOST_DEVICE constexpr auto integer_divide_ceil(X x, Y y)
{
    return (x + y - 1) / y;
}

/// Largest q with q * y <= x, for any x and y > 0.
template <class T>
CK_HOST_DEVICE constexpr T integer_divide_floor(T x, T y)
{
    return x / y - (x % y < 0 ? 1 : 0);
}

/// Smallest multiple of `y` that is not less than `x`, for x >= 0 and y > 0.
template <class X, class Y>
CK_HOST_DEVICE constexpr auto integer_least_multiple(X x, Y y)
{
    return integer_divide_ceil(x, y) * y;
}

/// Returns array[n]. The offset is computed in 32 bits, which AMD's loads of parameters can add.
template <class T, std::size_t size>
CK_HOST_DEVICE CK_INLINE constexpr const T& element_at(const T (&array)[size], std::uint32_t n)
{
    if(std::is_constant_evaluated())
        return array[n];
    return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(array) +
                                       n * static_cast<std::uint32_t>(sizeof(T)));
}

// Offsets of coordinates outside the tensor may overflow: these wrap, and are never used.
CK_HOST_DEVICE CK_INLINE constexpr index_t wrapping_sum(index_t x, index_t y)
{
    return static_cast<index_t>(static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(y));
}
CK_HOST_DEVICE CK_INLINE constexpr index_t wrapping_product(index_t x, index_t y)
{
    return static_cast<index_t>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
}

/// x * y, or the largest value of the type if that overflows; for x, y >= 0.
template <class T>
constexpr T saturating_product(T x, T y)
{
    constexpr T most = std::numeric_limits<T>::max();
    return ((x | y) >> 31) != 0 && x != 0 && y > most / x ? most : x * y;
}
/// The same for x + y.
template <class T>
constexpr T saturating_sum(T x, T y)
{
    constexpr T most = std::numeric_limits<T>::max();
    return y > most - x ? most : x + y;
}

template <class T>
CK_HOST_DEVICE constexpr T min(T x, T y)
{
    return x < y ? x : y;
}

template <class T>
CK_HOST_DEVICE constexpr T max(T x, T y)
{
    return x < y ? y : x;
}

/// Greatest common divisor of non-negative integers; gcd(0, y) == y.
template <class T>
CK_HOST_DEVICE constexpr T gcd(T x, T y)
{
    while(y != 0)
    {
        const T rest = x % y;
        x            = y;
        y            = rest;
    }
    return x;
}

} // namespace math
} // namespace ck
