#pragma once
// Makes the image from the matrix of a convolution's windows, under Composable Kernel's name.
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

/// See DeviceConvTensorRearrange. A workgroup computes MPerBlock pixels of the image, KPerBlock
/// channels of each. ThreadClusterLengths: Sequence of the threads along both; their product is
/// BlockSize. ScalarPerVector: channels that a thread accesses at once; if it is more than 1, C
/// must be a multiple of it, and channels and columns must be contiguous.
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
