#pragma once
// What a layer does to a convolution's sum, chosen at run time. One operation covers all of it,
// because each operation means compiling every kernel again.
#include "ck/tensor_operation/gpu/element/unary_element_wise_operation.hpp"

#include <cstdint>

namespace ck::tensor_operation::element_wise {

/// y = activation(scale x0 + operands added before) + operands added after. x1 and x2 are added
/// before, after, or nowhere. An operand that is added nowhere is not used: it may be NaN.
struct ConvEpilogue : Formula<ConvEpilogue>
{
    /// The activation; clamp with the limits 0 and infinity is relu.
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

    /// The activation alone.
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

    float scale           = 1.f;              ///< factor of x0
    float least           = 0.f;              ///< lower limit of clamp
    float most            = 0.f;              ///< upper limit of clamp
    Activation activation = Activation::none; ///< the activation
    Place place1          = Place::nowhere;   ///< where x1 is added
    Place place2          = Place::nowhere;   ///< where x2 is added

private:
    /// The sum of the operands that are added at this place.
    template <class T>
    CK_HOST_DEVICE constexpr T at(Place place, T x1, T x2) const
    {
        return (place1 == place ? x1 : T(0)) + (place2 == place ? x2 : T(0));
    }
};

} // namespace ck::tensor_operation::element_wise
