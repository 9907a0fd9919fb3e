#pragma once
// Known measurements: rows of the database, and those of this process.
#include "ck/conv.hpp"

#include <optional>
#include <string>

namespace ck::conv {

/// The winner among a spec's kernels.
struct Tuned
{
    std::string kernel;
    double microseconds = 0;
    long long measured  = 0; ///< number of kernels
    long long missed    = 0; ///< number of kernels for which there was no time
    std::string from{};      ///< the path of the database, or "this process"
    std::string wrong{};     ///< names of kernels with different results, one a line
};

/// The measurement for the current device, if there is one. The first call reads the database, if
/// it exists; it never creates one. Errors of the database are reported on stderr.
std::optional<Tuned> tuned(const ConvSpec& spec, const PlanOptions& options);

/// Saves a measurement on the current device in the database or, if that cannot be written, in this
/// process; the first failure is reported on stderr. Returns whether it is in the database.
bool keep_tuned(const ConvSpec& spec, const PlanOptions& options, Tuned winner);

/// For example "NVIDIA H200, sm_90, 132 units": the current device.
std::string device_text();

/// Resets to the state of a new process: for tests.
void forget_tuned();

} // namespace ck::conv
