#pragma once
// Measured results: an entry for each instance that ran, and for each that refused.
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

namespace ck::profiler {

/// The value of figures that were not measured or are not known; null in JSON.
inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Another library, compared with the fastest instance.
struct RivalResult
{
    std::string name, way; ///< "cuDNN 9.13", "algorithm 1"
    double ms;
    double ratio, ratio_low, ratio_high; ///< its time over ours: median and extremes of rounds
};

struct Result
{
    std::string problem, text;      ///< its name, or text; text in the format of problem_text.hpp
    std::string operation;          ///< grouped_conv_fwd
    std::string direction;          ///< "forward" ...; empty for operations without one
    std::string type, layout, kind; ///< as on the command line; kind as NamedProblem's
    std::string instance;
    std::optional<long> split_k;                   ///< for backward weight
    double ms = 0, ms_low = 0, ms_high = 0;        ///< median and extremes of rounds; 0: no time
    double flops = 0, bytes = 0;                   ///< for a launch, each element counted once
    double roofline    = none;                     ///< fraction of it that was reached
    double peak_tflops = none, peak_gbytes = none; ///< the device's, for the roofline
    double predicted      = 0;                     ///< clock cycles; 0: no model
    std::size_t workspace = 0;                     ///< bytes
    double error = none, bound = none;             ///< the largest error, and its bound
    double unit = none;                            ///< last place of the result's type there
    bool best = false, rule = false;               ///< fastest; chosen by select_kernel()
    double rule_loss = none;                       ///< more time than the fastest, in parts of it
    std::optional<RivalResult> rival;

    bool timed() const { return ms > 0; }
    /// The rates, if it was timed; else none.
    double tflops() const { return timed() ? flops / ms / 1e9 : none; }
    double gbytes() const { return timed() ? bytes / ms / 1e6 : none; } ///< GB in a second
};

struct Refusal
{
    std::string problem, instance, why;
};

} // namespace ck::profiler
