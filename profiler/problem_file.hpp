#pragma once
// Lists of problems as JSON.
//
// A file: {"problems": [{"name", "ndim", "G", "N", "K", "C" (K and C of all groups together),
// "filter", "input", "strides", "dilations", "pads_left", "pads_right"}]}, lists of ndim numbers in
// the order [D,] H, W. Numbers are whole: 2.7, 2.0 and true are refused.
#include "request.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// The problems of a file, or of all *.json files of a folder in the order of their names, whose
/// names contain `filter`; contiguous, nhwgc. Throws WrongArgument, with the file and the name or
/// index of the problem, if one is not a convolution, and if there is nothing to read.
std::vector<NamedProblem> read_problems(const std::string& path, const std::string& filter);

} // namespace ck::profiler
