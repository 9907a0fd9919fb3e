#pragma once
// What is known of measurements: rows of the database, and this process's own.
#include "ck/conv.hpp"

#include <optional>
#include <string>

namespace ck::conv {

/// The winner among a spec's kernels.
struct Tuned
{
    std::string kernel;
    double microseconds = 0;
    long long measured  = 0; ///< kernels
    long long missed    = 0; ///< kernels that the time did not suffice for
    std::string from{};      ///< the path of the database, or "this process"
    std::string wrong{};     ///< names of kernels that gave other numbers, one a line
};

/// What is known for the current device. The database is read when this is called for the first
/// time, if there is one; nothing is made. Says on stderr what is wrong with it.
std::optional<Tuned> tuned(const ConvSpec& spec, const PlanOptions& options);

/// Keeps what was measured on the current device, in the database if that can be written, else in
/// this process, which is then said on stderr once. Returns whether it is in the database.
bool keep_tuned(const ConvSpec& spec, const PlanOptions& options, Tuned winner);

/// As if the process began anew: for tests.
void forget_tuned();

} // namespace ck::conv
