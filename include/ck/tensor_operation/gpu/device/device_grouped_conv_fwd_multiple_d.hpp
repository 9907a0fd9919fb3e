#pragma once
// Interface: forward grouped convolution with D tensors, one A and one B tensor.
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_abd.hpp"

namespace ck::tensor_operation::device {

/// DeviceGroupedConvFwdMultipleABD with the same compute type for both operands.
template <index_t NDimSpatial,
          typename ALayout,
          typename BLayout,
          typename DsLayout,
          typename ELayout,
          typename ADataType,
          typename BDataType,
          typename DsDataType,
          typename EDataType,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CDEElementwiseOperation,
          typename ComputeType = typename detail::FirstType<ADataType>::type>
using DeviceGroupedConvFwdMultipleD = DeviceGroupedConvFwdMultipleABD<NDimSpatial,
                                                                      ALayout,
                                                                      BLayout,
                                                                      DsLayout,
                                                                      ELayout,
                                                                      ADataType,
                                                                      BDataType,
                                                                      DsDataType,
                                                                      EDataType,
                                                                      AElementwiseOperation,
                                                                      BElementwiseOperation,
                                                                      CDEElementwiseOperation,
                                                                      ComputeType,
                                                                      ComputeType>;

} // namespace ck::tensor_operation::device
