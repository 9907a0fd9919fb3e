#pragma once
// Forward with Bilinear and one D tensor of Y's type: f16, bf16, f32, tf32, i8.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
