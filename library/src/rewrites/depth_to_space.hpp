#pragma once
// Backward data of few channels with forward kernels: see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The kernels of a family for dX of few channels: forward computes blocks of pixels as
/// the channels of one pixel, "DepthToSpace<", the name of a forward kernel, ">"; on
/// copies if dY is channels first. Empty for other arguments. They are valid until the
/// program ends.
std::vector<std::span<const ConvKernel>> depth_to_space(const Family& family,
                                                        const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
