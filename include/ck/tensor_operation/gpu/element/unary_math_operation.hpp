#pragma once
// Element-wise operations that are functions of the math library: op(y, x) sets y.
#include "ck/tensor_operation/gpu/element/formula.hpp"

namespace ck::tensor_operation::element_wise {

/// y = acos(x)
struct ACos : Formula<ACos>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::acos(x);
    }
};

/// y = acosh(x)
struct ACosH : Formula<ACosH>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::acosh(x);
    }
};

/// y = asin(x)
struct ASin : Formula<ASin>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::asin(x);
    }
};

/// y = asinh(x)
struct ASinH : Formula<ASinH>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::asinh(x);
    }
};

/// y = atan(x)
struct ATan : Formula<ATan>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::atan(x);
    }
};

/// y = atanh(x)
struct ATanH : Formula<ATanH>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::atanh(x);
    }
};

/// y = the smallest integer that is not less than x
struct Ceil : Formula<Ceil>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::ceil(x);
    }
};

/// y = cos(x)
struct Cos : Formula<Cos>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::cos(x);
    }
};

/// y = cosh(x)
struct CosH : Formula<CosH>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::cosh(x);
    }
};

/// y = e^x
struct Exp : Formula<Exp>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::exp(x);
    }
};

/// y = the largest integer that is not greater than x
struct Floor : Formula<Floor>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::floor(x);
    }
};

/// y = ln(x)
struct Log : Formula<Log>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::log(x);
    }
};

/// y = sin(x)
struct Sin : Formula<Sin>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::sin(x);
    }
};

/// y = sinh(x)
struct SinH : Formula<SinH>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::sinh(x);
    }
};

/// y = tan(x)
struct Tan : Formula<Tan>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::tan(x);
    }
};

/// y = -x
struct Neg : Formula<Neg>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return -x;
    }
};

/// y = 1 / x
struct Rcp : Formula<Rcp>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return T(1) / x;
    }
};

} // namespace ck::tensor_operation::element_wise
