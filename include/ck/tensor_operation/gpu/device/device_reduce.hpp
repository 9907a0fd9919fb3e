#pragma once
// Reductions over some dimensions of a tensor.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// out[kept] = alpha * acc_op(ReduceOperation over reduced of in_op(in[kept, reduced]))
///             + beta * out[kept],
/// out as it was, which is read where beta is not 0. reduceDims: the numbers of the dimensions that
/// vanish; the others are out's, in their order, or one of length 1 if none is left. Strides in
/// elements. Numbers are AccDataType between load and store, and folded in an order that depends on
/// lengths, strides and the kernel alone. PropagateNan: a NaN makes its result NaN; else ADD and
/// MUL do so alone. OutputIndex: the place of the result goes to out_index_dev; not computed by any
/// instance here.
template <typename InDataType,
          typename AccDataType,
          typename OutDataType,
          index_t Rank,
          index_t NumReduceDim,
          typename ReduceOperation,
          typename InElementwiseOperation,
          typename AccElementwiseOperation,
          bool PropagateNan,
          bool OutputIndex>
struct DeviceReduce : public BaseOperator
{
    static_assert(0 < NumReduceDim && NumReduceDim <= Rank, "some of the dimensions are reduced");

    /// Dimensions of the result; 1 where all are reduced.
    static constexpr index_t NumOutDim = Rank - NumReduceDim == 0 ? 1 : Rank - NumReduceDim;

    /// in_dev is read, out_dev written. reduceDims: which dimensions are reduced. Lengths and
    /// strides in elements. See the struct for alpha and beta.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const std::array<index_t, Rank> inLengths,
                        const std::array<index_t, Rank> inStrides,
                        const std::array<index_t, NumOutDim> outLengths,
                        const std::array<index_t, NumOutDim> outStrides,
                        const std::array<int, NumReduceDim> reduceDims,
                        double alpha,
                        double beta,
                        const void* in_dev,
                        const void* in_index_dev,
                        void* out_dev,
                        void* out_index_dev,
                        const InElementwiseOperation in_elementwise_op,
                        const AccElementwiseOperation acc_elementwise_op) = 0;

    /// Makes the invoker, whose Run launches the arguments of this operation.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
