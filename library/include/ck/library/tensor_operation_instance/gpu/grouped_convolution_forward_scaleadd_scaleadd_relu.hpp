#pragma once
// Forward with ScaleAddScaleAddRelu and two D tensors of the type of Y: f16, bf16, f32,
// tf32; of f32: i8.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
