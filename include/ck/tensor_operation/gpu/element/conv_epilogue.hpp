#pragma once
// What a layer does to a convolution's sum, chosen at run time. One operation covers all of it,
// because each operation means compiling every kernel again.
#include "ck/tensor_operation/gpu/element/unary_element_wise_operation.hpp"

#include <cstdint>
#include <type_traits>

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
        gelu,
        leaky_relu,
        hard_swish,
        hard_sigmoid,
        sigmoid
    };
    /// Where an operand is added.
    enum class Place : std::int32_t
    {
        nowhere,
        before,
        after
    };

    /// An activation as a constant.
    template <Activation activation>
    using Constant = std::integral_constant<Activation, activation>;

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1, T x2) const
    {
        const T sum = T(scale) * x0 + at(Place::before, x1, x2);
        return activated(sum) + at(Place::after, x1, x2);
    }

    /// The activation alone. Pairs share code, which kernels may repeat for every element.
    template <class T>
    CK_HOST_DEVICE constexpr T activated(T x) const
    {
        const auto gated_if = [&](bool gates, T factor) {
            return gates ? detail::gated(x, factor) : factor;
        };
        switch(activation)
        {
        case Activation::none:
            break;
        case Activation::clamp:
            return detail::clamp(x, T(least), T(most));
        case Activation::leaky_relu:
            return LeakyRelu{least}.value(x);
        case Activation::gelu:
            return Gelu{}.value(x);
        case Activation::silu:
        case Activation::sigmoid:
            return gated_if(activation == Activation::silu, detail::sigmoid(x));
        case Activation::hard_swish:
        case Activation::hard_sigmoid:
            return gated_if(activation == Activation::hard_swish, detail::hard_sigmoid(x));
        }
        return x;
    }

    /// This operation with its activation as a constant of the code.
    template <Activation constant>
    CK_HOST_DEVICE constexpr ConvEpilogue with() const
    {
        ConvEpilogue r = *this;
        r.activation   = constant;
        return r;
    }

    /// Calls f(constant) with the activation. f repeats its code for many elements;
    /// the only branch is here, uniform across threads.
    template <class F>
    CK_HOST_DEVICE CK_INLINE constexpr void with_constant_activation(const F& f) const
    {
        switch(activation)
        {
        case Activation::none:
            return f(Constant<Activation::none>{});
        case Activation::clamp:
            return f(Constant<Activation::clamp>{});
        case Activation::silu:
            return f(Constant<Activation::silu>{});
        case Activation::gelu:
            return f(Constant<Activation::gelu>{});
        case Activation::leaky_relu:
            return f(Constant<Activation::leaky_relu>{});
        case Activation::hard_swish:
            return f(Constant<Activation::hard_swish>{});
        case Activation::hard_sigmoid:
            return f(Constant<Activation::hard_sigmoid>{});
        case Activation::sigmoid:
            return f(Constant<Activation::sigmoid>{});
        }
    }

    float scale           = 1.f; ///< factor of x0
    float least           = 0.f; ///< lower limit of clamp; slope of leaky_relu where x < 0
    float most            = 0.f; ///< upper limit of clamp
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
