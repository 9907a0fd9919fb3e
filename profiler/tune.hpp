#pragma once
// ckProfiler tune: ck::tune() for lists of problems.
#include "ck/conv.hpp"

#include "command.hpp"
#include "operations.hpp"
#include "report.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// Converts a request to the spec of ck/conv.hpp.
ConvSpec
spec_of(const ConvProblem& problem, Direction direction, const Types& types, Layout layout);

/// What is measured, with the problem that it is.
struct Job
{
    std::string name;
    const char* pass; ///< as in --direction
    ConvSpec spec;
};

/// The problems of a command, each in the directions that it asks for, and of `files`. Throws
/// WrongArgument.
std::vector<Job> jobs_of(const Command& command, std::vector<std::string> files);

std::string describe_tune(const std::string& operation);
/// Throws WrongArgument.
void run_tune(const Command& command, Report& report);

} // namespace ck::profiler
