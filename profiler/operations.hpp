#pragma once
// The convolutions that ckProfiler supports: names, the types of each, and the family in the
// library's registry for each pair.
#include "ck/tensor_operation/gpu/device/operation_names.hpp"

#include "request.hpp"
#include <span>
#include <string>
#include <vector>

namespace ck::profiler {

/// The types for one data type argument: elements of X, W and Y, and the types of multiplication.
struct Types
{
    const char* name; ///< on the command line
    const char *x, *w, *y;
    const char *compute_a, *compute_b; ///< empty: the operands' types
};

struct ConvOperation
{
    const char* name;
    const char* description;
    const char* variant; ///< distinguishes operations of the same name; else empty
    const tensor_operation::device::OperationNames* names; ///< for its instances
    Direction direction;
    const char* epilogue; ///< the element-wise operation on the result
    int d_tensors;        ///< number that the epilogue reads; they have Y's type
    bool grouped;         ///< otherwise G is 1
    std::vector<Types> types;
};

/// All convolutions, in the order of the program's help.
std::span<const ConvOperation> conv_operations();
/// Finds one by name and variant; null if there is none. An empty variant finds the first.
const ConvOperation* find_conv_operation(const std::string& name, const std::string& variant = "");

/// Throws WrongArgument, which lists the operation's types.
const Types& find_types(const ConvOperation& operation, const std::string& name);

tensor_operation::device::instance::Family family_of(const ConvOperation& operation,
                                                     const Types& types);

} // namespace ck::profiler
