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
    const conv::ConvKernel* kernel = nullptr;
    std::size_t workspace          = 0; ///< bytes
    index_t split_k                = -1;
    int device                     = 0;
    conv::PackedLaunches packed;
    std::optional<conv::Tuned> tuned{}; ///< the measurement that chose the kernel
};

} // namespace ck

namespace ck::conv {

/// Chooses a kernel on the current device and packs its launches. kernel: of that name; empty:
/// `winner`, what was measured, if this library has it and it takes the spec, else the one that
/// promises to be the fastest. Throws Refused.
std::shared_ptr<const ConvPlan::Prepared> prepare(const ConvSpec& spec,
                                                  const PlanOptions& options,
                                                  const std::string& kernel   = "",
                                                  std::optional<Tuned> winner = {});

/// Every kernel of the spec's family, on the current device.
std::vector<Candidate> candidates_of(const Resolved& resolved,
                                     const ConvSpec& spec,
                                     const PlanOptions& options,
                                     const std::string& kernel = "");

/// The current device's number; throws std::runtime_error if there is none.
int current_device();

} // namespace ck::conv
