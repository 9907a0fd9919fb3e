#pragma once
// Compares a result with the device's roofline.
#include "result.hpp"
#include "roofline.hpp"
#include <optional>
#include <string>

namespace ck::profiler {

/// The least work of a launch.
struct Work
{
    double flops;
    double bytes;   ///< bytes of memory, each accessed element counted once
    double buffers; ///< bytes that launches access before they access the same ones again
};

/// The fraction of the device's peak that the time reaches; `none` if its roofline is unknown.
/// Memory counts only if the buffers are larger than its cache.
double share_of_roof(const std::optional<Roofline>& roof, const Work& work, double ms);

/// Why a time is impossible: it is less than the device needs for the work even if its cache holds
/// the next data. Empty otherwise, and if the roofline is unknown.
std::string above_the_roof(const std::optional<Roofline>& roof, const Work& work, double ms);

} // namespace ck::profiler
