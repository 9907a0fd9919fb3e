#pragma once
// Forward with DynamicUnaryOp: f16, bf16, f32, i8.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
