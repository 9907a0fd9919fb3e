#pragma once
// Floats multiplied as 3xTF32 of tf32, see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernels of a family of floats that multiply each product as three of tf32,
/// "Tf32x3<", the name of a kernel of tf32, ">". None for other families, and for arguments
/// whose tensors are too small to gain by it. They live as long as the program.
std::span<const ConvKernel> tf32x3(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
