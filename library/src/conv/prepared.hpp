#pragma once
// What is inside a plan.
#include "conv/launches.hpp"
#include "conv/resolve.hpp"
#include "conv/tuning.hpp"

namespace ck {

struct ConvPlan::Prepared
{
    ConvSpec spec;
    PlanOptions options;
    conv::Resolved resolved;
    conv::Work work;
    std::size_t workspace = 0; ///< bytes
    int device            = 0;
    std::vector<conv::PlannedLaunch> launches;
    std::optional<conv::Tuned> tuned{}; ///< the measurement that chose the kernel
};

} // namespace ck

namespace ck::conv {

/// Chooses a kernel on the current device and lists its launches. kernel: of that name; empty:
/// `winner`, what was measured, if this library has it and it takes the spec, else the one that
/// promises to be the fastest. Throws Refused. CK_LOGGING prints what it explains.
std::shared_ptr<const ConvPlan::Prepared> prepare(const ConvSpec& spec,
                                                  const PlanOptions& options,
                                                  const std::string& kernel   = "",
                                                  std::optional<Tuned> winner = {});
/// The same, and prints nothing.
std::shared_ptr<const ConvPlan::Prepared> prepare_quietly(const ConvSpec& spec,
                                                          const PlanOptions& options,
                                                          const std::string& kernel   = "",
                                                          std::optional<Tuned> winner = {});

/// Returns the clock cycles that are predicted for its kernel on the current device; 0: there is
/// no model of it.
double predicted_cycles(const ConvPlan::Prepared& prepared);

/// Lines of text: where the same convolution is predicted to take less than one `factor`-th of the
/// time with a workspace, any kernel, other addresses or another layout; empty where it is not.
std::string slow_path(const ConvPlan::Prepared& prepared, double factor = 10);

/// Every kernel of the spec's family, on the current device.
std::vector<Candidate> candidates_of(const Resolved& resolved,
                                     const ConvSpec& spec,
                                     const PlanOptions& options,
                                     const std::string& kernel = "");

/// The current device's number; throws std::runtime_error if there is none.
int current_device();

} // namespace ck::conv
