#pragma once
// Reads the convolutions of a command line: by position, in words, or in MIOpen's form.
#include "command.hpp"
#include "report.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// The requests; positional numbers may set options. Throws WrongArgument, NotImplemented.
std::vector<ConvRequest> conv_requests(const Command& command, Options& options);

std::string describe_conv(const std::string& operation);
void run_conv(const Command& command, Report& report);

} // namespace ck::profiler
