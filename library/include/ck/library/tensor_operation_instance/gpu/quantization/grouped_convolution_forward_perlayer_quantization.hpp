#pragma once
// Forward in i8, scaled to 8 bits by one factor: Activation_Mul_Clamp with PassThrough or Relu.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
