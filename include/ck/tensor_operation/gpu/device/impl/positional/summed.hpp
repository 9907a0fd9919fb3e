#pragma once
// The types of a sum under positional names: AccDataType, in which it is accumulated, and
// CShuffleDataType, to which it is converted before the element-wise operation.
#include "ck/tensor_operation/gpu/conv/operation/generations_operation.hpp"
#include "ck/tensor_operation/gpu/element/converted_first.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

namespace ck::tensor_operation::device::positional {

/// Both types.
template <class Acc, class Shuffle>
struct Summed
{};

/// Acc and Shuffle of a parameter that may be a Summed or the Acc type alone.
template <class Sum>
struct SumOf
{
    using Acc     = Sum;
    using Shuffle = Sum;
};
template <class Acc_, class Shuffle_>
struct SumOf<Summed<Acc_, Shuffle_>>
{
    using Acc     = Acc_;
    using Shuffle = Shuffle_;
};

/// GemmTypes whose operation on the result receives the sum as Shuffle. PassThrough to Shuffle
/// stays as it is, because it already does this conversion.
template <class Types, class Sum>
struct ShuffledTypes;
template <class A,
          class B,
          class C,
          class OperationA,
          class OperationB,
          class OperationC,
          class Ds,
          class ComputeA,
          class ComputeB,
          class Sum>
struct ShuffledTypes<
    grid::GemmTypes<A, B, C, OperationA, OperationB, OperationC, Ds, ComputeA, ComputeB>,
    Sum>
{
    using Acc     = typename SumOf<Sum>::Acc;
    using Shuffle = typename SumOf<Sum>::Shuffle;
    static constexpr bool as_it_is =
        std::is_same_v<Acc, Shuffle> ||
        (std::is_same_v<Shuffle, C> && std::is_same_v<OperationC, element_wise::PassThrough>);
    using type = grid::GemmTypes<
        A,
        B,
        C,
        OperationA,
        OperationB,
        std::conditional_t<as_it_is, OperationC, element_wise::ConvertedFirst<Shuffle, OperationC>>,
        Ds,
        ComputeA,
        ComputeB>;
};

/// Builds the launch of a tuning whose sum has these types.
template <class Sum>
struct LaunchOf
{
    template <class Direction, class Types, GemmTuning tuning>
    struct Launch
        : public GenerationsOperation<Direction, typename ShuffledTypes<Types, Sum>::type, tuning>
    {};
};

} // namespace ck::tensor_operation::device::positional
