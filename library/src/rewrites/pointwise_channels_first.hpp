#pragma once
// 1x1 convolutions of channels-first tensors, see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernels of a family for an argument whose pixels are side by side and whose filters have one
/// tap: each direction as products of matrices, "ChannelsFirst1x1<", a kernel's name of
/// another direction, ">". None for other arguments. They live as long as the program.
std::span<const ConvKernel> pointwise_channels_first(const Family& family,
                                                     const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
