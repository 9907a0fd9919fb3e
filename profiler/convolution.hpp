#pragma once
// Convolutions: each instance of a family on each problem.
#include "report.hpp"
#include "request.hpp"

namespace ck::profiler {

/// Runs, compares and times the instances for all problems of the request. What cannot be measured
/// for one problem does not keep the others from it. Throws NotImplemented where the library has no
/// kernels for the types.
void profile(const ConvRequest& request, const Options& options, Report& report);

} // namespace ck::profiler
