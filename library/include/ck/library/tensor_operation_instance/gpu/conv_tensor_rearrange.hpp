#pragma once
// The instances of DeviceConvTensorRearrange: image to column and back, f32, f16, bf16 and i8, any
// image layout with groups, in 1 to 3 dimensions. Link device_other_operations.
#include "ck/library/tensor_operation_instance/device_operation_instance_factory.hpp"
#include "ck/library/tensor_operation_instance/layouts.hpp"
#include "ck/tensor_operation/gpu/conv/argument/rearrange_argument.hpp"
#include "ck/tensor_operation/gpu/conv/operation/kernel_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_tensor_rearrange.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The kernels for image to column with these type names, longest vectors first; empty if the
/// library has none. They are valid until the program ends.
std::span<const PlainKernel<RearrangeArguments>> rearrange_kernels(
    conv_tensor_rearrange_op::ImageToColumn, std::string_view in, std::string_view out);
/// The same for column to image.
std::span<const PlainKernel<RearrangeArguments>> rearrange_kernels(
    conv_tensor_rearrange_op::ColumnToImage, std::string_view in, std::string_view out);

/// The instances of DeviceConvTensorRearrange; empty if the library has none for the types and
/// layouts.
template <index_t rank, class ImageLayout, class In, class Out, class Way>
struct DeviceOperationInstanceFactory<DeviceConvTensorRearrange<rank, ImageLayout, In, Out, Way>>
{
    /// The abstract operation.
    using DeviceOp = DeviceConvTensorRearrange<rank, ImageLayout, In, Out, Way>;

    /// A list of new operations, a std::unique_ptr each.
    static auto GetInstances()
    {
        std::vector<std::unique_ptr<DeviceOp>> operations;
        constexpr LayoutFacts layout = layout_facts(ImageLayout::name);
        if constexpr(layout.tensor == LayoutFacts::input && layout.rank == rank && layout.grouped &&
                     type_name<In> != nullptr && type_name<Out> != nullptr)
            for(const auto& kernel : rearrange_kernels(Way{}, type_name<In>, type_name<Out>))
                operations.push_back(
                    std::make_unique<KernelOperation<DeviceOp, RearrangeArguments>>(kernel));
        return operations;
    }
};

} // namespace ck::tensor_operation::device::instance
