#pragma once
// Forward with ConvScaleAdd and one D tensor of f32: f8, f8_ocp.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
