#pragma once
// The command line of the transposed convolution: that of the other examples, and output paddings.
#include "ck/convolution/transposed.hpp"

#include "common/command_line.hpp"
#include <array>

namespace example {

using ck::ConvTranspose;
using ck::index_t;

/// The arguments after C; each is a list [D] H W.
inline constexpr struct
{
    const char* name;
    int least;
} dimension_arguments[]{{"filter", 1},
                        {"input", 1},
                        {"stride", 1},
                        {"dilation", 1},
                        {"left pad", 0},
                        {"right pad", 0},
                        {"output padding", 0}};

/// The values of a problem, in the order of dimension_arguments.
inline auto dimension_values(auto& p)
{
    return std::array{
        &p.filter, &p.input, &p.stride, &p.dilation, &p.pad_low, &p.pad_high, &p.output_padding};
}

/// The default: 3x3 filters that double height and width; a smaller problem if the CPU stands in
/// for a GPU.
inline ConvTranspose default_problem(bool on_cpu)
{
    ConvTranspose p;
    p.batch          = on_cpu ? 1 : 32;
    p.out_channels   = on_cpu ? 32 : 128;
    p.in_channels    = on_cpu ? 64 : 256;
    p.input          = on_cpu ? ck::Spatial{1, 8, 8} : ck::Spatial{1, 32, 32};
    p.filter         = {1, 3, 3};
    p.stride         = {1, 2, 2};
    p.pad_low        = {0, 1, 1};
    p.pad_high       = {0, 1, 1};
    p.output_padding = {0, 1, 1};
    return p;
}

/// The problem as arguments.
inline std::string arguments(const ConvTranspose& p)
{
    std::string text = std::to_string(p.rank) + "  " + std::to_string(p.groups) + ' ' +
                       std::to_string(p.batch) + ' ' + std::to_string(p.out_channels) + ' ' +
                       std::to_string(p.in_channels);
    for(const auto* values : dimension_values(p))
    {
        text += ' ';
        for(std::size_t d = 3 - static_cast<std::size_t>(p.rank); d < 3; ++d)
            text += ' ' + std::to_string((*values)[d]);
    }
    return text;
}

inline void print_transposed_help(const char* program)
{
    std::cout
        << "usage: " << program
        << " [verification initialisation repetitions [dimensions G N K C ...]]\n"
           " verification: 1 compares each result with plain loops on the CPU, 0 does not\n"
           " initialisation: 0 zeros, 1 integers, 2 decimal numbers\n"
           " repetitions: launches to time; 0 launches once and does not time\n"
           " dimensions: the number of spatial dimensions, 1, 2 or 3\n"
           " G: groups\n"
           " N, K, C: images, output channels, input channels of a group\n"
           " then, each as [D] H W:\n"
           " filter lengths, input lengths, strides, dilations, left pads, right pads, output "
           "paddings\n"
           "default: 1 1 0  "
        << arguments(default_problem(false)) << "\nwhere the CPU stands in for a GPU: 1 1 0  "
        << arguments(default_problem(true))
        << "\nexit status: 0 done, and right if verified; 1 wrong or not possible; 2 these "
           "arguments make no sense\n";
}

/// Parses the arguments from 4 on. Throws like parse_number(), and if they are no transposed
/// convolution.
inline ConvTranspose parse_transposed(int argc, char* argv[])
{
    ConvTranspose p;
    p.rank             = parse_number(argv, 4, "number of spatial dimensions", 3, 1);
    const int expected = 8 + static_cast<int>(std::size(dimension_arguments)) * p.rank;
    if(argc - 1 != expected)
        throw std::invalid_argument("there are " + std::to_string(argc - 1) +
                                    " arguments, but a problem with " + std::to_string(p.rank) +
                                    " spatial dimensions makes " + std::to_string(expected) +
                                    "; see --help");
    constexpr int most = ck::detail::index_limit;
    p.groups           = parse_number(argv, 5, "G, groups", most, 1);
    p.batch            = parse_number(argv, 6, "N, batch", most, 1);
    p.out_channels     = parse_number(argv, 7, "K, output channels", most, 1);
    p.in_channels      = parse_number(argv, 8, "C, input channels", most, 1);
    int position       = 9;
    for(std::size_t i = 0; i < std::size(dimension_arguments); ++i)
    {
        const auto& a = dimension_arguments[i];
        for(std::size_t d = 3 - static_cast<std::size_t>(p.rank); d < 3; ++d, ++position)
            (*dimension_values(p)[i])[d] = parse_number(
                argv, position, (std::string(a.name) + ' ' + "DHW"[d]).c_str(), most, a.least);
    }
    if(const ck::Support s = validate(p); !s)
        throw std::invalid_argument(s.reason);
    return p;
}

} // namespace example
