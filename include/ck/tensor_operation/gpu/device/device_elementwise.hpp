#pragma once
// Interface: an element-wise operation on tensors with any strides; it can also permute.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/tuple.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// elementwise_op(out0[i], out1[i] ..., in0[i], in1[i] ...) for every index i of `lengths`. All
/// tensors have these lengths; each has its own strides, in elements. A stride of 0 repeats an
/// input along that dimension. An output may share an input's memory if their strides are equal.
/// InDataTypeTuple, OutDataTypeTuple: Tuples of the element types.
template <typename InDataTypeTuple,
          typename OutDataTypeTuple,
          typename ElementwiseOperation,
          index_t NumDim>
struct DeviceElementwise : public BaseOperator
{
    /// Number of tensors that are read.
    static constexpr int NumInput = InDataTypeTuple::Size();
    /// Number of tensors that are written.
    static constexpr int NumOutput = OutDataTypeTuple::Size();

    /// Takes one device pointer and one list of strides for each tensor; 1 to 6 dimensions.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const std::array<index_t, NumDim> lengths,
                        const std::array<std::array<index_t, NumDim>, NumInput> inStridesArray,
                        const std::array<std::array<index_t, NumDim>, NumOutput> outStridesArray,
                        const std::array<const void*, NumInput> in_dev_buffers,
                        const std::array<void*, NumOutput> out_dev_buffers,
                        ElementwiseOperation elementwise_op) = 0;

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
