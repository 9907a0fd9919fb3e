#pragma once
// Element-wise operations of two operands: op(y, x0, x1) sets y. In a convolution x0 is the
// accumulator and x1 the element of the D tensor.
#include "ck/tensor_operation/gpu/element/compute_type.hpp"

namespace ck::tensor_operation::element_wise {

/// y = x0 + x1
struct Add
{
    template <class Y, class X0, class X1>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X0& x0, const X1& x1) const
    {
        using Compute = ComputeType<Y, X0, X1>;
        y             = type_convert<Y>(type_convert<Compute>(x0) + type_convert<Compute>(x1));
    }
};

/// y = scale * x0 + x1
struct ScaleAdd
{
    CK_HOST_DEVICE constexpr ScaleAdd(float scale = 1.f) : scale_(scale) {}

    template <class Y, class X0, class X1>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X0& x0, const X1& x1) const
    {
        using Compute = ComputeType<Y, X0, X1>;
        y             = type_convert<Y>(Compute(scale_) * type_convert<Compute>(x0) +
                            type_convert<Compute>(x1));
    }

    float scale_;
};

/// y = alpha * x0 + beta * x1
struct Bilinear
{
    CK_HOST_DEVICE constexpr Bilinear(float alpha = 1.f, float beta = 1.f)
        : alpha_(alpha),
          beta_(beta)
    {}

    template <class Y, class X0, class X1>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X0& x0, const X1& x1) const
    {
        using Compute = ComputeType<Y, X0, X1>;
        y             = type_convert<Y>(Compute(alpha_) * type_convert<Compute>(x0) +
                            Compute(beta_) * type_convert<Compute>(x1));
    }

    float alpha_;
    float beta_;
};

/// y = max(x0 + x1, 0); NaN stays NaN.
struct AddRelu
{
    template <class Y, class X0, class X1>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X0& x0, const X1& x1) const
    {
        using Compute     = ComputeType<Y, X0, X1>;
        const Compute sum = type_convert<Compute>(x0) + type_convert<Compute>(x1);
        y                 = type_convert<Y>(sum < Compute(0) ? Compute(0) : sum);
    }
};

} // namespace ck::tensor_operation::element_wise
