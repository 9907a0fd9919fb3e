#pragma once
// Composable Kernel's path of the interface.
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_d_multiple_r.hpp"
