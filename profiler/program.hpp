#pragma once
// The whole program, except where its output goes.
#include <iosfwd>

namespace ck::profiler {

/// Exit status: 0 all checked results are correct; 1 a result is wrong, or nothing could be
/// measured or written; 2 an argument is wrong.
int run_program(int argc, const char* const argv[], std::ostream& out, std::ostream& errors);

} // namespace ck::profiler
