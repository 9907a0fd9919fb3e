#pragma once
// The command line of the convolution examples: what to do, and the problem.
#include "ck/arch/target.hpp"
#include "ck/library/utility/convolution_parameter.hpp"
#include "ck/library/utility/output.hpp"

#include <charconv>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace example {

using ck::utils::conv::ConvParam;

/// The default problem.
struct Defaults
{
    ConvParam on_gpu;
    ConvParam on_cpu;    ///< where the CPU stands in for one: of the same kind, but smaller
    bool grouped = true; ///< the command line has G

    const ConvParam& here() const { return ck::arch::emulated ? on_cpu : on_gpu; }
};

struct CommandLine
{
    bool help            = false;
    bool verify          = true;
    int initialisation   = 1; // 0 zeros, 1 integers, 2 decimal numbers
    int repetitions      = 0; // timed launches; 0: one launch, not timed
    bool default_problem = true;
    ConvParam problem;
};

/// The problem in the form of arguments.
inline std::string arguments(const ConvParam& p, bool grouped)
{
    std::string text = std::to_string(p.num_dim_spatial_) + ' ';
    const auto add = [&](const auto&... values) { ((text += ' ' + std::to_string(values)), ...); };
    if(grouped)
        add(p.G_);
    add(p.N_, p.K_, p.C_);
    for(const auto* list : {&p.filter_spatial_lengths_,
                            &p.input_spatial_lengths_,
                            &p.conv_filter_strides_,
                            &p.conv_filter_dilations_,
                            &p.input_left_pads_,
                            &p.input_right_pads_})
    {
        text += ' ';
        for(const auto value : *list)
            add(value);
    }
    return text;
}

inline void print_help(const char* program, const Defaults& defaults)
{
    const char* g = defaults.grouped ? "G " : "";
    std::cout
        << "usage: " << program << " [verification initialisation repetitions [dimensions " << g
        << "N K C ...]]\n"
           " verification: 1 compares the result with plain loops on the CPU, 0 does not\n"
           " initialisation: 0 zeros, 1 integers, 2 decimal numbers\n"
           " repetitions: number of launches to time; 0 launches once and does not time\n"
           " dimensions: number of spatial dimensions, 1, 2 or 3\n"
        << (defaults.grouped ? " G: groups\n" : "")
        << " N, K, C: numbers of images, output channels and input channels"
        << (defaults.grouped ? " of a group\n" : "\n")
        << " then, each as [D] H W:\n"
           " filter lengths, input lengths, strides, dilations, left pads, right pads\n"
           "default: 1 1 0  "
        << arguments(defaults.on_gpu, defaults.grouped)
        << "\nwhere the CPU stands in for a GPU: 1 1 0  "
        << arguments(defaults.on_cpu, defaults.grouped)
        << "\nexit status: 0 if it ran, and the result is right or was not verified; 1 if the "
           "result is wrong, or the problem cannot be computed; 2 for wrong arguments\n";
}

/// Parses argument `position` as a number from `least` to `most`. Throws std::invalid_argument with
/// one line that names the argument and the rule.
inline int parse_number(char* argv[], int position, const char* name, int most, int least = 0)
{
    const std::string_view text = argv[position];
    int value                   = 0;
    const auto [end, error]     = std::from_chars(text.data(), text.data() + text.size(), value);
    if(error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        throw std::invalid_argument("argument " + std::to_string(position) + " (" + name +
                                    ") is \"" + std::string(text) +
                                    "\", but must be a whole number from " + std::to_string(least) +
                                    " to " + std::to_string(most));
    return value;
}

/// Arguments 1 to 3: verification, initialisation, repetitions. Throws like parse_number().
inline void parse_actions(char* argv[], CommandLine& line)
{
    line.verify         = parse_number(argv, 1, "verification", 1) != 0;
    line.initialisation = parse_number(argv, 2, "initialisation", 2);
    line.repetitions    = parse_number(argv, 3, "repetitions", 1000000);
}

inline bool asks_for_help(int argc, char* argv[])
{
    for(int i = 1; i < argc; ++i)
        if(std::string_view(argv[i]) == "--help" || std::string_view(argv[i]) == "-h")
            return true;
    return false;
}

/// Throws like parse_number().
inline CommandLine parse_command_line(int argc, char* argv[], const Defaults& defaults)
{
    CommandLine line{.problem = defaults.here()};
    line.help = asks_for_help(argc, argv);
    if(line.help || argc == 1)
        return line;
    if(argc < 4)
        throw std::invalid_argument("there are " + std::to_string(argc - 1) +
                                    " arguments, but must be none, three, or three and a problem; "
                                    "see --help");
    parse_actions(argv, line);
    if(argc == 4)
        return line;

    const int dimensions = parse_number(argv, 4, "number of spatial dimensions", 3, 1);
    const int expected   = 4 + (defaults.grouped ? 4 : 3) + 6 * dimensions;
    if(argc - 1 != expected)
        throw std::invalid_argument("there are " + std::to_string(argc - 1) +
                                    " arguments, but a problem with " + std::to_string(dimensions) +
                                    " spatial dimensions makes " + std::to_string(expected) +
                                    "; see --help");
    line.problem         = defaults.grouped
                               ? ck::utils::conv::parse_conv_param(dimensions, 5, argv)
                               : ck::utils::conv::parse_ungrouped_conv_param(dimensions, 5, argv);
    line.default_problem = false;
    return line;
}

/// The exit status of a program: run()'s result. Prints errors to stderr; std::invalid_argument
/// returns 2, other errors and lost output return 1.
template <class Run>
int exit_status(const Run& run)
try
{
    return ck::utils::checked_output(run());
}
catch(const std::invalid_argument& e)
{
    std::cerr << e.what() << '\n';
    return 2;
}
catch(const std::exception& e)
{
    std::cerr << "error: " << e.what() << '\n';
    return 1;
}

} // namespace example
