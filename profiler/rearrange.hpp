#pragma once
// The operation conv_tensor_rearrange: image to column, and back.
#include "command.hpp"
#include "report.hpp"
#include <string>

namespace ck::profiler {

std::string describe_rearrange(const std::string& operation);
void run_rearrange(const Command& command, Report& report);

/// The fraction of the matrix that comes from the image; the rest is padding.
double inside_share(const ConvProblem& problem);

} // namespace ck::profiler
