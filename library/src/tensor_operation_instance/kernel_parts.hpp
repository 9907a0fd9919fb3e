#pragma once
// What the generated source files hold: kernels, each with its family.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <vector>

namespace ck::tensor_operation::device::instance {

/// Kernels of one family, in order of preference, made when they are asked for.
struct KernelPart
{
    Family family;
    std::vector<ConvKernel> (*make)();
};

/// All parts of this build; those of one family in order of preference. Defined in the generated
/// index, which names every generated source file: nothing registers itself, so that no linker
/// leaves a file of a static library out, and no order of initialisation matters.
std::vector<KernelPart> kernel_parts();

} // namespace ck::tensor_operation::device::instance
