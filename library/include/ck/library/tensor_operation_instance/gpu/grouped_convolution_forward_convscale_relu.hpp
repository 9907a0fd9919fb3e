#pragma once
// Forward with ConvScaleRelu: f8; with ScaleScaleRelu: X and W of f8, Y of f32. The same of OCP.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
