#pragma once
// A D tensor as the caller of an operation passes it.
#include "ck/convolution/problem.hpp"

namespace ck::tensor_operation::device {

/// A D tensor with C's lengths and its own strides; a stride of 0 repeats it along the dimension.
struct DArgument
{
    const void* pointer;
    TensorStrides strides;
};

} // namespace ck::tensor_operation::device
