#pragma once
// Geometric means over several problems.
#include "result.hpp"
#include <deque>
#include <iosfwd>

namespace ck::profiler {

/// Prints means of the selection rule's loss and of the ratios to a rival, by kind and direction.
/// Prints nothing for fewer than two problems.
void print_summary(const std::deque<Result>& results, std::ostream& out);

} // namespace ck::profiler
