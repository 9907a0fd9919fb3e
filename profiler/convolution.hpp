#pragma once
// Convolutions: each instance of a family on each problem.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "report.hpp"
#include "request.hpp"
#include <span>

namespace ck::profiler {

/// Runs, compares and times the instances for all problems of the request. What cannot be measured
/// for one problem does not keep the others from it. Throws NotImplemented where the library has no
/// kernels for the types.
void profile(const ConvRequest& request, const Options& options, Report& report);
/// Profiles the given kernels alone.
void profile(const ConvRequest& request,
             std::span<const tensor_operation::device::instance::ConvKernel> kernels,
             const Options& options,
             Report& report);

} // namespace ck::profiler
