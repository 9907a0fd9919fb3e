#pragma once
// split_k on the command line.
#include "request.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// A number of parts, -1, or all, which is 1, 2, 4 ... 128; 0 also means all and, of_2024, any
/// number less than 0. Throws WrongArgument with `where` at the start.
std::vector<index_t>
split_k_from_text(const std::string& where, const std::string& text, bool of_2024 = false);

} // namespace ck::profiler
