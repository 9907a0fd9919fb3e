#pragma once
// Makes the matrix of a convolution's windows from the image, under Composable Kernel's name.
#include "ck/tensor_operation/gpu/conv/operation/rearrange_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_tensor_rearrange.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_image_to_column.hpp"

namespace ck::tensor_operation::device {

namespace detail {
struct ImageToColumnName
{
    static constexpr const char* value = "DeviceImageToColumn";
};
} // namespace detail

/// See DeviceConvTensorRearrange. A workgroup computes MPerBlock rows and KPerBlock columns of the
/// matrix. ThreadClusterLengths: Sequence of the threads along both; their product is BlockSize.
/// ScalarPerVector: channels that a thread accesses at once; if it is more than 1, C must be a
/// multiple of it, and channels and columns must be contiguous.
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
struct DeviceImageToColumnImpl
    : public OwnKernelOperation<
          DeviceConvTensorRearrange<NDimSpatial,
                                    ImageLayout,
                                    InputDataType,
                                    OutputDataType,
                                    conv_tensor_rearrange_op::ImageToColumn>,
          RearrangeArguments,
          RearrangeLaunch<grid::GridwiseImageToColumn<InputDataType,
                                                      OutputDataType,
                                                      rearrange_tile<BlockSize,
                                                                     MPerBlock,
                                                                     KPerBlock,
                                                                     ThreadClusterLengths,
                                                                     ScalarPerVector>()>,
                          detail::ImageToColumnName>>
{};

} // namespace ck::tensor_operation::device
