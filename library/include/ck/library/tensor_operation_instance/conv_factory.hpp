#pragma once
// GetInstances() of every abstract convolution: an operation for each kernel of its family.
#include "ck/library/tensor_operation_instance/conv_instance.hpp"
#include "ck/library/tensor_operation_instance/device_operation_instance_factory.hpp"

namespace ck::tensor_operation::device::instance {

/// The instances of DeviceOp in order of preference: of those that support a problem, the first is
/// a good choice. Empty for types and layouts that the library has nothing for; not defined for
/// operations that have no name (see operation_name).
template <class DeviceOp>
requires(InstanceOf<DeviceOp>::Family::operations_known) //
    struct DeviceOperationInstanceFactory<DeviceOp>
{
    static auto GetInstances()
    {
        using Of = InstanceOf<DeviceOp>;
        std::vector<std::unique_ptr<DeviceOp>> operations;
        if constexpr(Of::served)
        {
            const auto kernels = kernels_of(Of::Family::key());
            for(const ConvKernel& kernel : kernels)
                operations.push_back(std::make_unique<typename Of::type>(Of::names, kernel));
        }
        return operations;
    }
};

} // namespace ck::tensor_operation::device::instance
