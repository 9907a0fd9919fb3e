#pragma once
// Lists of problems to measure, as JSON, and the kinds into which figures are summed up.
#include "ck/convolution/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
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

/// One entry of a list of problems, packed, channels last. Throws where it is none.
inline ConvProblem read_problem(const nlohmann::json& j)
{
    ConvProblem p;
    p.rank                   = j.at("ndim");
    const auto require_valid = [&] {
        if(const Support s = validate(p); !s)
            throw std::runtime_error(s.reason);
    };
    require_valid(); // the rank: more entries than 3 do not fit into a Spatial
    const auto list = [&](const char* key, long_index_t neutral) {
        const auto values = j.at(key).get<std::vector<long_index_t>>();
        if(values.size() != static_cast<std::size_t>(p.rank))
            throw std::runtime_error(std::string(key) + " has " + std::to_string(values.size()) +
                                     " entries, but ndim is " + std::to_string(p.rank));
        return to_spatial(values, neutral);
    };
    p.groups            = j.at("G");
    p.batch             = j.at("N");
    const auto of_group = [&](const char* key) {
        const long_index_t of_all = j.at(key);
        if(p.groups < 1 || of_all % p.groups != 0)
            throw std::runtime_error(std::string(key) + " is " + std::to_string(of_all) +
                                     ", not a multiple of G, " + std::to_string(p.groups));
        return of_all / p.groups;
    };
    p.out_channels = of_group("K");
    p.in_channels  = of_group("C");
    p.filter       = list("filter", 1);
    p.input        = list("input", 1);
    p.stride       = list("strides", 1);
    p.dilation     = list("dilations", 1);
    p.pad_low      = list("pads_left", 0);
    p.pad_high     = list("pads_right", 0);
    require_valid(); // before the output's lengths are divided by the strides
    set_packed_strides(p);
    return p;
}

/// Those of a file whose names contain `filter`. The file: {"problems": [{"name", "ndim", "G", "N",
/// "K", "C" (K and C of all groups together), "filter", "input", "strides", "dilations",
/// "pads_left", "pads_right"}]}, lists of ndim numbers in the order [D,] H, W. Without a file the
/// default problem of example 17. Throws std::runtime_error, which names the file and the problem
/// (or its index), where one of them is no convolution, and when there is nothing to read.
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
    std::string where = file;
    try
    {
        const nlohmann::json suite = nlohmann::json::parse(in);
        std::size_t index          = 0;
        for(const auto& j : suite.at("problems"))
        {
            where                  = file + ": problems[" + std::to_string(index++) + "]";
            const std::string name = j.at("name");
            where                  = file + ": " + name;
            if(name.find(filter) != std::string::npos)
                all.push_back({name, read_problem(j)});
        }
    }
    catch(const std::exception& e)
    {
        throw std::runtime_error(where + ": " + e.what());
    }
    if(all.empty())
        throw std::runtime_error(file + " has no problem whose name contains '" + filter + "'");
    return all;
}

} // namespace ck::profiler
