#pragma once
// Forward with ScaleAdd on pairs of X and of W tensors: no instances yet.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
