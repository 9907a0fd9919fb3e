#pragma once
// Computes tf32 with kernels of f32: see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// For a family of f32 that may be multiplied as tf32: the kernels of the same family that multiply
/// f32 unrounded, "AsFloats<", the kernel's name, ">", and those on channels-last copies. Empty for
/// other families. They are valid until the program ends.
std::vector<std::span<const ConvKernel>> as_floats(const Family& family,
                                                   const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
