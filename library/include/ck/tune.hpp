#pragma once
// Measures which kernel computes a convolution the fastest on this device, and keeps it for plan().
//
//   ck::tune({forward, backward_data, backward_weight}); // once, on the machine that trains
//   ck::ConvPlan plan = ck::plan(forward);               // from now on, in any process: the winner
//
// The winners are kept in a database, a file. plan() looks there before it predicts. docs/tuning.md
// explains it. Link composable_kernel::conv.
#include "ck/conv.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ck {

/// A kernel that would have won, but whose numbers differ from those of the predicted choice.
struct WrongKernel
{
    std::string kernel; ///< its name
    std::string why;    ///< "element 17 is 3, not 5; 4 of 100 differ"; empty: the database says it
};

/// The result of measuring one spec.
struct TuneResult
{
    ConvSpec spec{};          ///< as given
    std::string kernel;       ///< the fastest; empty: see `why`
    double microseconds  = 0; ///< of one run, the median of all rounds; 0: nothing was measured
    double predicted_for = 0; ///< microseconds of the kernel that plan() picks without a database
    std::size_t measured = 0; ///< number of kernels that were measured
    std::size_t left_out = 0; ///< kernels predicted to be much slower, which were left out
    std::size_t missed   = 0; ///< kernels not measured because the time was up
    bool stored          = false;     ///< in the database, not only in this process
    bool was_known       = false;     ///< was in the database already: nothing was measured
    std::string why;                  ///< if no kernel is known: plan()'s refusal, or another error
    std::vector<WrongKernel> wrong{}; ///< kernels that were kept out; please report them
};

/// A step of tune().
struct TuneProgress
{
    std::size_t done         = 0;       ///< specs that are finished
    std::size_t all          = 0;       ///< specs in all
    const ConvSpec* spec     = nullptr; ///< the spec that is measured next; null after the last
    std::size_t candidates   = 0;       ///< the number of its kernels to be measured
    const TuneResult* result = nullptr; ///< of the previous spec; null before the first
};

/// The result in one line: "3 of 53: <spec>: <kernel> 83.1 us, ..."; empty before the first.
std::string to_string(const TuneProgress& progress);

/// How to measure.
struct TuneOptions
{
    PlanOptions plan{};  ///< the options that plan() will be called with
    double seconds = 60; ///< limit for all specs together; a launch that has begun is finished
    /// Kernels predicted to take this many times as long as the best are not measured. Kernels
    /// without a model always are.
    double slower = 3;
    /// Whether specs that the database has already are measured again.
    bool again = false;
    /// Called before each spec and after the last. Empty: a line for each is written to stderr.
    std::function<void(const TuneProgress&)> progress{};
};

/// Measures each spec on the current device and keeps the fastest kernels in the database. Operands
/// hold the same numbers each time, in more sets than a cache holds, and kernels run in turns. The
/// cache of plan() is emptied, and plan() takes the fastest kernels from then on. The device should
/// have nothing else to do. Other threads may plan and run meanwhile; a second call of tune() waits
/// for the first. Throws what the progress function throws, and Refused if options are wrong or the
/// library was built without SQLite. What is wrong with a single spec is in its result. If the
/// database cannot be written, stderr says so, and the winners are kept only in this process.
std::vector<TuneResult> tune(const std::vector<ConvSpec>& specs, const TuneOptions& options = {});

/// The path of the file: the environment's CK_TUNING_DB, else ck_conv/tuning.sqlite3 in
/// $XDG_CACHE_HOME or $HOME/.cache. Empty if CK_TUNING_DB is, or if none is set: there is no file.
std::string tuning_database();

} // namespace ck
