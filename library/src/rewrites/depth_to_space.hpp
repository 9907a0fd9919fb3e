#pragma once
// Backward data of few channels by kernels of forward, see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The kernels of a family for dX of few channels: forward computes blocks of its pixels as the
/// channels of one, "DepthToSpace<", a kernel's name of forward, ">", on copies where dY is
/// channels first. None for other arguments.
/// They live as long as the program.
std::vector<std::span<const ConvKernel>> depth_to_space(const Family& family,
                                                        const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
