#pragma once
// The command line: an operation, then numbers by position or words.
#include "request.hpp"
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace ck::profiler {

/// The user's arguments; options were checked one by one.
struct Command
{
    std::string operation;              ///< empty if there is none
    std::vector<std::string> positions; ///< numbers after it
    std::string order = "2026";         ///< the year whose order the positional numbers have
    std::string type = "f16", layout = "nhwgc", elementwise, split_k = "-1";
    std::vector<std::string> problems; ///< in the format of problem_text.hpp
    std::string file, filter;          ///< file or folder of problems, and a part of their names
    std::string miopen;                ///< a command line of MIOpenDriver
    std::string direction = "all";     ///< for tune: forward, backward_data, backward_weight or all
    std::optional<double> seconds;     ///< for tune and calibrate: limit for all problems
    double slower = 3;     ///< for tune: leaves out kernels predicted to be this much slower
    bool again    = false; ///< for tune: measures known problems again
    Options options;
};

/// The command line, or nothing if it asked for help, which has then been printed. Throws
/// WrongArgument.
std::optional<Command> read_command(int argc, const char* const argv[], std::ostream& out);

} // namespace ck::profiler
