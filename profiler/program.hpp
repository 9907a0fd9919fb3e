#pragma once
// The whole program, but where its lines go.
#include <iosfwd>

namespace ck::profiler {

/// Exit status: 0 what was looked at is right; 1 a result is wrong, or nothing could be measured or
/// written; 2 a wrong argument.
int run_program(int argc, const char* const argv[], std::ostream& out, std::ostream& errors);

} // namespace ck::profiler
