#pragma once
// Functions of one number for any element type, under Composable Kernel's path. Minimum and maximum
// are in integer.hpp.
#include "ck/utility/integer.hpp"
#include "ck/utility/type_convert.hpp"

#include <cmath>
#include <type_traits>

namespace ck::math {

namespace detail {
/// The type in which a number is computed. bhalf_t is an integer type in C++, but is a number here.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double> ||
                                        (std::is_integral_v<T> && !std::is_same_v<T, bhalf_t>),
                                    T,
                                    float>;
} // namespace detail

/// The magnitude, in the type of x; for the smallest integer, which has none, the largest one.
template <class T>
CK_HOST_DEVICE constexpr T abs(T x)
{
    const auto value = type_convert<detail::Computed<T>>(x);
    if constexpr(std::is_integral_v<decltype(value)>)
        return value < 0 ? saturated<T>(-static_cast<long_index_t>(value)) : x;
    else
        return value < 0 || value == 0 ? type_convert<T>(0 - value) : x;
}

template <class T>
CK_HOST_DEVICE constexpr bool isnan(T x)
{
    const auto value = type_convert<detail::Computed<T>>(x);
    return value != value;
}

/// The square root, in the type of x.
template <class T>
CK_HOST_DEVICE T sqrt(T x)
{
    return type_convert<T>(std::sqrt(type_convert<detail::Computed<T>>(x)));
}

} // namespace ck::math
