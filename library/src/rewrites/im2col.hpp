#pragma once
// Patches as rows of a matrix: see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The family's 1x1 kernels on a matrix of patches in the workspace, "Im2col<", the kernel's name,
/// ">", on copies if Y is channels first; empty for other convolutions. They are valid until the
/// program ends.
std::vector<std::span<const ConvKernel>> im2col(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
