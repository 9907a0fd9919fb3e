#pragma once
// Kernels with a separate launch for the epilogue.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// For a family with an operation on the result: the kernels of the family without it, each
/// followed by a launch that applies it, named "SeparateEpilogue<", the kernel's name, ">". Empty
/// if there are none. They are valid until the program ends.
std::vector<std::span<const ConvKernel>> separate_epilogue(const Family& family,
                                                           const ConvArgument& argument);

/// Whether the name is that of such a kernel, or of one that computes pieces with it: sums are
/// rounded to the result's type before the operation, and again after it.
inline bool has_separate_epilogue(std::string_view kernel)
{
    constexpr std::string_view of_pieces = "CutImage<";
    if(kernel.starts_with(of_pieces))
        kernel.remove_prefix(of_pieces.size());
    return kernel.starts_with("SeparateEpilogue<");
}

} // namespace ck::tensor_operation::device::instance
