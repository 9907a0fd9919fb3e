#pragma once
// Element-wise operations on tensors in memory under Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/device_elementwise_strided.hpp"
#include "ck/utility/sequence.hpp"

namespace ck::tensor_operation::device {

/// See DeviceElementwise. The numeric parameters are checked and otherwise ignored: the tensors
/// determine workgroups and vector widths.
template <typename InDataTypeTuple,
          typename OutDataTypeTuple,
          typename ElementwiseOperation,
          index_t NumDim,
          index_t BlockSize,
          index_t M0PerBlock,
          index_t M1PerBlock,
          index_t M0PerThread,
          index_t M1PerThread,
          typename ThreadClusterArrangeOrder,
          typename InScalarPerVectorSeq,
          typename OutScalarPerVectorSeq>
struct DeviceElementwiseImpl : public DeviceElementwiseStrided<InDataTypeTuple,
                                                               OutDataTypeTuple,
                                                               ElementwiseOperation,
                                                               NumDim>
{
    static_assert(InScalarPerVectorSeq::Size() == InDataTypeTuple::Size() &&
                      OutScalarPerVectorSeq::Size() == OutDataTypeTuple::Size(),
                  "there is one vector length for each tensor");
    static_assert(ThreadClusterArrangeOrder::Size() == 2,
                  "a workgroup's threads are arranged along two dimensions");
    static_assert((M0PerBlock / M0PerThread) * (M1PerBlock / M1PerThread) == BlockSize,
                  "the threads of a tile must make up BlockSize");
};

} // namespace ck::tensor_operation::device
