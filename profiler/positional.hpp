#pragma once
// Composable Kernel's command line: numbers by position after the operation's name.
#include "operations.hpp"
#include "reader.hpp"
#include "request.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// Spatial dimensions, G, N, K, C and so on, without tensor strides. Throws WrongArgument.
ConvProblem read_problem(Reader& reader, bool conv_of_one_group);

/// The request of the numbers. Throws WrongArgument with the position, the value and the
/// rule.
ConvRequest read_positions(const std::string& operation,
                           const std::vector<std::string>& values,
                           Options& options);

/// Describes each position on a line.
std::string describe_positions(const std::string& operation);

} // namespace ck::profiler
