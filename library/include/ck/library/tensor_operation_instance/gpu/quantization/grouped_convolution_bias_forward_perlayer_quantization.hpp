#pragma once
// Forward in i8 with a bias (D tensor, i32), scaled back to 8 bits by factors:
// Add_Activation_Mul_Clamp with PassThrough or Relu, Add_Mul_Activation_Mul_Clamp with TanH.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
