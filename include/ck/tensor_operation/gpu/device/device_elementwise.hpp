#pragma once
// An element-wise operation on tensors in memory, of any strides: permutes, too.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/tuple.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// elementwise_op(out0[i], out1[i] ..., in0[i], in1[i] ...) for every index i of `lengths`. Each
/// tensor has these lengths and its own strides, in elements; a stride of 0 repeats a dimension of
/// an input. An output may be an input's own memory, with its strides.
/// InDataTypeTuple, OutDataTypeTuple: Tuples of the element types.
template <typename InDataTypeTuple,
          typename OutDataTypeTuple,
          typename ElementwiseOperation,
          index_t NumDim>
struct DeviceElementwise : public BaseOperator
{
    /// Tensors that are read.
    static constexpr int NumInput = InDataTypeTuple::Size();
    /// Tensors that are written.
    static constexpr int NumOutput = OutDataTypeTuple::Size();

    /// Device memory, one address and one list of strides for each tensor. 1 to 6 dimensions.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const std::array<index_t, NumDim> lengths,
                        const std::array<std::array<index_t, NumDim>, NumInput> inStridesArray,
                        const std::array<std::array<index_t, NumDim>, NumOutput> outStridesArray,
                        const std::array<const void*, NumInput> in_dev_buffers,
                        const std::array<void*, NumOutput> out_dev_buffers,
                        ElementwiseOperation elementwise_op) = 0;

    /// Makes the invoker, whose Run launches the arguments of this operation.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
