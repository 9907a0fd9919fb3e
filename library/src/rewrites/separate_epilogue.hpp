#pragma once
// Kernels whose epilogue is a launch of its own.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// Of a family with an operation on the result: the kernels of the family without, each before a
/// launch that applies it, named "SeparateEpilogue<", the kernel's name, ">". Empty where there are
/// none. They live as long as the program.
std::vector<std::span<const ConvKernel>> separate_epilogue(const Family& family,
                                                           const ConvArgument& argument);

/// Whether a kernel of such a name is one of these, or computes pieces by one: sums are rounded to
/// the result's type before the operation, and once more after it.
inline bool has_separate_epilogue(std::string_view kernel)
{
    constexpr std::string_view of_pieces = "CutImage<";
    if(kernel.starts_with(of_pieces))
        kernel.remove_prefix(of_pieces.size());
    return kernel.starts_with("SeparateEpilogue<");
}

} // namespace ck::tensor_operation::device::instance
