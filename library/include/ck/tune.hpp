#pragma once
// Measures which kernel computes a convolution the fastest on this device, and keeps it for plan().
//
//   ck::tune({forward, backward_data, backward_weight}); // once, on the machine that trains
//   ck::ConvPlan plan = ck::plan(forward);               // from now on, in any process: the winner
//
// The winners are in a database, a file, which plan() asks before it predicts. docs/tuning.md
// explains it. Link composable_kernel::conv.
#include "ck/conv.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ck {

/// What a spec's measurements say.
struct TuneResult
{
    ConvSpec spec{};          ///< as it was given
    std::string kernel;       ///< the fastest; empty: see `why`
    double microseconds  = 0; ///< of one run, the median of the rounds; 0: nothing was measured
    double predicted_for = 0; ///< microseconds of the kernel that plan() takes without a database
    std::size_t measured = 0; ///< kernels
    std::size_t left_out = 0; ///< kernels that compute the spec, but promise to be much slower
    std::size_t missed   = 0; ///< kernels that were not measured, because the time was up
    bool stored          = false; ///< in the database, not in this process alone
    bool was_known       = false; ///< from the database: nothing was measured now
    std::string why;              ///< nothing is known of it: what plan() refuses, or another error
};

/// A step of tune().
struct TuneProgress
{
    std::size_t done         = 0;       ///< specs
    std::size_t all          = 0;       ///< specs
    const ConvSpec* spec     = nullptr; ///< that is measured next; null after the last
    std::size_t candidates   = 0;       ///< of its kernels, to be measured
    const TuneResult* result = nullptr; ///< of the one before; null with the first
};

/// What the result says, in a line: "3 of 53: <spec>: <kernel> 83.1 us, ..."; empty with the first.
std::string to_string(const TuneProgress& progress);

/// How to measure.
struct TuneOptions
{
    PlanOptions plan{};  ///< those that plan() will be asked with
    double seconds = 60; ///< the most for all specs; a launch that has begun is waited for
    /// Kernels that promise to take so many times as long as the best promise are not measured;
    /// those of which there is no model always are.
    double slower = 3;
    /// Specs that the database has already are measured again.
    bool again = false;
    /// Called before each spec and after the last. Empty: a line for each is written to stderr.
    std::function<void(const TuneProgress&)> progress{};
};

/// Measures each spec on the current device and keeps the fastest kernels in the database. Operands
/// hold the same numbers each time, in as many sets as no cache holds, and kernels run in turns.
/// plan() forgets the plans of its cache, and takes the fastest from then on. The device should
/// have nothing else to do. Threads may plan and run meanwhile; of calls at a time one waits for
/// the other. Throws what the progress function throws; Refused where the options are wrong, or the
/// library was built without SQLite; what is wrong with one spec is in its result. A database that
/// cannot be written is named on stderr, and the winners are kept in this process alone.
std::vector<TuneResult> tune(const std::vector<ConvSpec>& specs, const TuneOptions& options = {});

/// The file: what CK_TUNING_DB says in the environment, else ck_conv/tuning.sqlite3 below
/// $XDG_CACHE_HOME or $HOME/.cache. Empty where CK_TUNING_DB is, or nothing says: there is none.
std::string tuning_database();

} // namespace ck
