#pragma once
// The contents of a plan.
#include "conv/launches.hpp"
#include "conv/resolve.hpp"
#include "conv/tuning.hpp"
#include "rewrites/piece_bytes.hpp"

namespace ck {

struct ConvPlan::Prepared
{
    ConvSpec spec;
    PlanOptions options;
    conv::Resolved resolved;
    conv::Work work;
    std::size_t workspace = 0; ///< bytes
    long_index_t piece_bytes =
        tensor_operation::device::instance::any_bytes; ///< PieceBytes, when kernels are asked
    int device = 0;
    std::vector<conv::PlannedLaunch> launches;
    std::optional<conv::Tuned> tuned{}; ///< the measurement that chose the kernel
};

} // namespace ck

namespace ck::conv {

/// Chooses a kernel on the current device and lists its launches. kernel: its name; empty: uses
/// `winner`, the measured one, if this library has it and it computes the spec, otherwise the
/// kernel predicted to be the fastest. whole_sums: ConvArgument::whole_sums. Throws Refused. With
/// CK_LOGGING, prints the explanation.
std::shared_ptr<const ConvPlan::Prepared> prepare(const ConvSpec& spec,
                                                  const PlanOptions& options,
                                                  const std::string& kernel   = "",
                                                  std::optional<Tuned> winner = {},
                                                  bool whole_sums             = false);
/// The same without printing.
std::shared_ptr<const ConvPlan::Prepared> prepare_quietly(const ConvSpec& spec,
                                                          const PlanOptions& options,
                                                          const std::string& kernel   = "",
                                                          std::optional<Tuned> winner = {},
                                                          bool whole_sums             = false);

/// The same as plan(), cached likewise, with ConvArgument::whole_sums.
ConvPlan plan_of_whole_sums(const ConvSpec& spec, const PlanOptions& options);

/// Bytes of workspace of a plan: the options', or by default a quarter of the bytes of its tensors,
/// at least 256 MiB.
std::size_t workspace_limit(const Resolved& resolved, const PlanOptions& options);

/// Returns the predicted clock cycles of its kernel on the current device, or 0 if there is no
/// model of it.
double predicted_cycles(const ConvPlan::Prepared& prepared);

/// Lines of text if the same convolution is predicted to take less than 1/factor of the time with
/// any kernel, other addresses or another layout, or less than 1/1.05 with more workspace;
/// otherwise empty.
std::string slow_path(const ConvPlan::Prepared& prepared, double factor = 10);

/// Every kernel of the spec's family, on the current device.
std::vector<Candidate> candidates_of(const Resolved& resolved,
                                     const ConvSpec& spec,
                                     const PlanOptions& options,
                                     const std::string& kernel = "");
/// The same for a plan, whose tensors may be cut into pieces.
std::vector<Candidate> candidates_of(const ConvPlan::Prepared& prepared);

/// The current device's number; throws std::runtime_error if there is none.
int current_device();

} // namespace ck::conv
