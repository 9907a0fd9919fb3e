#pragma once
// The instances of DeviceElementwise with Scale, from one tensor to another, with 1 to 6 dimensions
// and any strides, so that they can also permute: f32 to f32, f16, f8 and OCP f8, and f16 to f16.
// Link device_other_operations.
#include "ck/library/tensor_operation_instance/device_operation_instance_factory.hpp"
#include "ck/tensor_operation/gpu/conv/argument/elementwise_argument.hpp"
#include "ck/tensor_operation/gpu/conv/operation/kernel_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_elementwise.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The kernels for these type names; empty if the library has none. They are valid until the
/// program ends.
std::span<const PlainKernel<ElementwiseArguments<element_wise::Scale>>>
scale_kernels(std::string_view in, std::string_view out);

/// The instances of DeviceElementwise with Scale; empty if the library has none for the types and
/// rank.
template <class In, class Out, index_t NumDim>
struct DeviceOperationInstanceFactory<
    DeviceElementwise<Tuple<In>, Tuple<Out>, element_wise::Scale, NumDim>>
{
    /// The abstract operation.
    using DeviceOp = DeviceElementwise<Tuple<In>, Tuple<Out>, element_wise::Scale, NumDim>;

    /// A list of new operations, a std::unique_ptr each.
    static auto GetInstances()
    {
        using Operation = KernelOperation<DeviceOp, ElementwiseArguments<element_wise::Scale>>;
        std::vector<std::unique_ptr<DeviceOp>> operations;
        if constexpr(NumDim <= 6 && type_name<In> != nullptr && type_name<Out> != nullptr)
            for(const auto& kernel : scale_kernels(type_name<In>, type_name<Out>))
                operations.push_back(std::make_unique<Operation>(kernel));
        return operations;
    }
};

} // namespace ck::tensor_operation::device::instance
