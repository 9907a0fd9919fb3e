#pragma once
// ckProfiler calibrate: ck::calibrate(), and how far predictions are off, before and after.
#include "ck/calibrate.hpp"

#include "command.hpp"
#include "report.hpp"
#include <string>

namespace ck::profiler {

/// What the operation prints of a line: kernels, times fitted and held out, start, factor, errors.
std::string table_row(const CalibratedLine& line);
std::string describe_calibrate(const std::string& operation);
/// Throws WrongArgument.
void run_calibrate(const Command& command, Report& report);

} // namespace ck::profiler
