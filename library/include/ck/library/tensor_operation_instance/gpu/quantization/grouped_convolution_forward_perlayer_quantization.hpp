#pragma once
// Forward of i8, scaled back to 8 bits by one factor: Activation_Mul_Clamp of PassThrough and Relu.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
