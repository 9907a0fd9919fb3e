#pragma once
// A D tensor as an operation is given it.
#include "ck/convolution/problem.hpp"

namespace ck::tensor_operation::device {

/// Its lengths are C's; strides: its own, 0 where its elements are the same.
struct DArgument
{
    const void* pointer;
    TensorStrides strides;
};

} // namespace ck::tensor_operation::device
