#pragma once
// A result beside the device's roofline.
#include "result.hpp"
#include "roofline.hpp"
#include <optional>
#include <string>

namespace ck::profiler {

/// What a launch cannot do without.
struct Work
{
    double flops;
    double bytes;   ///< of memory, each element that is met once
    double buffers; ///< bytes that launches go through before they meet the same ones again
};

/// The share of what the device could do in the time; `none` where its roofline is not known.
/// Memory counts only where the buffers are more than its cache holds.
double share_of_roof(const std::optional<Roofline>& roof, const Work& work, double ms);

/// Why a time cannot be: it is less than the device takes for the work, all of its cache being full
/// of what is met next. Empty for others, and where nothing is known.
std::string above_the_roof(const std::optional<Roofline>& roof, const Work& work, double ms);

} // namespace ck::profiler
