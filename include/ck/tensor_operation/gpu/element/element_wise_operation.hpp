#pragma once
// All element-wise operations, which a convolution applies to each element of its operands and of
// its result. This file defines those with three operands, op(y, x0, x1, x2): x0 is the
// accumulator, x1 and x2 are elements of the D tensors.
#include "ck/tensor_operation/gpu/element/binary_element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/element/combined_element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/element/dynamic_unary_operation.hpp"
#include "ck/tensor_operation/gpu/element/normalize_operation.hpp"
#include "ck/tensor_operation/gpu/element/quantization_operation.hpp"
#include "ck/tensor_operation/gpu/element/unary_element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/element/unary_math_operation.hpp"

namespace ck::tensor_operation::element_wise {

/// y = max(alpha1 x0 + alpha2 x1 + x2, 0)
struct ScaleAddScaleAddRelu : Formula<ScaleAddScaleAddRelu>
{
    /// Keeps alpha1 and alpha2 for the formula.
    CK_HOST_DEVICE constexpr ScaleAddScaleAddRelu(float alpha1 = 1.f, float alpha2 = 1.f)
        : alpha1_(alpha1),
          alpha2_(alpha2)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1, T x2) const
    {
        return Relu{}.value(T(alpha1_) * x0 + T(alpha2_) * x1 + x2);
    }

    float alpha1_;
    float alpha2_;
};

/// y = Second(First(x0, x1), x2)
template <class First, class Second>
struct InTurn : Formula<InTurn<First, Second>>
{
    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1, T x2) const
    {
        return detail::applied(Second{}, detail::applied(First{}, x0, x1), x2);
    }
};
/// y = x0 + x1 + x2
struct AddAdd : InTurn<Add, Add>
{};
/// y = (x0 + x1) x2
struct AddMultiply : InTurn<Add, Multiply>
{};
/// y = x0 x1 + x2
struct MultiplyAdd : InTurn<Multiply, Add>
{};
/// y = x0 x1 x2
struct MultiplyMultiply : InTurn<Multiply, Multiply>
{};
/// y = max(x0 + x1, 0) + x2
struct AddReluAdd : InTurn<AddRelu, Add>
{};
/// y = Hardswish(x0 + x1) + x2
struct AddHardswishAdd : InTurn<AddHardswish, Add>
{};
/// y = FastGelu(x0 + x1 + x2)
struct AddAddFastGelu : InTurn<Add, AddFastGelu>
{};
/// y = FastGelu(x0 x1 + x2)
struct MultiplyAddFastGelu : InTurn<Multiply, AddFastGelu>
{};

} // namespace ck::tensor_operation::element_wise
