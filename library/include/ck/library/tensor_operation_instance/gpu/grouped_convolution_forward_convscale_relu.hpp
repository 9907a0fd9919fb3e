#pragma once
// Forward with ConvScaleRelu: f8; with ScaleScaleRelu: f8 for X and W, f32 for Y. FNUZ or OCP.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
