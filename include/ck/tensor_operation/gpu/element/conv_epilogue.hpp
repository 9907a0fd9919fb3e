#pragma once
// What a layer does to a convolution's sum, chosen when it runs: one operation for all of it, since
// each kernel is compiled anew for each operation.
#include "ck/tensor_operation/gpu/element/unary_element_wise_operation.hpp"

#include <cstdint>

namespace ck::tensor_operation::element_wise {

/// y = activation(scale x0 + what is added before) + what is added after: x1, x2, or neither,
/// each. An operand that is added nowhere is not looked at: it may be NaN.
struct ConvEpilogue : Formula<ConvEpilogue>
{
    /// The function; clamp is relu with the limits 0 and infinity.
    enum class Activation : std::int32_t
    {
        none,
        clamp,
        silu,
        gelu
    };
    /// Where an operand is added.
    enum class Place : std::int32_t
    {
        nowhere,
        before,
        after
    };

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1, T x2) const
    {
        const T sum = T(scale) * x0 + at(Place::before, x1, x2);
        return activated(sum) + at(Place::after, x1, x2);
    }

    /// The function alone.
    template <class T>
    CK_HOST_DEVICE constexpr T activated(T x) const
    {
        if(activation == Activation::clamp)
            return detail::clamp(x, T(least), T(most));
        if(activation == Activation::silu)
            return Silu{}.value(x);
        if(activation == Activation::gelu)
            return Gelu{}.value(x);
        return x;
    }

    float scale           = 1.f;              ///< of x0
    float least           = 0.f;              ///< of clamp
    float most            = 0.f;              ///< of clamp
    Activation activation = Activation::none; ///< the function
    Place place1          = Place::nowhere;   ///< of x1
    Place place2          = Place::nowhere;   ///< of x2

private:
    /// The sum of the operands that are added there.
    template <class T>
    CK_HOST_DEVICE constexpr T at(Place place, T x1, T x2) const
    {
        return (place1 == place ? x1 : T(0)) + (place2 == place ? x2 : T(0));
    }
};

} // namespace ck::tensor_operation::element_wise
