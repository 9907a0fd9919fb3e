#pragma once
// Forward in i8 with a bias, scaled back to 8 bits for each channel. The D tensors are the bias
// (i32) and the scales (f32). Operations: Add_Activation_Mul2_Clamp with PassThrough or Relu,
// Add_Mul2_Activation_Mul_Clamp with TanH.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
