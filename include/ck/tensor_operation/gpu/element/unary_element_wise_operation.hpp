#pragma once
// Element-wise operations of one operand: op(y, x) sets y. NaN stays NaN.
#include "ck/tensor_operation/gpu/element/formula.hpp"

namespace ck::tensor_operation::element_wise {

/// y = x
struct PassThrough
{
    /// Converts x to y's type.
    template <class Y, class X>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X& x) const
    {
        y = type_convert<Y>(x);
    }
};

/// y = x, under the name that says that it changes the type.
struct UnaryConvert : PassThrough
{};
/// y = x for bf16 and 8-bit floats: type_convert rounds to nearest even.
struct ConvertBF16RTN : PassThrough
{};
struct ConvertF8RNE : PassThrough
{};
template <class Y, class X>
struct UnaryTypeConvert : PassThrough
{};

/// y = scale * x
struct Scale : Formula<Scale>
{
    /// Keeps scale for the formula.
    CK_HOST_DEVICE constexpr Scale(float scale = 1.f) : scale_(scale) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return T(scale_) * x;
    }

    float scale_;
};

/// y = max(x, 0)
struct Relu : Formula<Relu>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return x < T(0) ? T(0) : x;
    }
};

/// y = |x|
struct UnaryAbs : Formula<UnaryAbs>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::abs(x);
    }
};

/// y = x^2
struct UnarySquare : Formula<UnarySquare>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return x * x;
    }
};

/// y = sqrt(x)
struct UnarySqrt : Formula<UnarySqrt>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::sqrt(x);
    }
};

/// y = x / divider
struct UnaryDivide : Formula<UnaryDivide>
{
    /// Keeps divider for the formula.
    CK_HOST_DEVICE constexpr UnaryDivide(std::int32_t divider = 1) : divider_(divider) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return x / T(divider_);
    }

    std::int32_t divider_;
};

/// y = tanh(x)
struct TanH : Formula<TanH>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::tanh(x);
    }
};

/// y = 1 / (1 + e^-x)
struct Sigmoid : Formula<Sigmoid>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return detail::sigmoid(x);
    }
};

/// y = x / (1 + e^(-beta x))
struct Swish : Formula<Swish>
{
    /// Keeps beta for the formula.
    CK_HOST_DEVICE constexpr Swish(float beta = 1.f) : beta_(beta) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return detail::gated(x, detail::sigmoid(T(beta_) * x));
    }

    float beta_;
};

/// y = x / (1 + e^-x)
struct Silu : Formula<Silu>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return Swish{}.value(x);
    }
};

/// y = x P(Z <= x) for Z ~ N(0, 1), which is x (1 + erf(x / sqrt 2)) / 2
struct Gelu : Formula<Gelu>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return detail::gated(x, detail::normal_cdf(x));
    }
};

/// y = x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; within 0.0005 of Gelu
struct FastGelu : Formula<FastGelu>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        // (1 + tanh u) / 2 is the sigmoid of 2u; 2 sqrt(2 / pi) = 1.59...
        return detail::gated(
            x, detail::sigmoid(T(1.5957691216057308) * x * (T(1) + T(0.044715) * x * x)));
    }
};

/// y = x min(max(x + 3, 0), 6) / 6
struct Hardswish : Formula<Hardswish>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return detail::gated(x, detail::hard_sigmoid(x));
    }
};

/// y = ln(1 + e^(alpha x)) / alpha
struct SoftRelu : Formula<SoftRelu>
{
    /// Keeps alpha for the formula.
    CK_HOST_DEVICE constexpr SoftRelu(float alpha = 1.f) : alpha_(alpha) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        const T t = T(alpha_) * x;
        return ((t < T(0) ? T(0) : t) + std::log1p(std::exp(-std::abs(t)))) / T(alpha_);
    }

    float alpha_;
};

