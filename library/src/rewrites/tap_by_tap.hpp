#pragma once
// Backward data with strides far longer than filters, tap by tap, see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernels of a family for an argument most of whose dX no tap reaches: "TapByTap<", a kernel's
/// name, ">". None for other arguments. They live as long as the program.
std::span<const ConvKernel> tap_by_tap(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
