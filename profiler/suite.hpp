#pragma once
// Lists of problems to measure, as JSON, and the kinds into which figures are summed up.
#include "ck/convolution/problem.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace ck::profiler {

struct NamedProblem
{
    std::string name;
    ConvProblem problem;

    /// What its speed is limited by, roughly.
    std::string kind() const
    {
        const ConvProblem& p = problem;
        const Spatial ones{1, 1, 1};
        if(p.groups > 1)
            return p.in_channels == 1 ? "depthwise" : "grouped";
        if(p.in_channels % 8 != 0 || p.out_channels % 8 != 0)
            return "odd channels";
        if(p.dilation != ones)
            return "dilated";
        if(p.stride != ones)
            return "strided";
        if(p.filter == ones)
            return "1x1";
        if(std::min(p.in_channels, p.out_channels) <= 64)
            return "narrow";
        return p.rank == 2 ? "large" : "1D, 3D";
    }
};

/// Those of a file whose names contain `filter`. The file: {"problems": [{"name", "ndim", "G", "N",
/// "K", "C" (K and C of all groups together), "filter", "input", "strides", "dilations",
/// "pads_left", "pads_right"}]}, lists in the order [D,] H, W. Without a file the default problem
/// of example 17. Tensors are packed, channels last. Throws std::runtime_error when there is
/// nothing to read.
inline std::vector<NamedProblem> read_problems(const std::string& file, const std::string& filter)
{
    if(file.empty())
        return {{"default",
                 make_packed_problem<2>(
                     1, 128, 256, 128, {3, 3}, {71, 71}, {2, 2}, {1, 1}, {1, 1}, {1, 1})}};
    std::ifstream in(file);
    if(!in)
        throw std::runtime_error("cannot read " + file);
    std::vector<NamedProblem> all;
    const nlohmann::json suite = nlohmann::json::parse(in);
    for(const auto& j : suite.at("problems"))
    {
        const std::string name = j.at("name");
        if(name.find(filter) == std::string::npos)
            continue;
        const auto list = [&](const char* key, long_index_t neutral) {
            return to_spatial(j.at(key).get<std::vector<long_index_t>>(), neutral);
        };
        ConvProblem p;
        p.rank              = j.at("ndim");
        p.groups            = j.at("G");
        p.batch             = j.at("N");
        const auto of_group = [&](const char* key) {
            const long_index_t all = j.at(key);
            if(p.groups < 1 || all % p.groups != 0)
                throw std::runtime_error(file + ": " + name + ": " + key + " is " +
                                         std::to_string(all) + ", not a multiple of G, " +
                                         std::to_string(p.groups));
            return all / p.groups;
        };
        p.out_channels = of_group("K");
        p.in_channels  = of_group("C");
        p.filter       = list("filter", 1);
        p.input        = list("input", 1);
        p.stride       = list("strides", 1);
        p.dilation     = list("dilations", 1);
        p.pad_low      = list("pads_left", 0);
        p.pad_high     = list("pads_right", 0);
        set_packed_strides(p);
        all.push_back({name, p});
    }
    if(all.empty())
        throw std::runtime_error(file + " has no problem whose name contains '" + filter + "'");
    return all;
}

} // namespace ck::profiler
