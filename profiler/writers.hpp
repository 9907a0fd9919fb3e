#pragma once
// Writes the figures to files.
#include "result.hpp"
#include <deque>
#include <string>
#include <vector>

namespace ck::profiler {

/// {"device", "library", "date", "results": [...], "refused": [...]}: an entry for each instance,
/// with the names of Result, times in ms. Throws std::runtime_error if it cannot be written.
void write_json(const std::string& file,
                const std::deque<Result>& results,
                const std::vector<Refusal>& refusals);
/// Writes the results as CSV, one line each after a line of names. Throws like write_json().
void write_csv(const std::string& file, const std::deque<Result>& results);

} // namespace ck::profiler
