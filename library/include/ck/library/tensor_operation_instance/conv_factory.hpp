#pragma once
// GetInstances() of every abstract convolution: an operation for each kernel of its family.
#include "ck/library/tensor_operation_instance/conv_instance.hpp"
#include "ck/library/tensor_operation_instance/device_operation_instance_factory.hpp"

namespace ck::tensor_operation::device::instance {

/// The instances of DeviceOp in order of preference: the first one that supports a problem is a
/// good choice. The last one is Large_Tensor, which runs the kernel that is predicted to be the
/// fastest; see large_tensor_kernel(). Empty if the library has nothing for the types and layouts;
/// why_none<DeviceOp>() says what is missing. Not defined for operations that have no name (see
/// operation_name). May be called from several threads at a time; the caller owns the instances.
template <class DeviceOp>
requires(InstanceOf<DeviceOp>::Family::operations_known) //
    struct DeviceOperationInstanceFactory<DeviceOp>
{
    /// A list of new operations, a std::unique_ptr each.
    static auto GetInstances()
    {
        using Of = InstanceOf<DeviceOp>;
        std::vector<std::unique_ptr<DeviceOp>> operations;
        if constexpr(Of::served)
            append_instances<typename Of::type>(operations, Of::names, Of::Family::key());
        return operations;
    }
};

/// Why GetInstances() of DeviceOp is empty: unsupported layouts or types, and the nearest that the
/// library has. Empty if GetInstances() is not empty.
template <class DeviceOp>
requires(InstanceOf<DeviceOp>::Family::operations_known) //
    std::string why_none()
{
    using Of = InstanceOf<DeviceOp>;
    if constexpr(Of::served)
        return why_no_kernels(Of::Family::key());
    else
        return "the layouts of this operation are not those of an input, a filter and an output "
               "of its number of dimensions, all with groups or, where it takes no strides, all "
               "packed, channel-last and without";
}

/// Why no instance of DeviceOp supports an argument that one of them made: one reason for all, or
/// one for each kernel. Empty if one does. Throws std::invalid_argument for a foreign argument.
template <class DeviceOp>
requires(InstanceOf<DeviceOp>::Family::operations_known) //
    std::string why_none(const BaseArgument* argument)
{
    const auto& own = own_argument<InstanceArgument>(argument);
    if(own.interface != typeid(DeviceOp))
        throw std::invalid_argument("the argument was made by a device operation of another type");
    ConvArgument conv = own.conv;
    conv.workspace    = argument->p_workspace_;
    return why_none(InstanceOf<DeviceOp>::Family::key(), conv);
}

} // namespace ck::tensor_operation::device::instance
