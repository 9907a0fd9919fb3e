#pragma once
// The image from the matrix of a convolution's windows, under Composable Kernel's name.
#include "ck/tensor_operation/gpu/conv/operation/rearrange_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_tensor_rearrange.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_column_to_image.hpp"

namespace ck::tensor_operation::device {

namespace detail {
struct ColumnToImageName
{
    static constexpr const char* value = "DeviceColumnToImage";
};
} // namespace detail

/// See DeviceConvTensorRearrange. MPerBlock: pixels of the image that a block has. KPerBlock:
/// channels of each. ThreadClusterLengths: Sequence of the threads along both, BlockSize in all.
/// ScalarPerVector: channels that a thread accesses at a time; where that is more than one, C is a
/// multiple of it, and channels and columns are neighbours.
template <index_t NDimSpatial,
          typename ImageLayout,
          typename InputDataType,
          typename OutputDataType,
          index_t BlockSize,
          index_t MPerBlock,
          index_t KPerBlock,
          typename ThreadClusterLengths,
          index_t ScalarPerVector,
          typename std::enable_if<NDimSpatial >= 1 && NDimSpatial <= 3, bool>::type = false>
struct DeviceColumnToImageImpl
    : public OwnKernelOperation<
          DeviceConvTensorRearrange<NDimSpatial,
                                    ImageLayout,
                                    InputDataType,
                                    OutputDataType,
                                    conv_tensor_rearrange_op::ColumnToImage>,
          RearrangeArguments,
          RearrangeLaunch<grid::GridwiseColumnToImage<InputDataType,
                                                      OutputDataType,
                                                      rearrange_tile<BlockSize,
                                                                     MPerBlock,
                                                                     KPerBlock,
                                                                     ThreadClusterLengths,
                                                                     ScalarPerVector>()>,
                          detail::ColumnToImageName>>
{};

} // namespace ck::tensor_operation::device
