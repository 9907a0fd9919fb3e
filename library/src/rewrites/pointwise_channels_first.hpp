#pragma once
// 1x1 convolutions of channels-first tensors: see the source file.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The kernels of a family for an argument with contiguous pixels and filters of one tap: each
/// direction as matrix products, "ChannelsFirst1x1<", the name of a kernel of another direction,
/// ">". Empty for other arguments. They are valid until the program ends.
std::span<const ConvKernel> pointwise_channels_first(const Family& family,
                                                     const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
