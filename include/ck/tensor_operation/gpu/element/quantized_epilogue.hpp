#pragma once
// What a quantized convolution does to its integer sums. The result is the exact number, rounded
// once: doubles that do not hold it are rounded to odd, so that the last rounding is not misled.
#include "ck/utility/integer.hpp"
#include "ck/utility/type_convert.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ck::tensor_operation::element_wise {

namespace detail {

/// The number if `rest` is 0. Otherwise the number + rest lies between two neighbouring numbers,
/// one of which is `number`: returns the one whose last bit is set.
CK_HOST_DEVICE inline double odd_of(double number, double rest)
{
    if(!(rest < 0 || rest > 0)) // also NaN, where the number is infinite
        return number;
    const auto bits = std::bit_cast<std::uint64_t>(number);
    if((bits & 1) != 0)
        return number;
    return std::bit_cast<double>((rest > 0) == (number > 0) ? bits + 1 : bits - 1);
}

/// A sum of two doubles, and what its rounding lost (Knuth, The Art of Computer Programming 2,
/// 4.2.2). Exact products may be contracted with it: that changes nothing.
struct ExactSum
{
    double sum, rest;

    CK_HOST_DEVICE ExactSum(double x, double y) : sum(x + y)
    {
        const double of_y = sum - x;
        rest              = (x - (sum - of_y)) + (y - of_y);
    }
    /// The sum, rounded to odd.
    CK_HOST_DEVICE double odd() const { return odd_of(sum, rest); }
};

/// x + y + z, rounded to odd (Boldo and Melquiond, Emulation of FMA and correctly rounded sums:
/// proved algorithms using rounding to odd, 2008).
CK_HOST_DEVICE inline double odd_sum(double x, double y, double z)
{
    if(const double sum = x + y + z; !(std::abs(sum) <= std::numeric_limits<double>::max()))
        return sum; // infinite or NaN: what rounding lost is NaN
    const ExactSum product(x, y), low(z, product.rest), high(product.sum, low.sum);
    return ExactSum(high.sum, ExactSum(low.rest, high.rest).odd()).odd();
}

/// A double as a float, rounded to odd.
CK_HOST_DEVICE inline float odd_float(double x)
{
    const auto nearest = static_cast<float>(x);
    const auto back    = static_cast<double>(nearest);
    const auto bits    = std::bit_cast<std::uint32_t>(nearest);
    if(!(back < x || back > x) || (bits & 1) != 0)
        return nearest;
    return std::bit_cast<float>(std::abs(x) > std::abs(back) ? bits + 1 : bits - 1);
}

} // namespace detail

/// result = activation(scale * sum + residual before) + residual after, computed exactly and
/// rounded once, to nearest, ties to even. Integer results then get the zero point and saturate.
struct QuantizedEpilogue
{
    /// Where a residual is added.
    enum class Place : std::int32_t
    {
        nowhere,
        before,
        after
    };

    /// sum: less than 2^50 in magnitude. residual: exact.
    template <class Y>
    CK_HOST_DEVICE Y value(long_index_t sum, float scale, double residual) const
    {
        return rounded<Y>(exact(sum, scale, residual));
    }

    float least          = -std::numeric_limits<float>::infinity(); ///< activation's lower limit
    float most           = std::numeric_limits<float>::infinity();  ///< activation's upper limit
    std::int32_t zero    = 0;              ///< zero point of an integer result
    Place place          = Place::nowhere; ///< where the residual is added
    float residual_scale = 1;              ///< factor of the residual
    std::int32_t residual_zero = 0;        ///< subtracted from a residual before it is scaled

private:
    /// The formula, rounded to odd.
    CK_HOST_DEVICE double exact(long_index_t sum, float scale, double residual) const
    {
        // Doubles hold the products of a float and 29 bits: mostly one is enough.
        constexpr long_index_t in_one = long_index_t{1} << 29, low_bits = 26;
        if(-in_one <= sum && sum <= in_one)
            return with_residual(
                static_cast<double>(sum) * static_cast<double>(scale),
                [&](double product) { return detail::ExactSum(product, residual).odd(); },
                residual);
        const long_index_t part = sum >> low_bits;
        const double high = static_cast<double>(part << low_bits) * static_cast<double>(scale),
                     low =
                         static_cast<double>(sum - (part << low_bits)) * static_cast<double>(scale);
        return with_residual(
            detail::ExactSum(high, low).odd(),
            [&](double) { return detail::odd_sum(high, low, residual); },
            residual);
    }

    /// product: rounded to odd. add(product): the exact one and the residual, likewise.
    template <class Add>
    CK_HOST_DEVICE CK_INLINE double
    with_residual(double product, const Add& add, double residual) const
    {
        if(place == Place::nowhere)
            return activated(product);
        if(place == Place::before)
            return activated(add(product));
        const double limited = activated(product);
        return limited < product || limited > product ? detail::ExactSum(limited, residual).odd()
                                                      : add(product);
    }

    CK_HOST_DEVICE CK_INLINE double activated(double x) const
    {
        const double lower = least, upper = most;
        return x < lower ? lower : x > upper ? upper : x;
    }

    template <class Y>
    CK_HOST_DEVICE Y rounded(double x) const
    {
        if constexpr(std::is_integral_v<Y> && !std::is_same_v<Y, bhalf_t>)
            return saturated<Y>(std::rint(x) + zero);
        else if constexpr(sizeof(Y) < sizeof(float))
            return type_convert<Y>(detail::odd_float(x));
        else
            return static_cast<Y>(x);
    }
};

} // namespace ck::tensor_operation::element_wise
