// Reads problems from JSON.
#include "problem_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace ck::profiler {

namespace {

/// A whole number in the file. The library's conversions truncate fractions, accept bools as
/// numbers and wrap what is too large.
long_index_t whole_number(const nlohmann::json& value, const std::string& name)
{
    const bool is_whole = value.is_number_integer() && // "2.0" and "true" are not
                          (!value.is_number_unsigned() ||
                           value.get<std::uint64_t>() <= std::numeric_limits<long_index_t>::max());
    if(!is_whole)
        throw WrongArgument(name + " is " + value.dump() + ", but must be a whole number" +
                            (value.is_number_integer() ? " of at most 63 bits" : ""));
    return value.get<long_index_t>();
}

/// Reads one entry of a list of problems. Throws if it is invalid.
ConvProblem read_problem(const nlohmann::json& j)
{
    ConvProblem p;
    const auto number = [&](const char* key) { return whole_number(j.at(key), key); };
    const auto rank   = number("ndim");
    if(rank < 1 || rank > 3) // refuses values that do not fit fewer bits, too
        throw WrongArgument("ndim is " + std::to_string(rank) + ", but must be 1, 2 or 3");
    p.rank                   = static_cast<index_t>(rank);
    const auto require_valid = [&] {
        if(const Support s = validate(p); !s)
            throw WrongArgument(s.reason);
    };
    const auto list = [&](const char* key, long_index_t neutral) {
        std::vector<long_index_t> values;
        if(!j.at(key).is_array())
            throw WrongArgument(std::string(key) + " is " + j.at(key).dump() +
                                ", but must be a list of whole numbers");
        for(const auto& value : j.at(key))
            values.push_back(
                whole_number(value, key + ("[" + std::to_string(values.size()) + "]")));
        if(values.size() != static_cast<std::size_t>(p.rank))
            throw WrongArgument(std::string(key) + " has " + std::to_string(values.size()) +
                                " entries, but ndim is " + std::to_string(p.rank));
        return to_spatial(values, neutral);
    };
    p.groups            = number("G");
    p.batch             = number("N");
    const auto of_group = [&](const char* key) {
        const long_index_t of_all = number(key);
        if(p.groups < 1 || of_all % p.groups != 0)
            throw WrongArgument(std::string(key) + " is " + std::to_string(of_all) +
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

void append(std::vector<NamedProblem>& all, const std::string& file, const std::string& filter)
{
    std::ifstream in(file);
    if(!in)
        throw WrongArgument("cannot read the problems' file " + file);
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
        throw WrongArgument(where + ": " + e.what());
    }
}

} // namespace

std::vector<NamedProblem> read_problems(const std::string& path, const std::string& filter)
{
    std::vector<std::string> files{path};
    if(std::filesystem::is_directory(path))
    {
        files.clear();
        for(const auto& entry : std::filesystem::directory_iterator(path))
            if(entry.path().extension() == ".json")
                files.push_back(entry.path().string());
        std::sort(files.begin(), files.end());
        if(files.empty())
            throw WrongArgument("the folder " + path + " has no file *.json");
    }
    std::vector<NamedProblem> all;
    for(const std::string& file : files)
        append(all, file, filter);
    if(all.empty())
        throw WrongArgument(path + " has no problem whose name contains '" + filter + "'");
    return all;
}

} // namespace ck::profiler
