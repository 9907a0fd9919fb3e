#pragma once
// The operations of the program, one row each.
#include "command.hpp"
#include <span>
#include <string>

namespace ck::profiler {

class Report;

struct Operation
{
    const char* name;
    const char* description;
    /// Lines that list the positional arguments and the words that the operation takes.
    std::string (*describe)(const std::string& name);
    /// Measures and reports. Throws WrongArgument, NotImplemented.
    void (*run)(const Command& command, Report& report);
};

std::span<const Operation> operations();
/// Whether CK_PROFILER_OP_FILTER in the environment, a regular expression, matches the name; true
/// if it is unset. Throws WrongArgument if it is invalid.
bool is_chosen(const std::string& operation);

/// Null if no operation has the name.
const Operation* find_operation(const std::string& name);
/// The name of the operation with the fewest different letters.
std::string nearest_operation(const std::string& name);

/// The chosen operations, as Composable Kernel's profiler prints them without arguments.
std::string list_operations();
std::string describe_operation(const std::string& name);

} // namespace ck::profiler
