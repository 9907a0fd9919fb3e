#pragma once
// All element-wise operations: what a convolution applies to each element of its operands and of
// its result.
#include "ck/tensor_operation/gpu/element/binary_element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/element/unary_element_wise_operation.hpp"
