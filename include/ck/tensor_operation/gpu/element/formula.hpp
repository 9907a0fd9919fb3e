#pragma once
// The base class of element-wise operations: a formula on numbers of one type.
#include "ck/arch/fast_math.hpp"
#include "ck/tensor_operation/gpu/element/compute_type.hpp"

#include <cmath>
#include <type_traits>

namespace ck::tensor_operation::element_wise {

/// Provides op(y, xs...) for an operation that derives from Formula<itself> and has
///     T value(T x...) const, a template of T,
/// on float or double. y is the value, rounded once to y's type. Operands may be of any types that
/// type_convert knows. saturates: whether an integer y beyond the ends of its range is the nearest
/// end, else it has the low bits of the value.
template <class Operation, bool saturates = false>
struct Formula
{
    /// Writes the value of the formula to y, rounded once.
    template <class Y, class... Xs>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const Xs&... xs) const
    {
        using Compute = ComputeType<Y, Xs...>;
        const Compute value =
            static_cast<const Operation&>(*this).value(type_convert<Compute>(xs)...);
        if constexpr(saturates)
            y = saturated<Y>(value);
        else
            y = type_convert<Y>(value);
    }
};

namespace detail {

/// Clamps x to [least, most]; NaN stays NaN.
template <class T>
CK_HOST_DEVICE constexpr T clamp(T x, T least, T most)
{
    return x < least ? least : x > most ? most : x;
}

/// 1 / (1 + e^-x), computed so that e^x never overflows and small results stay accurate. The
/// relative error of a float is at most (8 + |x|) 2^-23 where x is negative, else 2^-21.
template <class T>
CK_HOST_DEVICE constexpr T sigmoid(T x)
{
    if constexpr(std::is_same_v<T, float>)
    {
        const float e = arch::fast_exp(-std::abs(x)), r = arch::fast_reciprocal(1 + e);
        return x < 0 ? e * r : r;
    }
    else
    {
        const T e = std::exp(-std::abs(x));
        return (x < T(0) ? e : T(1)) / (T(1) + e);
    }
}

/// min(max(x + 3, 0), 6) / 6. The product with the rounded 1 / 6 is 1 where the sum is 6.
template <class T>
CK_HOST_DEVICE constexpr T hard_sigmoid(T x)
{
    return clamp(x + T(3), T(0), T(6)) * T(1. / 6);
}

/// x * factor; 0 if factor is 0, even for an infinite x.
template <class T>
CK_HOST_DEVICE constexpr T gated(T x, T factor)
{
    return factor == T(0) ? T(0) : x * factor;
}

/// P(Z <= x) for Z ~ N(0, 1), which is erfc(z) / 2 with z = -x / sqrt 2. Small results are
/// accurate, where 1 + erf would cancel. In f32 it takes far fewer registers and instructions than
/// the device libraries' erfc, which spills next to a wave's sums: for z >= 0, erfc(z) = t exp(Q(u)
/// - z^2) with t = 1 / (1 + z / 2) and u = 1 - t. Q is the polynomial of degree 9 with Q(0) = 0
/// that is nearest to log(erfc(z) exp(z^2) / t) at 2000 Chebyshev points of u in (0, 1); it
/// is wrong by at most 1.0e-7. The relative error is at most (12 + 2 x^2) 2^-24: that of
/// exp(-x^2 / 2) grows with its argument.
template <class T>
CK_HOST_DEVICE constexpr T normal_cdf(T x)
{
    if constexpr(sizeof(T) > sizeof(float))
        return std::erfc(x * T(-0.70710678118654752440)) / 2;
    else
    {
        const T t = arch::fast_reciprocal(1 + std::abs(x) * 0.35355339f), u = T(1) - t;
        T q = T(-0.1688970029f);
        for(const float c : {0.7062218785f,
                             -1.043577313f,
                             0.5963622928f,
                             -0.2021538615f,
                             0.2519684732f,
                             0.1541460603f,
                             -0.302817136f,
                             -1.256765604f})
            q = q * u + T(c);
        const T tail = t * arch::fast_exp(q * u - x * (x / 2)) / 2;
        return x < T(0) ? tail : T(1) - tail;
    }
}

/// op(x) for another operation.
template <class T, class Operation>
CK_HOST_DEVICE constexpr T applied(const Operation& op, T x)
{
    T y{};
    op(y, x);
    return y;
}
template <class T, class Operation>
CK_HOST_DEVICE constexpr T applied(const Operation& op, T x0, T x1)
{
    T y{};
    op(y, x0, x1);
    return y;
}

} // namespace detail
} // namespace ck::tensor_operation::element_wise
