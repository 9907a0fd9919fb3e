#pragma once
// What the command line asks for, of convolutions: by position, in words, or as MIOpen says it.
#include "command.hpp"
#include "report.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// The requests; positions set options. Throws WrongArgument, NotImplemented.
std::vector<ConvRequest> conv_requests(const Command& command, Options& options);

std::string describe_conv(const std::string& operation);
void run_conv(const Command& command, Report& report);

} // namespace ck::profiler
