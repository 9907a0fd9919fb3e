#pragma once
// Computes eight-bit tensors as f16: see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernels of a family of int8 or e4m3 floats that compute f16 in the workspace, "Upcast<", the
/// name of an f16 kernel, ">"; if channels are not contiguous, also those on copies,
/// "Upcast<ChannelsLast<". Empty for other families, and for sums that f32 might not hold exactly.
/// They are valid until the program ends.
std::vector<std::span<const ConvKernel>> upcast(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
