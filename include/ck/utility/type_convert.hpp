#pragma once
// type_convert<To>(x): the numeric value of x in another element type, rounded to nearest even.
// bhalf_t is a number here, not an integer: it converts by value from and to every other type.
#include "ck/utility/data_type.hpp"

#include <type_traits>

namespace ck {

template <class To, class From>
CK_HOST_DEVICE constexpr std::remove_cv_t<To> type_convert(From x)
{
    using T = std::remove_cv_t<To>;
    using F = std::remove_cv_t<From>;
    if constexpr(std::is_same_v<T, F>)
        return x;
    else if constexpr(std::is_same_v<F, bhalf_t>)
        return type_convert<T>(detail::bhalf_bits_to_float(x));
    else if constexpr(std::is_same_v<T, bhalf_t>)
        return detail::float_to_bhalf_bits(static_cast<float>(x));
    else if constexpr(std::is_same_v<T, half_t> || std::is_same_v<F, half_t>)
        return static_cast<T>(static_cast<float>(x));
    else
        return static_cast<T>(x);
}

} // namespace ck
