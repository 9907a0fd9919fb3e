#pragma once
// The instance that computes whatever the family does, of any size: each call takes the kernel that
// select_kernel() takes.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernel "Large_Tensor<...>" of a family that has kernels. All kernels of the library compute
/// tensors of more than 2 GiB, but clients such as MIOpen look for those words in an instance's
/// name before they ask it for such a problem. It lives as long as the program.
const ConvKernel& large_tensor_kernel(const Family& family);

} // namespace ck::tensor_operation::device::instance
