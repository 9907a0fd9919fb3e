// Fractions of the roofline.
#include "roof.hpp"

#include <algorithm>

namespace ck::profiler {

namespace {

constexpr double cache = 256 << 20; // the largest: AMD's last level

} // namespace

double share_of_roof(const std::optional<Roofline>& roof, const Work& work, double ms)
{
    if(!roof || !(ms > 0))
        return none;
    const double bytes = work.buffers > cache ? work.bytes : 0;
    return std::min(1., share_of_roofline(*roof, work.flops, bytes, ms));
}

std::string above_the_roof(const std::optional<Roofline>& roof, const Work& work, double ms)
{
    const double from_memory = std::max(0., 1 - cache / std::max(work.buffers, 1.));
    if(!roof || least_ms(*roof, work.flops, work.bytes * from_memory) <= ms)
        return "";
    return std::to_string(ms) + " ms are " + std::to_string(work.flops / ms / 1e9) +
           " TFlops and at least " + std::to_string(work.bytes * from_memory / ms / 1e6) +
           " GB/s, above the device's peak (" + std::to_string(roof->tflops) + " TFlops, " +
           std::to_string(roof->gbytes) + " GB/s; " + roof->source + "): the measurement is wrong";
}

} // namespace ck::profiler
