#pragma once
// Element-wise operations that convert an integer accumulator back to 8 bits: scale, activation,
// clamp to [-128, 127]. Mul scales by a factor in the operation, Mul2 by an element of a D tensor.
// Composable Kernel's operations truncate, here as there; Requantize rounds.
#include "ck/tensor_operation/gpu/element/unary_element_wise_operation.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace ck::tensor_operation::element_wise {

namespace detail {

template <class T>
CK_HOST_DEVICE constexpr T within_int8(T x)
{
    return clamp(x, T(-128), T(127));
}

} // namespace detail

/// y = clamp(scale x), or clamp(scale x + d), within [least, most]. If y is an integer, the result
/// is rounded to nearest, ties to even, and saturates to y's range. Integers are computed in double
/// so that all platforms agree: an int32 times a float rounds once there and once more to the
/// integer.
struct Requantize
{
    /// Computes y from x.
    template <class Y, class X>
    CK_HOST_DEVICE void operator()(Y& y, const X& x) const
    {
        y = rounded<Y>(value(type_convert<ComputeType<Y, X>>(x)));
    }
    /// Computes y from x and an element of a D tensor.
    template <class Y, class X, class D>
    CK_HOST_DEVICE void operator()(Y& y, const X& x, const D& d) const
    {
        using Compute = ComputeType<Y, X, D>;
        y             = rounded<Y>(value(type_convert<Compute>(x), type_convert<Compute>(d)));
    }

    /// The formula without rounding to integers.
    template <class T>
    CK_HOST_DEVICE T value(T x) const
    {
        return detail::clamp(T(scale) * x, T(least), T(most));
    }
    /// The formula with d. Uses fma explicitly, because only some compilers would contract it.
    template <class T>
    CK_HOST_DEVICE T value(T x, T d) const
    {
        return detail::clamp(std::fma(T(scale), x, d), T(least), T(most));
    }

    float scale = 1.f;                                     ///< factor of x
    float least = -std::numeric_limits<float>::infinity(); ///< lower limit, before rounding
    float most  = std::numeric_limits<float>::infinity();  ///< upper limit, before rounding

private:
    template <class Y, class T>
    CK_HOST_DEVICE static Y rounded(T x)
    {
        if constexpr(std::is_integral_v<Y> && !std::is_same_v<Y, bhalf_t>)
            return saturated<Y>(std::rint(x));
        else
            return type_convert<Y>(x);
    }
};

/// y = clamp(requantScale Activation(x))
template <class Activation>
struct Activation_Mul_Clamp : Formula<Activation_Mul_Clamp<Activation>, true>
{
    /// Keeps requantScale and activationOp for the formula.
    CK_HOST_DEVICE constexpr Activation_Mul_Clamp(float requantScale      = 1.f,
                                                  Activation activationOp = {})
        : requantScale_(requantScale),
          activationOp_(activationOp)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return detail::within_int8(T(requantScale_) * detail::applied(activationOp_, x));
    }

    float requantScale_;
    Activation activationOp_;
};

/// y = clamp(requantScale Activation(x)), requantScale from a D tensor
template <class Activation>
struct Activation_Mul2_Clamp : Formula<Activation_Mul2_Clamp<Activation>, true>
{
    /// Keeps activationOp for the formula.
    CK_HOST_DEVICE constexpr Activation_Mul2_Clamp(Activation activationOp = {})
        : activationOp_(activationOp)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x, T requantScale) const
    {
        return detail::within_int8(requantScale * detail::applied(activationOp_, x));
    }

    Activation activationOp_;
};

/// y = clamp(requantScale Activation(x + bias))
template <class Activation>
struct Add_Activation_Mul_Clamp : Formula<Add_Activation_Mul_Clamp<Activation>, true>
{
    /// Keeps requantScale and activationOp for the formula.
    CK_HOST_DEVICE constexpr Add_Activation_Mul_Clamp(float requantScale      = 1.f,
                                                      Activation activationOp = {})
        : requantScale_(requantScale),
          activationOp_(activationOp)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x, T bias) const
    {
        return detail::within_int8(T(requantScale_) * detail::applied(activationOp_, x + bias));
    }

    float requantScale_;
    Activation activationOp_;
};

/// y = clamp(requantScale Activation(x + bias)), requantScale from a D tensor
template <class Activation>
struct Add_Activation_Mul2_Clamp : Formula<Add_Activation_Mul2_Clamp<Activation>, true>
{
    /// Keeps activationOp for the formula.
    CK_HOST_DEVICE constexpr Add_Activation_Mul2_Clamp(Activation activationOp = {})
        : activationOp_(activationOp)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x, T bias, T requantScale) const
    {
        return detail::within_int8(requantScale * detail::applied(activationOp_, x + bias));
    }

    Activation activationOp_;
};

/// y = clamp(requantScale2 Activation(requantScale1 (x + bias)))
template <class Activation>
struct Add_Mul_Activation_Mul_Clamp : Formula<Add_Mul_Activation_Mul_Clamp<Activation>, true>
{
    /// Keeps requantScale1, requantScale2 and activationOp for the formula.
    CK_HOST_DEVICE constexpr Add_Mul_Activation_Mul_Clamp(float requantScale1     = 1.f,
                                                          float requantScale2     = 1.f,
                                                          Activation activationOp = {})
        : requantScale1_(requantScale1),
          requantScale2_(requantScale2),
          activationOp_(activationOp)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x, T bias) const
    {
        return detail::within_int8(T(requantScale2_) *
                                   detail::applied(activationOp_, T(requantScale1_) * (x + bias)));
    }

    float requantScale1_;
    float requantScale2_;
    Activation activationOp_;
};

/// y = clamp(requantScale2 Activation(requantScale1 (x + bias))), requantScale1 from a D tensor
template <class Activation>
struct Add_Mul2_Activation_Mul_Clamp : Formula<Add_Mul2_Activation_Mul_Clamp<Activation>, true>
{
    /// Keeps requantScale2 and activationOp for the formula.
    CK_HOST_DEVICE constexpr Add_Mul2_Activation_Mul_Clamp(float requantScale2     = 1.f,
                                                           Activation activationOp = {})
        : requantScale2_(requantScale2),
          activationOp_(activationOp)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x, T bias, T requantScale1) const
    {
        return detail::within_int8(T(requantScale2_) *
                                   detail::applied(activationOp_, requantScale1 * (x + bias)));
    }

    float requantScale2_;
    Activation activationOp_;
};

/// y = clamp(scale_z_inv Activation(scaleAcc x)); scale_z_inv is 1 / the scale of the result.
template <class Activation>
struct Mul_Activation_Mul_Clamp : Formula<Mul_Activation_Mul_Clamp<Activation>, true>
{
    /// Keeps scale_z_inv, scaleAcc and activationOp for the formula.
    CK_HOST_DEVICE constexpr Mul_Activation_Mul_Clamp(float scale_z_inv       = 1.f,
                                                      float scaleAcc          = 1.f,
                                                      Activation activationOp = {})
        : scale_z_inv_(scale_z_inv),
          scaleAcc_(scaleAcc),
          activationOp_(activationOp)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return detail::within_int8(T(scale_z_inv_) *
                                   detail::applied(activationOp_, T(scaleAcc_) * x));
    }

    float scale_z_inv_;
    float scaleAcc_;
    Activation activationOp_;
};

} // namespace ck::tensor_operation::element_wise
