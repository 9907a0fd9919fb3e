#pragma once
// Kernels that apply an epilogue themselves, although their family has no operation.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// For a family with an operation on the result: the kernels of the family without it that take a
/// ChannelEpilogue, named "FusedEpilogue<", the kernel's name, ">". Empty if there are none. They
/// are valid until the program ends.
std::vector<std::span<const ConvKernel>> fused_epilogue(const Family& family,
                                                        const ConvArgument& argument);

/// Whether the argument's operation is such an epilogue.
bool has_fused_epilogue(const Family& family, const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
