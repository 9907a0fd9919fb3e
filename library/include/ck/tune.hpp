#pragma once
// Measures which kernel computes a convolution the fastest on this device, and saves it for plan().
//
//   ck::tune({forward, backward_data, backward_weight}); // once, on the machine that trains
//   ck::ConvPlan plan = ck::plan(forward);               // from now on, in any process: the winner
//
// The winners are saved in a database file. plan() looks there before it predicts. docs/tuning.md
// explains the interface. Link composable_kernel::conv.
#include "ck/conv.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ck {

/// A kernel that would have won, but whose results differ from those of the predicted choice.
struct WrongKernel
{
    std::string kernel; ///< its name
    std::string why; ///< "element 17 is 3, not 5; 4 of 100 differ"; empty if the database says so
};

/// The result of measuring one spec.
struct TuneResult
{
    ConvSpec spec{};         ///< the spec that was measured
    std::string kernel;      ///< the fastest; if empty, see `why`
    double microseconds = 0; ///< time of one run, the median of all rounds; 0: nothing was measured
    double predicted_for = 0;     ///< time of the kernel that plan() chooses without a database
    std::size_t measured = 0;     ///< number of kernels that were measured
    std::size_t left_out = 0;     ///< number of kernels predicted to be much slower, not measured
    std::size_t missed   = 0;     ///< number of kernels not measured because time ran out
    bool stored          = false; ///< saved in the database, not only in this process
    bool was_known       = false; ///< found in the database: nothing was measured
    std::string why;              ///< if no kernel is known: plan()'s refusal, or another error
    std::vector<WrongKernel> wrong{}; ///< kernels excluded for wrong results; please report them
};

/// A step of tune().
struct TuneProgress
{
    std::size_t done         = 0;       ///< specs that are finished
    std::size_t all          = 0;       ///< number of specs
    const ConvSpec* spec     = nullptr; ///< spec that is measured next; null after the last
    std::size_t candidates   = 0;       ///< number of its kernels that will be measured
    const TuneResult* result = nullptr; ///< result of the previous spec; null before the first
};

/// The result as one line: "3 of 53: <spec>: <kernel> 83.1 us, ..."; empty before the first.
std::string to_string(const TuneProgress& progress);

/// How to measure.
struct TuneOptions
{
    PlanOptions plan{};  ///< the options of later calls of plan()
    double seconds = 60; ///< time limit for all specs together; a launch that has begun is finished
    /// Kernels predicted to take this many times as long as the best are not measured. Kernels
    /// without a model always are.
    double slower = 3;
    /// Whether specs that are already in the database are measured again.
    bool again = false;
    /// Called before each spec and after the last. If empty, a line for each is written to stderr.
    std::function<void(const TuneProgress&)> progress{};
};

/// Measures each spec on the current device and saves the fastest kernels in the database. Operands
/// hold the same numbers each time, in enough copies that no cache holds them all, and kernels take
/// turns. The cache of plan() is emptied, and from then on plan() takes the fastest kernels.
/// Nothing else should use the device. Other threads may plan and run meanwhile; a second call of
/// tune() waits for the first. Throws what the progress function throws, and Refused if options are
/// invalid or the library was built without SQLite. Errors of a single spec are in its result. If
/// the database cannot be written, stderr says so, and winners are kept only in this process.
std::vector<TuneResult> tune(const std::vector<ConvSpec>& specs, const TuneOptions& options = {});

/// Path of the database: CK_TUNING_DB if set, otherwise ck_conv/tuning.sqlite3 in $XDG_CACHE_HOME
/// or $HOME/.cache. Empty, which means no file, if CK_TUNING_DB is empty or none is set.
std::string tuning_database();

} // namespace ck
