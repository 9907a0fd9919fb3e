#pragma once
// Lists of problems to measure, as JSON.
//
// A file: {"problems": [{"name", "ndim", "G", "N", "K", "C" (K and C of all groups together),
// "filter", "input", "strides", "dilations", "pads_left", "pads_right"}]}, lists of ndim numbers in
// the order [D,] H, W. Numbers are whole: 2.7, 2.0 and true are refused.
#include "request.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// Those of a file, or of all *.json of a folder in the order of their names, whose names contain
/// `filter`; packed as nhwgc. Throws WrongArgument, which names the file and the problem (or its
/// index), where one of them is no convolution, and when there is nothing to read.
std::vector<NamedProblem> read_problems(const std::string& path, const std::string& filter);

} // namespace ck::profiler
