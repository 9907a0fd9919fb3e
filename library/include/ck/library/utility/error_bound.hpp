#pragma once
// How far a convolution's result may be from the exact one, derived from its types and the length
// of its sums.
#include "ck/utility/data_type.hpp"

#include <type_traits>

namespace ck::utils {

/// Largest relative error of one rounding to nearest.
template <class T>
inline constexpr double unit_roundoff = 0; // integers
/// f64
template <>
inline constexpr double unit_roundoff<double> = 0x1p-53;
/// f32
template <>
inline constexpr double unit_roundoff<float> = 0x1p-24;
/// tf32
template <>
inline constexpr double unit_roundoff<tf32_t> = 0x1p-11;
/// f16
template <>
inline constexpr double unit_roundoff<half_t> = 0x1p-11;
/// bf16
template <>
inline constexpr double unit_roundoff<bhalf_t> = 0x1p-8;
/// eight-bit floats
template <int exponent, int mantissa, bool ocp>
inline constexpr double
    unit_roundoff<ck::detail::Float8<exponent, mantissa, ocp>> = 1. / (2 << mantissa);

/// Largest absolute error of rounding a denormal number.
template <class T>
inline constexpr double denormal_roundoff = 0;
/// f32
template <>
inline constexpr double denormal_roundoff<float> = 0x1p-150;
/// f16
template <>
inline constexpr double denormal_roundoff<half_t> = 0x1p-25;
/// bf16
template <>
inline constexpr double denormal_roundoff<bhalf_t> = 0x1p-134;
/// eight-bit floats
template <int exponent, int mantissa, bool ocp>
inline constexpr double denormal_roundoff<ck::detail::Float8<exponent, mantissa, ocp>> =
    double{ck::detail::Float8<exponent, mantissa, ocp>::of_bits(1)} / 2; // half of the smallest

/// Bound on |computed - exact| for sum_i a_i * b_i over `reduction_length` terms, where
///   a_i and b_i are rounded from DataType to Compute (exactly if Compute can represent DataType);
/// products and sums are computed in float (of doubles: in double, 2^-53), in any order; each
/// addition may truncate (matrix units do), a relative error of 2 * 2^-24; and the sum is rounded
/// to Out. (If the reference is rounded to Out, it adds its own half unit.)
/// `sum_of_magnitudes` is sum_i |a_i * b_i| or a bound on it: reduction_length * max|a| * max|b| is
/// enough; the same convolution of absolute values is tighter. Each product goes through at most
/// `reduction_length` roundings of at most u, so its relative error is at most n * u / (1 - n * u)
/// (Higham, Accuracy and Stability of Numerical Algorithms, 2002, lemma 3.1).
template <class DataType, class Compute, class Out>
constexpr double error_bound(double reduction_length, double sum_of_magnitudes)
{
    constexpr bool integers  = unit_roundoff<DataType> == 0;
    constexpr bool exact     = unit_roundoff<DataType> >= unit_roundoff<Compute>;
    constexpr double operand = integers || exact ? 0 : unit_roundoff<Compute>;
    constexpr double u = integers ? 0 : 2 * (std::is_same_v<DataType, double> ? 0x1p-53 : 0x1p-24);

    const double rounded = sum_of_magnitudes * (1 + operand) * (1 + operand); // sum of |products|
    const double nu      = (reduction_length + 1) * u; // + 1: the product itself
    const double sum     = (rounded - sum_of_magnitudes) + rounded * (nu / (1 - nu));
    return sum + unit_roundoff<Out> * (sum_of_magnitudes + sum) + denormal_roundoff<Out>;
}

} // namespace ck::utils
