#pragma once
// Forward of i8, scaled back to 8 bits by the elements of a D tensor of f32: Activation_Mul2_Clamp
// of PassThrough and Relu.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
