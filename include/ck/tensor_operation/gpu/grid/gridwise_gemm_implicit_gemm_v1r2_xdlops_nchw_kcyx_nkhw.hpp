#pragma once
// A path that documents list: the kernel of convolutions as implicit GEMM, for
// tensors of any strides and on any engine.
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/kernel.hpp"
