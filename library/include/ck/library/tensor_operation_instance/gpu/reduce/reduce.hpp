#pragma once
// The instances of DeviceReduce: f32, at most 6 dimensions, any of which are reduced, without
// indices; ReduceKeys lists the reductions. Link device_reduction_operations.
#include "ck/library/tensor_operation_instance/device_operation_instance_factory.hpp"
#include "ck/tensor_operation/gpu/conv/argument/reduce_argument.hpp"
#include "ck/tensor_operation/gpu/conv/operation/kernel_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_reduce.hpp"
#include "ck/utility/reduction_operator.hpp"

#include <span>
#include <type_traits>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The parameters that a reduction's kernels depend on.
template <class In_,
          class Acc_,
          class Out_,
          class Reduce_,
          class InOperation_,
          class AccOperation_,
          bool propagate_nan_>
struct ReduceKey
{
    /// Element type that is read.
    using In = In_;
    /// Type in which sums are computed.
    using Acc = Acc_;
    /// Element type that is written.
    using Out = Out_;
    /// The operation that combines elements, from ck::reduce.
    using Reduce = Reduce_;
    /// Applied to each element first.
    using InOperation = InOperation_;
    /// Applied to the result.
    using AccOperation = AccOperation_;
    /// The argument of its kernels.
    using Arguments = ReduceArguments<InOperation, AccOperation>;

    /// Whether a NaN makes its result NaN.
    static constexpr bool propagate_nan = propagate_nan_;
};

/// A reduction of f32.
template <class Reduce,
          class InOperation  = element_wise::PassThrough,
          class AccOperation = element_wise::PassThrough,
          bool propagate_nan = true>
using F32Reduce = ReduceKey<F32, F32, F32, Reduce, InOperation, AccOperation, propagate_nan>;

using element_wise::UnaryAbs, element_wise::UnaryDivide, element_wise::UnarySqrt,
    element_wise::UnarySquare;

/// The reductions in the library.
using ReduceKeys = Tuple<F32Reduce<reduce::AMax, UnaryAbs>,
                         F32Reduce<reduce::AMax>,
                         F32Reduce<reduce::AMax, UnaryAbs, PassThrough, false>,
                         F32Reduce<reduce::AMax, PassThrough, PassThrough, false>,
                         F32Reduce<reduce::Max>,
                         F32Reduce<reduce::Max, PassThrough, PassThrough, false>,
                         F32Reduce<reduce::Min>,
                         F32Reduce<reduce::Min, PassThrough, PassThrough, false>,
                         F32Reduce<reduce::Add>,
                         F32Reduce<reduce::Add, PassThrough, UnaryDivide>,
                         F32Reduce<reduce::Add, UnaryAbs>,
                         F32Reduce<reduce::Add, UnarySquare, UnarySqrt>>;

/// Whether Key is one of Keys.
template <class Key, class Keys>
inline constexpr bool is_key = false;
/// Searches the Tuple.
template <class Key, class... Keys>
inline constexpr bool is_key<Key, Tuple<Keys...>> = (std::is_same_v<Key, Keys> || ...);

/// The kernels of one of ReduceKeys; the first are for few results. Valid until the program ends.
template <class Key>
std::span<const PlainKernel<typename Key::Arguments>> reduce_kernels();

/// The instances of DeviceReduce; empty if the library has none for the types, rank and
/// reduction.
template <class In,
          class Acc,
          class Out,
          index_t Rank,
          index_t NumReduceDim,
          class Reduce,
          class InOperation,
          class AccOperation,
          bool propagate_nan,
          bool output_index>
struct DeviceOperationInstanceFactory<DeviceReduce<In,
                                                   Acc,
                                                   Out,
                                                   Rank,
                                                   NumReduceDim,
                                                   Reduce,
                                                   InOperation,
                                                   AccOperation,
                                                   propagate_nan,
                                                   output_index>>
{
    /// The abstract operation.
    using DeviceOp = DeviceReduce<In,
                                  Acc,
                                  Out,
                                  Rank,
                                  NumReduceDim,
                                  Reduce,
                                  InOperation,
                                  AccOperation,
                                  propagate_nan,
                                  output_index>;

    /// A list of new operations, a std::unique_ptr each.
    static auto GetInstances()
    {
        // A sum is NaN if an element is NaN, whatever is asked.
        using Key = ReduceKey<In,
                              Acc,
                              Out,
                              Reduce,
                              InOperation,
                              AccOperation,
                              propagate_nan || std::is_same_v<Reduce, reduce::Add>>;
        std::vector<std::unique_ptr<DeviceOp>> operations;
        if constexpr(Rank <= 6 && !output_index && is_key<Key, ReduceKeys>)
            for(const auto& kernel : reduce_kernels<Key>())
                operations.push_back(
                    std::make_unique<KernelOperation<DeviceOp, typename Key::Arguments>>(kernel));
        return operations;
    }
};

} // namespace ck::tensor_operation::device::instance
