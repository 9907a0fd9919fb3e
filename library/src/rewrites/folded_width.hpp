#pragma once
// Patches whose rows are channels, see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The family's kernels on patches whose columns are further channels, "FoldedWidth<", the
/// kernel's name, ">", and on copies that fill up those channels; none for other convolutions. They
/// live as long as the program.
std::vector<std::span<const ConvKernel>> folded_width(const Family& family,
                                                      const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
