// The kernels of image to column.
#include "ck/library/tensor_operation_instance/gpu/conv_tensor_rearrange.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_image_to_column_impl.hpp"

#include "device_other_operations/conv_tensor_rearrange.hpp"

namespace ck::tensor_operation::device::instance {

RearrangeKernels rearrange_kernels(conv_tensor_rearrange_op::ImageToColumn,
                                   std::string_view in,
                                   std::string_view out)
{
    return rearrange_kernels_of<grid::GridwiseImageToColumn, device::detail::ImageToColumnName>(
        in, out);
}

} // namespace ck::tensor_operation::device::instance
