#pragma once
// The command line: an operation, then numbers by position or words.
#include "request.hpp"
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace ck::profiler {

/// What the user wrote, options checked each by itself.
struct Command
{
    std::string operation;              ///< empty where there is none
    std::vector<std::string> positions; ///< numbers after it
    std::string order = "2026";         ///< the year of the numbers by position
    std::string type = "f16", layout = "nhwgc", elementwise, split_k = "-1";
    std::vector<std::string> problems; ///< as problem_text.hpp has them
    std::string file, filter;          ///< problems of a file or folder, whose names contain this
    std::string miopen;                ///< a command line of MIOpenDriver
    std::string direction = "all";     ///< of tune: forward, backward_data, backward_weight or all
    double seconds        = 600;       ///< of tune: the most for all problems
    double slower         = 3; ///< of tune: kernels that promise to be so much slower are left out
    bool again            = false; ///< of tune: what is known is measured, too
    Options options;
};

/// The command line, or none where it asked for help, which then has been written. Throws
/// WrongArgument.
std::optional<Command> read_command(int argc, const char* const argv[], std::ostream& out);

} // namespace ck::profiler
