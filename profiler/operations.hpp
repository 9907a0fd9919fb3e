#pragma once
// The convolutions that ckProfiler knows: names, the types each takes, and the family of the
// library's registry that each pair of them stands for.
#include "ck/tensor_operation/gpu/device/operation_names.hpp"

#include "request.hpp"
#include <span>
#include <string>
#include <vector>

namespace ck::profiler {

/// Types of one data type argument: elements of X, W and Y, and what operands are multiplied as.
struct Types
{
    const char* name; ///< on the command line
    const char *x, *w, *y;
    const char *compute_a, *compute_b; ///< empty: as the operands are
};

struct ConvOperation
{
    const char* name;
    const char* description;
    const char* variant; ///< of those of the same name; else empty
    const tensor_operation::device::OperationNames* names; ///< of its instances
    Direction direction;
    const char* epilogue; ///< the element-wise operation on the result
    int d_tensors;        ///< that the epilogue reads; of Y's type
    bool grouped;         ///< else G is 1
    std::vector<Types> types;
};

/// All convolutions, in the order of the program's help.
std::span<const ConvOperation> conv_operations();
/// Finds one by name and variant; null where there is none. An empty variant finds the first.
const ConvOperation* find_conv_operation(const std::string& name, const std::string& variant = "");

/// Throws WrongArgument, which lists the types that the operation takes.
const Types& find_types(const ConvOperation& operation, const std::string& name);

tensor_operation::device::instance::Family family_of(const ConvOperation& operation,
                                                     const Types& types);

} // namespace ck::profiler
