#pragma once
// Patches whose rows become channels: see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The family's kernels on patches whose columns are additional channels, "FoldedWidth<", the
/// kernel's name, ">", and on copies that pad those channels; empty for other convolutions. They
/// are valid until the program ends.
std::vector<std::span<const ConvKernel>> folded_width(const Family& family,
                                                      const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
