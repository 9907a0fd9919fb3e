#pragma once
// ckProfiler calibrate: ck::calibrate(), and how far predictions are off, before and after.
#include "command.hpp"
#include "report.hpp"
#include <string>

namespace ck::profiler {

std::string describe_calibrate(const std::string& operation);
/// Throws WrongArgument.
void run_calibrate(const Command& command, Report& report);

} // namespace ck::profiler
