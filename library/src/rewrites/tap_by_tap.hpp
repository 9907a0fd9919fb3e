#pragma once
// Backward data with strides much longer than filters, one tap at a time: see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernels of a family for an argument whose taps reach only a small part of dX: "TapByTap<", a
/// kernel's name, ">". Empty for other arguments. They are valid until the program ends.
std::span<const ConvKernel> tap_by_tap(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
