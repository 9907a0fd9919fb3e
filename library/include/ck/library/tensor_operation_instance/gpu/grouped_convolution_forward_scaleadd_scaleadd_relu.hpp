#pragma once
// Forward with ScaleAddScaleAddRelu and two D tensors: of Y's type for f16, bf16, f32 and tf32, of
// f32 for i8.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
