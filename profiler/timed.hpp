#pragma once
// Times launches of an instance: the number of rounds, and what the times say about its result.
#include "measure.hpp"
#include "request.hpp"
#include "result.hpp"
#include "roof.hpp"
#include <optional>

namespace ck::profiler {

/// The rounds that the options ask for; by default 5, or 1 if the CPU stands in for a GPU.
Rounds rounds_of(const Options& options, double warm_up = 0);

/// Sets a result's time, spread and fraction of the roofline. Throws std::runtime_error, and leaves
/// the result unchanged, if nothing was timed or the time is above the roofline.
void set_time(Result& result,
              const Timing& timing,
              const std::optional<Roofline>& roof,
              const Work& work);

} // namespace ck::profiler
