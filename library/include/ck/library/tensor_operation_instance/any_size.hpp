#pragma once
// The instance that computes whatever its family computes, of any size. Each call runs the kernel
// that select_kernel() chooses.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernel "Large_Tensor<...>" of a family that has kernels. All kernels of the library compute
/// tensors of more than 2 GiB, but clients such as MIOpen search an instance's name for those words
/// before they ask about such a problem. The reference is valid until the program ends.
const ConvKernel& large_tensor_kernel(const Family& family);

} // namespace ck::tensor_operation::device::instance
