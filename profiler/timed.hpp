#pragma once
// Timed launches of an instance: how many rounds, and what their times make of its result.
#include "measure.hpp"
#include "request.hpp"
#include "result.hpp"
#include "roof.hpp"
#include <optional>

namespace ck::profiler {

/// The rounds that the options ask for; 5, or 1 where the CPU stands in for a GPU, if they do not.
Rounds rounds_of(const Options& options, double warm_up = 0);

/// Gives a result its time, spread and share of the roofline. Throws std::runtime_error, and leaves
/// the result as it was, where nothing was timed or the time is above the roofline.
void set_time(Result& result,
              const Timing& timing,
              const std::optional<Roofline>& roof,
              const Work& work);

} // namespace ck::profiler
