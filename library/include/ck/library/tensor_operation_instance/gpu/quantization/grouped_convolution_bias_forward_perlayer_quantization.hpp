#pragma once
// Forward of i8 with a bias, a D tensor of i32, scaled back to 8 bits by factors:
// Add_Activation_Mul_Clamp of PassThrough and Relu, Add_Mul_Activation_Mul_Clamp of TanH.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
