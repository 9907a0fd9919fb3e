#pragma once
// Forward with ConvInvscale: f8, f8_ocp.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
