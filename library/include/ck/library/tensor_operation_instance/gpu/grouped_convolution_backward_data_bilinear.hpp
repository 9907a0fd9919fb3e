#pragma once
// Backward data with Bilinear and one D tensor of dX's type: f16, bf16, f32, tf32.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data.hpp"
