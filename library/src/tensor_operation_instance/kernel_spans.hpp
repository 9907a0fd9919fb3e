#pragma once
// The kernels that kernels_for() looks at, as they are kept.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// Those of kernels_for() but kernels with a separate epilogue: first the family's and those after
/// preparations, then those on copies. They live as long as the program.
struct KernelSpans
{
    std::vector<std::span<const ConvKernel>> own, on_copies;
};
KernelSpans kernel_spans_for(const Family& family, const ConvArgument& argument);

/// What kernels_for() looks at where images are not cut.
std::vector<const ConvKernel*> kernels_for_one_launch(const Family& family,
                                                      const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
