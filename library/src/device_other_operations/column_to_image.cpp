// The kernels of column to image.
#include "ck/library/tensor_operation_instance/gpu/conv_tensor_rearrange.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_column_to_image_impl.hpp"

#include "device_other_operations/conv_tensor_rearrange.hpp"

namespace ck::tensor_operation::device::instance {

RearrangeKernels rearrange_kernels(conv_tensor_rearrange_op::ColumnToImage,
                                   std::string_view in,
                                   std::string_view out)
{
    return rearrange_kernels_of<grid::GridwiseColumnToImage, device::detail::ColumnToImageName>(
        in, out);
}

} // namespace ck::tensor_operation::device::instance
