#pragma once
// Forward with BiasNormalizeInInferClamp and five D tensors (bias, mean, variance, gamma and beta):
// f16, bf16, f32, tf32.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
