#pragma once
// Element-wise operations of two operands: op(y, x0, x1) sets y. In a convolution x0 is the
// accumulator and x1 the element of the D tensor. NaN stays NaN.
#include "ck/tensor_operation/gpu/element/unary_element_wise_operation.hpp"

namespace ck::tensor_operation::element_wise {

/// y = x0 + x1
struct Add : Formula<Add>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return x0 + x1;
    }
};

/// y = x0 - x1
struct Subtract : Formula<Subtract>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return x0 - x1;
    }
};

/// y = x0 * x1
struct Multiply : Formula<Multiply>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return x0 * x1;
    }
};

/// y = max(x0, x1)
struct Max : Formula<Max>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return x0 < x1 || x1 != x1 ? x1 : x0;
    }
};

/// y = min(x0, x1)
struct Min : Formula<Min>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return x1 < x0 || x1 != x1 ? x1 : x0;
    }
};

/// y = scale * x0 + x1
struct ScaleAdd : Formula<ScaleAdd>
{
    /// Keeps scale for the formula.
    CK_HOST_DEVICE constexpr ScaleAdd(float scale = 1.f) : scale_(scale) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return T(scale_) * x0 + x1;
    }

    float scale_;
};

/// y = alpha * x0 + beta * x1
struct Bilinear : Formula<Bilinear>
{
    /// Keeps alpha and beta for the formula.
    CK_HOST_DEVICE constexpr Bilinear(float alpha = 1.f, float beta = 1.f)
        : alpha_(alpha),
          beta_(beta)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return T(alpha_) * x0 + T(beta_) * x1;
    }

    float alpha_;
    float beta_;
};

/// y = Activation(x0 + x1)
template <class Activation>
struct AddActivation : Formula<AddActivation<Activation>>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return detail::applied(Activation{}, x0 + x1);
    }
};
struct AddRelu : AddActivation<Relu>
{};
struct AddHardswish : AddActivation<Hardswish>
{};
struct AddFastGelu : AddActivation<FastGelu>
{};
struct AddSilu : AddActivation<Silu>
{};

/// y = FastGelu(x0 * x1)
struct MultiplyFastGelu : Formula<MultiplyFastGelu>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return FastGelu{}.value(x0 * x1);
    }
};

/// y = (x0 scale_in scale_wei + x1) scale_out
struct ConvScaleAdd : ConvScales, Formula<ConvScaleAdd>
{
    /// Keeps the three scales for the formula.
    using ConvScales::ConvScales;

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return (x0 * T(scale_in_) * T(scale_wei_) + x1) * T(scale_out_);
    }
};

} // namespace ck::tensor_operation::element_wise
