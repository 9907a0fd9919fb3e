#pragma once
// The contents of the generated source files: kernels, each with its family.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <vector>

namespace ck::tensor_operation::device::instance {

/// Kernels of one family, in order of preference, made on demand.
struct KernelPart
{
    Family (*family)();
    std::vector<ConvKernel> (*make)();
};

/// All parts of this build; those of one family are in order of preference. Defined in the
/// generated index, which names every generated source file. Nothing registers itself, so no linker
/// drops a file of a static library, and the order of initialisation does not matter.
std::vector<KernelPart> kernel_parts();

} // namespace ck::tensor_operation::device::instance
