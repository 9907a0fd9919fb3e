#pragma once
// Backward weight with Bilinear and one D tensor of dW's type: f16, f32, tf32, and bf16 with f32
// weights.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight.hpp"
