#pragma once
// tf32 computed by kernels of f32, see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// For a family of f32 that may be multiplied as tf32: the kernels of the same family that multiply
/// f32 as it is, "AsFloats<", the kernel's name, ">", and those on channels-last copies. None for
/// other families. They live as long as the program.
std::vector<std::span<const ConvKernel>> as_floats(const Family& family,
                                                   const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
