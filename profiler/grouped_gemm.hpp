#pragma once
// The operation grouped_gemm: a list of GEMMs of different sizes in one launch.
#include "command.hpp"
#include "report.hpp"
#include <string>

namespace ck::profiler {

std::string describe_grouped_gemm(const std::string& operation);
void run_grouped_gemm(const Command& command, Report& report);

} // namespace ck::profiler
