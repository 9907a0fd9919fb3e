#pragma once
// The instances of DeviceConvBwdData: backward data without groups.
#include "ck/library/tensor_operation_instance/device_operation_instance_factory.hpp"
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_bwd_data.hpp"

namespace ck::tensor_operation::device::instance {

/// f16, bf16 and f32 have instances, with NWC/KXC/NWK, NHWC/KYXC/NHWK and NDHWC/KZYXC/NDHWK. Other
/// types and layouts compile and have none.
template <index_t NumDimSpatial,
          typename InLayout,
          typename WeiLayout,
          typename OutLayout,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType>
struct DeviceOperationInstanceFactory<DeviceConvBwdData<NumDimSpatial,
                                                        InLayout,
                                                        WeiLayout,
                                                        OutLayout,
                                                        InDataType,
                                                        WeiDataType,
                                                        OutDataType,
                                                        PassThrough,
                                                        PassThrough,
                                                        PassThrough>>
{
    using DeviceOp = DeviceConvBwdData<NumDimSpatial,
                                       InLayout,
                                       WeiLayout,
                                       OutLayout,
                                       InDataType,
                                       WeiDataType,
                                       OutDataType,
                                       PassThrough,
                                       PassThrough,
                                       PassThrough>;

    static auto GetInstances()
    {
        constexpr Family family{Direction::backward_data,
                                NumDimSpatial,
                                layout_of<InLayout>,
                                layout_of<WeiLayout>,
                                layout_of<OutLayout>,
                                data_type_of<InDataType>,
                                data_type_of<WeiDataType>,
                                data_type_of<OutDataType>};
        std::vector<std::unique_ptr<DeviceOp>> operations;
        for(const Instance& instance : instances_of(family)) // whose C++ type is DeviceOp
            operations.emplace_back(static_cast<DeviceOp*>(instance.make().release()));
        return operations;
    }
};

} // namespace ck::tensor_operation::device::instance
