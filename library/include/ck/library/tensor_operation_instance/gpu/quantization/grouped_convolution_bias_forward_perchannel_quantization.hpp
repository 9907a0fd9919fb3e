#pragma once
// Forward of i8 with a bias, scaled back to 8 bits by the elements of a second D tensor; the two
// are of i32 and f32: Add_Activation_Mul2_Clamp of PassThrough and Relu,
// Add_Mul2_Activation_Mul_Clamp of TanH.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
