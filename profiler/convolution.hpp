#pragma once
// Profiles convolutions: each instance of a family on each problem.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "report.hpp"
#include "request.hpp"
#include <span>

namespace ck::profiler {

/// Runs, compares and times the instances for all problems of the request. A problem that cannot be
/// measured does not stop the others. Throws NotImplemented if the library has no kernels for the
/// types.
void profile(const ConvRequest& request, const Options& options, Report& report);
/// Profiles only the given kernels.
void profile(const ConvRequest& request,
             std::span<const tensor_operation::device::instance::ConvKernel> kernels,
             const Options& options,
             Report& report);

} // namespace ck::profiler
