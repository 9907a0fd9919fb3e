#pragma once
// Forward in i8, scaled back to 8 bits for each channel by a D tensor of f32: Activation_Mul2_Clamp
// with PassThrough or Relu.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
