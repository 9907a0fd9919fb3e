#pragma once
// Multiplies floats as 3xTF32: see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernels of a family of floats that compute each product as three of tf32, "Tf32x3<", the
/// name of a tf32 kernel, ">". Empty for other families, and for arguments whose tensors are too
/// small to become faster. They are valid until the program ends.
std::span<const ConvKernel> tf32x3(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
