#pragma once
// A path that documents list. It includes the implicit-GEMM convolution kernel, which takes tensors
// of any strides on any engine.
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/kernel.hpp"