/// y = (alpha + beta x)^gamma
struct Power : Formula<Power>
{
    /// Keeps alpha, beta and gamma for the formula.
    CK_HOST_DEVICE constexpr Power(float alpha = 0.f, float beta = 1.f, float gamma = 2.f)
        : alpha_(alpha),
          beta_(beta),
          gamma_(gamma)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return std::pow(T(alpha_) + T(beta_) * x, T(gamma_));
    }

    float alpha_;
    float beta_;
    float gamma_;
};

/// y = min(max(x, floor), ceil)
struct Clamp : Formula<Clamp>
{
    /// Keeps floor and ceil for the formula.
    CK_HOST_DEVICE constexpr Clamp(float floor = 0.f, float ceil = INFINITY)
        : floor_(floor),
          ceil_(ceil)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return detail::clamp(x, T(floor_), T(ceil_));
    }

    float floor_;
    float ceil_;
};

/// y = min(max(x, alpha), beta)
struct ClippedRelu : Formula<ClippedRelu>
{
    /// Keeps alpha and beta for the formula.
    CK_HOST_DEVICE constexpr ClippedRelu(float alpha = 0.f, float beta = 1.f)
        : alpha_(alpha),
          beta_(beta)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return detail::clamp(x, T(alpha_), T(beta_));
    }

    float alpha_;
    float beta_;
};

/// y = x, or alpha x where x < 0
struct LeakyRelu : Formula<LeakyRelu>
{
    /// Keeps alpha for the formula.
    CK_HOST_DEVICE constexpr LeakyRelu(float alpha = 0.01f) : alpha_(alpha) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return x < T(0) ? T(alpha_) * x : x;
    }

    float alpha_;
};

/// y = x, or alpha (e^x - 1) where x < 0
struct Elu : Formula<Elu>
{
    /// Keeps alpha for the formula.
    CK_HOST_DEVICE constexpr Elu(float alpha = 1.f) : alpha_(alpha) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return x < T(0) ? T(alpha_) * std::expm1(x) : x;
    }

    float alpha_;
};

/// y = alpha / (1 + alpha e^-x), for a positive alpha
struct Logistic : Formula<Logistic>
{
    /// Keeps alpha for the formula.
    CK_HOST_DEVICE constexpr Logistic(float alpha = 1.f) : alpha_(alpha) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        const T e = std::exp(x < T(0) ? x : -x);
        return T(alpha_) * (x < T(0) ? e / (e + T(alpha_)) : T(1) / (T(1) + T(alpha_) * e));
    }

    float alpha_;
};

/// Factors of input, filter and output, shared by the operations on 8-bit results.
struct ConvScales
{
    /// Keeps scale_in, scale_wei and scale_out for the formula.
    CK_HOST_DEVICE constexpr ConvScales(float scale_in  = 1.f,
                                        float scale_wei = 1.f,
                                        float scale_out = 1.f)
        : scale_in_(scale_in),
          scale_wei_(scale_wei),
          scale_out_(scale_out)
    {}

    float scale_in_;
    float scale_wei_;
    float scale_out_;
};

/// y = x scale_in scale_wei scale_out
struct ConvScale : ConvScales, Formula<ConvScale>
{
    /// Keeps the three scales for the formula.
    using ConvScales::ConvScales;

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return x * T(scale_in_) * T(scale_wei_) * T(scale_out_);
    }
};

/// y = max(x scale_in scale_wei, 0) scale_out
struct ConvScaleRelu : ConvScales, Formula<ConvScaleRelu>
{
    /// Keeps the three scales for the formula.
    using ConvScales::ConvScales;

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return Relu{}.value(x * T(scale_in_) * T(scale_wei_)) * T(scale_out_);
    }
};

/// y = x / scale_in / scale_wei / scale_out
struct ConvInvscale : ConvScales, Formula<ConvInvscale>
{
    /// Keeps the three scales for the formula.
    using ConvScales::ConvScales;

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        return x / T(scale_in_) / T(scale_wei_) / T(scale_out_);
    }
};

} // namespace ck::tensor_operation::element_wise
