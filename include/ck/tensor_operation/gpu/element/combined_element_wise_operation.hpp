#pragma once
// Element-wise operations composed of others; intermediate values are float or double.
#include "ck/tensor_operation/gpu/element/binary_element_wise_operation.hpp"
#include "ck/utility/tuple.hpp"

namespace ck::tensor_operation::element_wise {

/// y = op_n(... op_2(op_1(x)))
template <class... UnaryOps>
struct UnaryCombinedOp : Formula<UnaryCombinedOp<UnaryOps...>>
{
    UnaryCombinedOp() = default;
    /// Keeps ops for the formula.
    CK_HOST_DEVICE constexpr UnaryCombinedOp(UnaryOps... ops) requires(sizeof...(UnaryOps) > 0)
        : unary_ops_(ops...)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        unrolled<0, sizeof...(UnaryOps)>([&](auto i) { x = detail::applied(unary_ops_.At(i), x); });
        return x;
    }

    Tuple<UnaryOps...> unary_ops_;
};

/// Two scales, nothing else.
using ScaleScalePass = UnaryCombinedOp<Scale, Scale, PassThrough>;
/// Two scales, then max(x, 0).
using ScaleScaleRelu = UnaryCombinedOp<Scale, Scale, Relu>;

/// y = binary(unary0(x0), unary1(x1))
template <class BinaryOp, class UnaryOp0, class UnaryOp1>
struct BinaryWithUnaryCombinedOp : Formula<BinaryWithUnaryCombinedOp<BinaryOp, UnaryOp0, UnaryOp1>>
{
    BinaryWithUnaryCombinedOp() = default;
    /// Keeps binary_op, unary_op0 and unary_op1 for the formula.
    CK_HOST_DEVICE constexpr BinaryWithUnaryCombinedOp(BinaryOp binary_op,
                                                       UnaryOp0 unary_op0,
                                                       UnaryOp1 unary_op1)
        : binary_op_(binary_op),
          unary_op0_(unary_op0),
          unary_op1_(unary_op1)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return detail::applied(
            binary_op_, detail::applied(unary_op0_, x0), detail::applied(unary_op1_, x1));
    }

    BinaryOp binary_op_;
    UnaryOp0 unary_op0_;
    UnaryOp1 unary_op1_;
};

/// y = binary1(binary0(unary0(x0), unary1(x1)), unary2(x2))
template <class BinaryOp0, class BinaryOp1, class UnaryOp0, class UnaryOp1, class UnaryOp2>
struct TrinaryWithUnaryCombinedOp
    : Formula<TrinaryWithUnaryCombinedOp<BinaryOp0, BinaryOp1, UnaryOp0, UnaryOp1, UnaryOp2>>
{
    TrinaryWithUnaryCombinedOp() = default;
    /// Keeps binary_op0, binary_op1, unary_op0, unary_op1 and unary_op2 for the formula.
    CK_HOST_DEVICE constexpr TrinaryWithUnaryCombinedOp(BinaryOp0 binary_op0,
                                                        BinaryOp1 binary_op1,
                                                        UnaryOp0 unary_op0,
                                                        UnaryOp1 unary_op1,
                                                        UnaryOp2 unary_op2)
        : binary_op0_(binary_op0),
          binary_op1_(binary_op1),
          unary_op0_(unary_op0),
          unary_op1_(unary_op1),
          unary_op2_(unary_op2)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1, T x2) const
    {
        const T first = detail::applied(
            binary_op0_, detail::applied(unary_op0_, x0), detail::applied(unary_op1_, x1));
        return detail::applied(binary_op1_, first, detail::applied(unary_op2_, x2));
    }

    BinaryOp0 binary_op0_;
    BinaryOp1 binary_op1_;
    UnaryOp0 unary_op0_;
    UnaryOp1 unary_op1_;
    UnaryOp2 unary_op2_;
};

} // namespace ck::tensor_operation::element_wise
