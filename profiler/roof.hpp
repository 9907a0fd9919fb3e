#pragma once
// A result beside the device's roofline.
#include "buffers.hpp"
#include "request.hpp"
#include "result.hpp"
#include <string>

namespace ck::profiler {

/// The share of what the device could do, `none` where that is not known.
double share_of_roof(const Result& r, const ConvRequest& request);

/// Why a result cannot be: it is faster than the device. Empty for others, and where nothing is
/// known. Memory limits only what does not stay in the cache.
std::string above_the_roof(const Result& r, const ConvRequest& request, const Buffers& buffers);

} // namespace ck::profiler
