#pragma once
// Reductions under Composable Kernel's positional name.
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_reduce_strided.hpp"

namespace ck::tensor_operation::device {

/// Threads that compute one result together, a power of two: the number that the client's row asks
/// for, rounded down.
constexpr index_t sharers_of(index_t threads)
{
    index_t sharers = 1;
    while(2 * sharers <= math::min(threads, 256))
        sharers *= 2;
    return sharers;
}

/// See DeviceReduce. Only KThreadClusterSize of the numbers takes effect: the threads per result.
/// The strides determine the vector widths. One workgroup computes a result, so
/// OutMemoryDataOperation is Set, and no result depends on the order in which workgroups end.
template <typename InDataType,
          typename AccDataType,
          typename OutDataType,
          index_t Rank,
          index_t NumReduceDim,
          typename ReduceOperation,
          typename InElementwiseOperation,
          typename AccElementwiseOperation,
          InMemoryDataOperationEnum OutMemoryDataOperation,
          bool PropagateNan,
          bool OutputIndex,
          bool HaveIndexInputIfOutputIndex,
          index_t BlockSize,
          index_t MThreadClusterSize,
          index_t KThreadClusterSize,
          index_t MThreadSliceSize,
          index_t KThreadSliceSize,
          index_t InSrcVectorDim,
          index_t InSrcVectorSize,
          index_t OutDstVectorSize>
struct DeviceReduceMultiBlock : public DeviceReduceStrided<InDataType,
                                                           AccDataType,
                                                           OutDataType,
                                                           Rank,
                                                           NumReduceDim,
                                                           ReduceOperation,
                                                           InElementwiseOperation,
                                                           AccElementwiseOperation,
                                                           PropagateNan,
                                                           sharers_of(KThreadClusterSize)>
{
    static_assert(OutMemoryDataOperation == InMemoryDataOperationEnum::Set,
                  "a result is stored, not added to memory: OutMemoryDataOperation must be Set");
    static_assert(!OutputIndex && !HaveIndexInputIfOutputIndex,
                  "reductions compute values, no indices");
    static_assert(MThreadClusterSize * KThreadClusterSize == BlockSize,
                  "the thread clusters must make up BlockSize");
};

} // namespace ck::tensor_operation::device
