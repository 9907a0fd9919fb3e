#pragma once
// The operations of the program: a row each.
#include "command.hpp"
#include <span>
#include <string>

namespace ck::profiler {

class Report;

struct Operation
{
    const char* name;
    const char* description;
    /// What stands at each position, and which words it takes; lines.
    std::string (*describe)(const std::string& name);
    /// Measures and reports. Throws WrongArgument, NotImplemented.
    void (*run)(const Command& command, Report& report);
};

std::span<const Operation> operations();
/// Whether the environment's CK_PROFILER_OP_FILTER, a regular expression, finds something in the
/// name; true without it. Throws WrongArgument where it is none.
bool is_chosen(const std::string& operation);

/// Null where there is none of that name.
const Operation* find_operation(const std::string& name);
/// The name of an operation that differs in the fewest letters.
std::string nearest_operation(const std::string& name);

/// Those that are chosen, as Composable Kernel's profiler prints them without arguments.
std::string list_operations();
std::string describe_operation(const std::string& name);

} // namespace ck::profiler
