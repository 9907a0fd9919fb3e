#pragma once
// What the program shares with ck::tune: timed launches and element types.
#include "utility/contest.hpp"
#include "utility/numbers.hpp"
#include "utility/replay.hpp"

namespace ck::profiler {

using namespace measure;

} // namespace ck::profiler
