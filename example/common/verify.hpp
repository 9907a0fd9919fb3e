#pragma once
// Verifies a result against plain loops in double, within a bound derived from the types and the
// length of the sums.
#include "ck/library/utility/convolution_parameter.hpp"
#include "ck/library/utility/error_bound.hpp"
#include "ck/library/utility/host_tensor.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

namespace example {

template <class T>
double largest_magnitude(const Tensor<T>& tensor)
{
    double largest = 0;
    for(const T& x : tensor)
        largest = std::max(largest, std::abs(ck::type_convert<double>(x)));
    return largest;
}

/// What bounds the error of a result, op(sum of products of two operands).
struct Sums
{
    double length;       ///< the most products in a sum
    double magnitude;    ///< the largest product
    bool integers;       ///< the operands are
    bool keeps_integers; ///< op computes integers from integers, without rounding
    double slope;        ///< the most by which op enlarges a difference
};

/// Prints the largest error and PASS or FAIL. Operand: what is multiplied. The reference, in
/// double, counts as exact, but of doubles: there it may be as wrong as the result.
template <class Operand, class T>
bool verify(const Tensor<T>& result, const Tensor<double>& expected, const Sums& sums)
{
    // Sums of integers below 2^24 are exact in float, in any order.
    const double magnitudes = sums.length * sums.magnitude;
    const bool exact_sum    = sums.integers && magnitudes < 0x1p23;
    const bool exact        = exact_sum && sums.keeps_integers; // there is one right value
    constexpr bool doubles  = std::is_same_v<Operand, double>;
    const double sum_bound =
        exact_sum ? 0
                  : (doubles ? 2 : 1) *
                        ck::utils::error_bound<Operand, Operand, double>(sums.length, magnitudes);
    constexpr double of_op = ck::utils::unit_roundoff<std::conditional_t<doubles, double, float>>;
    const auto bound       = [&](double value) {
        const double op = // with up to 32 roundings of its own, of floats or doubles
            exact
                      ? 0
                      : sums.slope * sum_bound + 32 * of_op * (std::abs(value) + sums.slope * magnitudes);
        return op + ck::utils::unit_roundoff<T> * (std::abs(value) + op) +
               ck::utils::denormal_roundoff<T>;
    };

    double error = 0, error_bound = 0; // where the error takes the largest part of its bound
    double part       = -1;
    std::size_t wrong = 0;
    for(std::size_t i = 0; i < result.size(); ++i)
    {
        const double got = ck::type_convert<double>(result.mData[i]), value = expected.mData[i];
        const double b     = bound(value);
        const bool nearest = got == ck::type_convert<double>(ck::type_convert<T>(value));
        // Beyond the end of the type's range, the end is right.
        const double e = nearest && !(std::abs(got - value) <= b) ? 0 : std::abs(got - value);
        const bool ok  = nearest || (!exact && e <= b); // a NaN is not
        wrong += !ok;
        const double p = ok ? std::min(e / b, 1.) : std::isnan(e) ? INFINITY : 1 + e;
        if(p > part)
        {
            part        = p;
            error       = e;
            error_bound = b;
        }
    }
    std::cout << "verification: largest error " << error << ", bound there " << error_bound
              << (exact ? " (rounding of the exact value to the data type)"
                        : " (rounding of sums of " +
                              std::to_string(static_cast<long>(sums.length)) + " products)")
              << ": ";
    if(wrong == 0)
        std::cout << "PASS\n";
    else
        std::cout << "FAIL, " << wrong << " of " << result.size() << " elements\n";
    return wrong == 0;
}

} // namespace example
