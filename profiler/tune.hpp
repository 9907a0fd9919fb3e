#pragma once
// ckProfiler tune: ck::tune() for lists of problems.
#include "ck/conv.hpp"

#include "command.hpp"
#include "operations.hpp"
#include "report.hpp"
#include <string>

namespace ck::profiler {

/// Converts a request to the spec of ck/conv.hpp.
ConvSpec
spec_of(const ConvProblem& problem, Direction direction, const Types& types, Layout layout);

std::string describe_tune(const std::string& operation);
/// Throws WrongArgument.
void run_tune(const Command& command, Report& report);

} // namespace ck::profiler
