#pragma once
// Maps the reductions that clients name to the operations that DeviceReduce takes: the fold, the
// operation on each input element, and the operation on the result.
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/reduction_enums.hpp"
#include "ck/utility/reduction_operator.hpp"

#include <cstdint>
#include <tuple>

namespace ck {

/// Sums. opType: an operation of ck::reduce. indexable: whether the result is one of the elements.
template <ReduceTensorOp Op>
struct reduce_binary_operator
{
    /// The operation that folds two values.
    using opType = reduce::Add;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = false;
};
/// Products.
template <>
struct reduce_binary_operator<ReduceTensorOp::MUL>
{
    /// The operation that folds two values.
    using opType = reduce::Mul;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = false;
};
/// The minimum.
template <>
struct reduce_binary_operator<ReduceTensorOp::MIN>
{
    /// The operation that folds two values.
    using opType = reduce::Min;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = true;
};
/// The maximum.
template <>
struct reduce_binary_operator<ReduceTensorOp::MAX>
{
    /// The operation that folds two values.
    using opType = reduce::Max;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = true;
};
/// The largest magnitude.
template <>
struct reduce_binary_operator<ReduceTensorOp::AMAX>
{
    /// The operation that folds two values.
    using opType = reduce::AMax;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = true;
};

namespace detail {

/// The operations on elements and on the result, when neither takes parameters.
template <class In, class Acc>
struct ReduceUnaryOperators
{
    using InElementwiseOperation  = In;
    using AccElementwiseOperation = Acc;

    static std::tuple<In, Acc> GetElementwiseOperator(std::int32_t /*reduceLength*/) { return {}; }
};

using tensor_operation::element_wise::PassThrough;
template <bool first>
using AbsIfFirst = std::conditional_t<first, tensor_operation::element_wise::UnaryAbs, PassThrough>;

} // namespace detail

/// A reduction may be done in steps, each over some of the dimensions. The first step applies the
/// operation on elements, the last one the operation on the result. GetElementwiseOperator takes
/// the number of elements that make one result in all steps together.
template <ReduceTensorOp Op, bool IsFirstReduce, bool IsLastReduce>
struct reduce_unary_operator
    : public detail::ReduceUnaryOperators<detail::PassThrough, detail::PassThrough>
{};
template <bool IsFirstReduce, bool IsLastReduce>
struct reduce_unary_operator<ReduceTensorOp::AMAX, IsFirstReduce, IsLastReduce>
    : public detail::ReduceUnaryOperators<detail::AbsIfFirst<IsFirstReduce>, detail::PassThrough>
{};
template <bool IsFirstReduce, bool IsLastReduce>
struct reduce_unary_operator<ReduceTensorOp::NORM1, IsFirstReduce, IsLastReduce>
    : public detail::ReduceUnaryOperators<detail::AbsIfFirst<IsFirstReduce>, detail::PassThrough>
{};
template <bool IsFirstReduce, bool IsLastReduce>
struct reduce_unary_operator<ReduceTensorOp::NORM2, IsFirstReduce, IsLastReduce>
    : public detail::ReduceUnaryOperators<
          std::conditional_t<IsFirstReduce,
                             tensor_operation::element_wise::UnarySquare,
                             detail::PassThrough>,
          std::conditional_t<IsLastReduce,
                             tensor_operation::element_wise::UnarySqrt,
                             detail::PassThrough>>
{};
/// Means: the last step divides the sum.
template <bool IsFirstReduce>
struct reduce_unary_operator<ReduceTensorOp::AVG, IsFirstReduce, true>
{
    /// Applied to each input element.
    using InElementwiseOperation = detail::PassThrough;
    /// Applied to the result.
    using AccElementwiseOperation = tensor_operation::element_wise::UnaryDivide;

    /// Both operations. reduceLength: number of elements that make one result.
    static std::tuple<InElementwiseOperation, AccElementwiseOperation>
    GetElementwiseOperator(std::int32_t reduceLength)
    {
        return {InElementwiseOperation{}, AccElementwiseOperation{reduceLength}};
    }
};

} // namespace ck
