#pragma once
// Forward with ConvScale: X and W of f8 and bf8 in any mixture, Y of f8; with ScaleScalePass: X and
// W of f8, Y of f32. The same of OCP.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
