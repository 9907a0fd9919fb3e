#pragma once
// Backward data of few channels by kernels of forward, see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernels of a family for dX of few channels: forward computes blocks of its pixels as the
/// channels of one, "DepthToSpace<", a kernel's name of forward, ">". None for other arguments.
/// They live as long as the program.
std::span<const ConvKernel> depth_to_space(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
