#pragma once
// Element-wise operations of one operand: op(y, x) sets y. Element types are any that type_convert
// knows.
#include "ck/tensor_operation/gpu/element/compute_type.hpp"

namespace ck::tensor_operation::element_wise {

/// y = x
struct PassThrough
{
    template <class Y, class X>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X& x) const
    {
        y = type_convert<Y>(x);
    }
};

/// y = x; the name under which a change of type is the purpose.
struct UnaryConvert
{
    template <class Y, class X>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X& x) const
    {
        y = type_convert<Y>(x);
    }
};

/// y = scale * x
struct Scale
{
    CK_HOST_DEVICE constexpr Scale(float scale = 1.f) : scale_(scale) {}

    template <class Y, class X>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X& x) const
    {
        using Compute = ComputeType<Y, X>;
        y             = type_convert<Y>(Compute(scale_) * type_convert<Compute>(x));
    }

    float scale_;
};

/// y = max(x, 0); NaN stays NaN.
struct Relu
{
    template <class Y, class X>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X& x) const
    {
        using Compute   = ComputeType<Y, X>;
        const Compute v = type_convert<Compute>(x);
        y               = type_convert<Y>(v < Compute(0) ? Compute(0) : v);
    }
};

} // namespace ck::tensor_operation::element_wise
