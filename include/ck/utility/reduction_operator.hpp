#pragma once
// Binary operations that reduce: op(a, b) folds b into a. float, double or 32-bit integers.
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

// Max, Min and AMax ignore a NaN b; accumulate<true>() lets it through.

/// The larger; of nothing the least number, of floating-point types minus infinity.
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

/// The smaller; of nothing the largest number, of floating-point types infinity.
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

/// The larger of absolute values, which b is: an element-wise operation, UnaryAbs, made it. Of
/// nothing 0.
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

/// op(a, b). propagate_nan: the result of a NaN is NaN, whatever follows; else that is the
/// operation's business: sums and products are NaN, the others leave it out.
template <bool propagate_nan, class Operation, class T>
CK_HOST_DEVICE constexpr void accumulate(const Operation& op, T& a, T b)
{
    if(propagate_nan && !(b == b))
        a = b;
    else if(!propagate_nan || a == a)
        op(a, b);
}

} // namespace ck::reduce
