#pragma once
// Tensors of eight bits computed as f16, see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernels of a family of int8 or e4m3 floats that compute f16 in the workspace, "Upcast<",
/// the name of a kernel of f16, ">"; of tensors whose channels are no neighbours in memory also of
/// those on copies, "Upcast<ChannelsLast<". None for other families, and for sums that f32
/// may not hold exactly. They live as long as the program.
std::vector<std::span<const ConvKernel>> upcast(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
