#pragma once
// The kernels that kernels_for() considers, as spans.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The kernels of kernels_for() without separate epilogues: first the family's and those after
/// preparations, then those on copies. They are valid until the program ends.
struct KernelSpans
{
    std::vector<std::span<const ConvKernel>> own, on_copies;
};
KernelSpans kernel_spans_for(const Family& family, const ConvArgument& argument);

/// The kernels that kernels_for() considers if images are not cut.
std::vector<const ConvKernel*> kernels_for_one_launch(const Family& family,
                                                      const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
