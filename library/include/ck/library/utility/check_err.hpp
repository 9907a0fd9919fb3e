#pragma once
// check_err: compares a computed range with its reference, element by element.
#include "ck/host_utility/io.hpp"
#include "ck/library/utility/ranges.hpp"
#include "ck/utility/type_convert.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ck::utils {

/// Default tolerances of check_err for each element type.
template <class T>
inline constexpr double default_rtol = std::integral<T> ? 0 : 1e-5;
/// The absolute tolerance; 0 for integers.
template <class T>
inline constexpr double default_atol = std::integral<T> ? 0 : 3e-6;
/// f16
template <>
inline constexpr double default_rtol<half_t> = 1e-3;
/// f16
template <>
inline constexpr double default_atol<half_t> = 1e-3;
/// bf16
template <>
inline constexpr double default_rtol<bhalf_t> = 1e-3;
/// bf16
template <>
inline constexpr double default_atol<bhalf_t> = 1e-3;

namespace detail {

/// Whether a type is rounded; bhalf_t is an integer type that holds a rounded number.
template <class T>
inline constexpr bool is_floating = !std::integral<T> || std::is_same_v<T, bhalf_t>;

/// |a - b|, exact for integers up to the rounding to double; NaN and infinities are kept.
template <class T, class U>
double absolute_difference(T a, U b)
{
    if constexpr(is_floating<T> || is_floating<U>)
        return std::abs(type_convert<double>(a) - type_convert<double>(b));
    else if(std::cmp_equal(a, b))
        return 0;
    else if(std::cmp_less(a, b))
        return static_cast<double>(static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a));
    else
        return static_cast<double>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

} // namespace detail

/// Whether |out[i] - ref[i]| <= atol + rtol * |ref[i]| for all i, and all values are finite. For
/// integers: |out[i] - ref[i]| <= atol. Prints to stderr the first four wrong elements, the largest
/// error and the number of errors.
template <ck::ranges::range Range, ck::ranges::range RefRange>
bool check_err(const Range& out,
               const RefRange& ref,
               const std::string& msg = "Error: Incorrect results!",
               double rtol            = default_rtol<ck::ranges::range_value_t<const Range>>,
               double atol            = default_atol<ck::ranges::range_value_t<const Range>>)
{
    using T = ck::ranges::range_value_t<const Range>;
    using R = ck::ranges::range_value_t<const RefRange>;

    const auto size     = std::distance(std::begin(out), std::end(out));
    const auto ref_size = std::distance(std::begin(ref), std::end(ref));
    if(size != ref_size)
    {
        std::cerr << msg << " out.size() != ref.size(), :" << size << " != " << ref_size
                  << std::endl;
        return false;
    }

    constexpr bool floating      = detail::is_floating<T> || detail::is_floating<R>;
    constexpr std::size_t prints = 4;
    std::size_t errors = 0, i = 0;
    double max_error = 0;
    auto r           = std::begin(ref);
    for(auto o = std::begin(out); o != std::end(out); ++o, ++r, ++i)
    {
        const T value      = *o;
        const R expected   = *r;
        const double error = detail::absolute_difference(value, expected);
        const double bound =
            floating ? atol + rtol * std::abs(type_convert<double>(expected)) : atol;
        // This form makes NaN fail. The difference of two infinities is NaN.
        if(error <= bound && std::isfinite(type_convert<double>(expected)))
            continue;
        if(errors++ < prints)
        {
            std::cerr << msg << std::setw(12) << std::setprecision(7) << " out[" << i << "] != ref["
                      << i << "]: ";
            if constexpr(floating)
                std::cerr << type_convert<double>(value)
                          << " != " << type_convert<double>(expected);
            else
                std::cerr << +value << " != " << +expected;
            std::cerr << std::endl;
        }
        if(std::isnan(error) || error > max_error)
            max_error = error; // a NaN stays: nothing compares greater
    }
    if(errors == 0)
        return true;
    std::cerr << std::setw(12) << std::setprecision(7) << "max err: " << max_error
              << ", number of errors: " << errors << ", "
              << 100. * static_cast<double>(errors) / static_cast<double>(size) << "% wrong values"
              << std::endl;
    return false;
}

} // namespace ck::utils
