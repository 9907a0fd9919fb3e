#pragma once
// What was measured: an entry of each instance that ran, and of each that refused.
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

namespace ck::profiler {

/// The value of what was not measured or is not known; JSON has null for it.
inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Another library, beside the instance that was the fastest.
struct RivalResult
{
    std::string name, way; ///< "cuDNN 9.13", "algorithm 1"
    double ms;
    double ratio, ratio_low, ratio_high; ///< its time over ours: median, least and most of rounds
};

struct Result
{
    std::string problem, text;      ///< its name, or text; as problem_text.hpp has it
    std::string operation;          ///< grouped_conv_fwd
    std::string direction;          ///< "forward" ...; empty of operations without
    std::string type, layout, kind; ///< as on the command line; kind as NamedProblem's
    std::string instance;
    std::optional<long> split_k;                   ///< of backward weight
    double ms = 0, ms_low = 0, ms_high = 0;        ///< median, least and most of rounds; 0: no time
    double flops = 0, bytes = 0;                   ///< of a launch, each element touched once
    double roofline    = none;                     ///< share of it that was reached
    double peak_tflops = none, peak_gbytes = none; ///< of the device, what roofline is a share of
    double predicted      = 0;                     ///< clock cycles; 0: no model
    std::size_t workspace = 0;                     ///< bytes
    double error = none, bound = none;             ///< greatest, and what it may be there
    double unit = none;                            ///< in the last place of the result's type there
    bool best = false, rule = false;               ///< the fastest; what select_kernel() takes
    double rule_loss = none;                       ///< more time than the fastest, in parts of it
    std::optional<RivalResult> rival;

    bool timed() const { return ms > 0; }
    /// Of what was timed; else none.
    double tflops() const { return timed() ? flops / ms / 1e9 : none; }
    double gbytes() const { return timed() ? bytes / ms / 1e6 : none; } ///< GB in a second
};

struct Refusal
{
    std::string problem, instance, why;
};

} // namespace ck::profiler
