#pragma once
// Interface: reductions over some dimensions of a tensor.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"

#include <array>

namespace ck::tensor_operation::device {

///  out[kept] = alpha * acc_op(ReduceOperation over reduced of in_op(in[kept, reduced]))
///              + beta * out[kept];
/// out is read only if beta is not 0. reduceDims lists the dimensions that are reduced; out
/// has the others in their order, or one of length 1 if none is left. Strides are in
/// elements. Computes in AccDataType; the order of the fold depends only on lengths, strides
/// and the kernel. PropagateNan: a NaN makes the result NaN; without it only ADD and MUL do
/// so. OutputIndex: stores the index of the result to out_index_dev; no instance here
/// supports it.
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

    /// Number of dimensions of the result; 1 if all are reduced.
    static constexpr index_t NumOutDim = Rank - NumReduceDim == 0 ? 1 : Rank - NumReduceDim;

    /// in_dev is read, out_dev is written. reduceDims: the dimensions that are reduced. Lengths and
    /// strides are in elements. See the struct for alpha and beta.
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

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
