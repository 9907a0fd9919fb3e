#pragma once
// Tensors, values and accuracy as text.
#include "reference.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// Three lines such as "input: dim 5, lengths {1, 4, 8, 9, 9}, strides {8, 648, 1, 72, 8}", with
/// the dimensions G, N, C and so on.
std::vector<std::string> describe(const ConvProblem& p, Direction direction);

/// The first wrong element, as text.
std::string describe(const Accuracy& wrong);

/// For example "{1, 2, 3}".
std::string list(const std::vector<double>& values);

} // namespace ck::profiler
