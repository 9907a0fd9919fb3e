#pragma once
// Forward with ConvScale: any mix of f8 and bf8 for X and W, f8 for Y; with ScaleScalePass: f8 for
// X and W, f32 for Y. FNUZ or OCP.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
