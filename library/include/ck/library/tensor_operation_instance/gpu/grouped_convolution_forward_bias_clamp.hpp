#pragma once
// Forward with AddClamp and one D tensor, a bias: f16, bf16, f32, tf32.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
