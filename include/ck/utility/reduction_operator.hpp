#pragma once
// Binary operations of reductions: op(a, b) combines b into a. float, double or 32-bit integers.
#include "ck/utility/host_device.hpp"

#include <limits>

namespace ck::reduce {

/// a + b
struct Add
{
    template <class T>
    CK_HOST_DEVICE static constexpr T GetIdentityValue()
    {
        return T{0};
    }
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& a, T b) const
    {
        a = a + b;
    }
};

/// a * b
struct Mul
{
    template <class T>
    CK_HOST_DEVICE static constexpr T GetIdentityValue()
    {
        return T{1};
    }
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& a, T b) const
    {
        a = a * b;
    }
};

// Max, Min and AMax ignore a NaN b; accumulate<true>() propagates it.

/// The larger value; it starts at the smallest value, or minus infinity for floating-point types.
struct Max
{
    template <class T>
    CK_HOST_DEVICE static constexpr T GetIdentityValue()
    {
        using Limits = std::numeric_limits<T>;
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& a, T b) const
    {
        if(a < b)
            a = b;
    }
};

/// The smaller value; it starts at the largest value, or infinity for floating-point types.
struct Min
{
    template <class T>
    CK_HOST_DEVICE static constexpr T GetIdentityValue()
    {
        using Limits = std::numeric_limits<T>;
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& a, T b) const
    {
        if(b < a)
            a = b;
    }
};

/// The largest absolute value; starts at 0. b is an absolute value already: an element-wise
/// operation, UnaryAbs, computed it.
struct AMax
{
    template <class T>
    CK_HOST_DEVICE static constexpr T GetIdentityValue()
    {
        return T{0};
    }
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& a, T b) const
    {
        if(a < b)
            a = b;
    }
};

/// op(a, b). propagate_nan: a NaN makes the result NaN, whatever follows. Otherwise the operation
/// decides: sums and products become NaN, the others ignore NaN.
template <bool propagate_nan, class Operation, class T>
CK_HOST_DEVICE constexpr void accumulate(const Operation& op, T& a, T b)
{
    if(propagate_nan && !(b == b))
        a = b;
    else if(!propagate_nan || a == a)
        op(a, b);
}

} // namespace ck::reduce
