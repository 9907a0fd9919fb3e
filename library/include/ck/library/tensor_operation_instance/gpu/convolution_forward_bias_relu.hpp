#pragma once
// Forward in f16, 2 dimensions, without groups, NHWC KYXC NHWK, with a bias and ReLU, and
// optionally a residual that is added after ReLU. Composable Kernel has no header for these
// functions; clients that declare them themselves link to the same ones.
#include "ck/tensor_operation/gpu/device/device_conv_fwd_bias_activation.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_fwd_bias_activation_add.hpp"

namespace ck::tensor_operation::device::instance {

/// Appends the instances in order of preference, as in DeviceOperationInstanceFactory. Y = max(X *
/// W + bias, 0).
void add_device_conv2d_fwd_xdl_c_shuffle_bias_relu_nhwc_kyxc_nhwk_f16_instances(
    std::vector<DeviceConvFwdBiasActivationPtr<element_wise::PassThrough,
                                               element_wise::PassThrough,
                                               element_wise::AddRelu>>& instances);
/// Y = max(X * W + bias, 0) + residual.
void add_device_conv2d_fwd_xdl_c_shuffle_bias_relu_add_nhwc_kyxc_nhwk_f16_instances(
    std::vector<DeviceConvFwdBiasActivationAddPtr<element_wise::PassThrough,
                                                  element_wise::PassThrough,
                                                  element_wise::AddReluAdd>>& instances);

} // namespace ck::tensor_operation::device::instance
