#pragma once
// Maps the reductions that clients name to the operations that DeviceReduce takes: what folds, and
// what is done to each element before and to the result after.
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/reduction_enums.hpp"
#include "ck/utility/reduction_operator.hpp"

#include <cstdint>
#include <tuple>

namespace ck {

/// opType: of ck::reduce; indexable: whether its result is one of the elements.
template <ReduceTensorOp Op>
struct reduce_binary_operator
{
    /// The operation that folds.
    using opType = reduce::Add;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = false;
};
/// Products.
template <>
struct reduce_binary_operator<ReduceTensorOp::MUL>
{
    /// The operation that folds.
    using opType = reduce::Mul;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = false;
};
/// The least.
template <>
struct reduce_binary_operator<ReduceTensorOp::MIN>
{
    /// The operation that folds.
    using opType = reduce::Min;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = true;
};
/// The largest.
template <>
struct reduce_binary_operator<ReduceTensorOp::MAX>
{
    /// The operation that folds.
    using opType = reduce::Max;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = true;
};
/// The largest magnitude.
template <>
struct reduce_binary_operator<ReduceTensorOp::AMAX>
{
    /// The operation that folds.
    using opType = reduce::AMax;
    /// Whether the result is one of the elements.
    static constexpr bool indexable = true;
};

namespace detail {

/// Both operations of a reduction, made without parameters.
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

/// A reduction may be done in steps, each of fewer dimensions: elements are changed in the first,
/// the result in the last. GetElementwiseOperator takes the number of all elements that make a
/// result.
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
/// Means: sums divided in the last step.
template <bool IsFirstReduce>
struct reduce_unary_operator<ReduceTensorOp::AVG, IsFirstReduce, true>
{
    /// Done to each element before.
    using InElementwiseOperation = detail::PassThrough;
    /// Done to the result.
    using AccElementwiseOperation = tensor_operation::element_wise::UnaryDivide;

    /// Both operations; reduceLength: elements that make a result.
    static std::tuple<InElementwiseOperation, AccElementwiseOperation>
    GetElementwiseOperator(std::int32_t reduceLength)
    {
        return {InElementwiseOperation{}, AccElementwiseOperation{reduceLength}};
    }
};

} // namespace ck
