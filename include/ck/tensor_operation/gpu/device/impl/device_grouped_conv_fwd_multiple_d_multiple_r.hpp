#pragma once
// The path of the interface in Composable Kernel.
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_d_multiple_r.hpp"
