#pragma once
// A path that documents list: the kernel of convolutions as implicit GEMM is gridwise_conv.hpp, for
// tensors of any strides and on any engine.
#include "ck/tensor_operation/gpu/grid/gridwise_conv.hpp"
