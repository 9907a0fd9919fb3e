#pragma once
// Computes eight-bit tensors as f16 or bf16: see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The family that multiplies 8-bit OCP floats, of one type or two, as bf16 and stores sums of f32.
Family exact_upcast(const Family& family);

/// The kernels of a family of int8 or e4m3 floats that compute f16 in the workspace, "Upcast<", the
/// name of an f16 kernel, ">"; if channels are not contiguous, also those on copies,
/// "Upcast<ChannelsLast<". For 8-bit OCP floats with results of f32, those of exact_upcast(),
/// likewise. Empty for other families, and for sums of int8 that f32 might not hold exactly. They
/// are valid until the program ends.
std::vector<std::span<const ConvKernel>> upcast(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
