#pragma once
// Which rows of which tables a build has for the manifest's families.
//
// amd (XDL, WMMA, DL) and nvidia (wgmma, mma.sync, DL):
//   f16, bf16, f32, f64 and tf32 without operations: all rows;
//   other types, and operations: the first row of each table, and on nvidia all rows of wgmma for
//   other types;
//   on nvidia DL only of f32 and for small groups: mma.sync takes every other problem.
// host (XDL, WMMA, DL, mma.sync, with one instruction of each):
//   f16, bf16, f32, f64 and tf32 without operations: the first row of the tables for any channels,
//   and for f16, tf32 and XDL also of those for wide vectors;
//   other types, and operations: the first row for any channels; operations only with XDL.
//
// Rows differ only in tile and vectors, which tests of single operations cover. docs/coverage.md
// lists what the host's library computes, and with which engines. Representative instances: the
// first row of each table that the platform has, for one family of each direction.
#include "tables/manifest.hpp"
#include <algorithm>
#include <cstddef>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace ck::manifest {

/// Values of CK_PLATFORM.
enum class Platform
{
    host,
    amd,
    nvidia
};

/// The tables of an engine, see rows.hpp: <engine>, <engine>_few_channels, <engine>_any; for
/// threads also dl_groups, and dl_depthwise of eight bits.
enum class Table
{
    wide,
    few_channels,
    groups,
    depthwise,
    any
};
inline constexpr Table all_tables[]{
    Table::wide, Table::few_channels, Table::groups, Table::depthwise, Table::any};

enum class Rows
{
    none,
    first,
    all
};

/// Rows of a table, and why the others are left out; empty if none are.
struct Choice
{
    Rows rows;
    const char* why_not;
};

constexpr bool has(Platform platform, Engine engine)
{
    switch(engine)
    {
    case Engine::wgmma:
    case Engine::wgmma_promoted:
        return platform == Platform::nvidia;
    case Engine::mma:
    case Engine::mma_converted:
        return platform != Platform::amd;
    case Engine::xdl:
    case Engine::xdl_small:
    case Engine::wmma:
        return platform != Platform::nvidia;
    case Engine::dl:
    case Engine::dl_small:
    case Engine::dl_exact:
        return true;
    }
    return false;
}

/// Whether the host has this instruction of the engine. instruction: an index in the entry.
constexpr bool is_on_host(const Multiplied& as, std::size_t instruction)
{
    for(std::size_t i = 0; i < instruction; ++i)
        if(as.by[i].engine == as.by[instruction].engine && as.by[i].on_host)
            return false;
    return as.by[instruction].on_host;
}

/// Whether mma.sync multiplies the elements.
constexpr bool has_mma(const Multiplied& as)
{
    return std::any_of(as.by.begin(), as.by.end(), [](const Instruction& i) {
        return i.engine == Engine::mma || i.engine == Engine::mma_converted;
    });
}

/// Why the host has no kernel of a table; empty if it does.
constexpr const char* why_not_on_host(const Entry& entry, std::size_t instruction, Table table)
{
    const Engine engine = entry.as.by[instruction].engine;
    const bool is_xdl   = engine == Engine::xdl || engine == Engine::xdl_small;
    if(!is_on_host(entry.as, instruction))
        return "the host has one instruction of each engine";
    if(entry.kind != Kind::tuned && table != Table::any)
        return "the host has other types and operations only for any channels";
    if(entry.kind == Kind::operation && !is_xdl && engine != Engine::dl_exact)
        return "the host has operations only of XDL";
    if(entry.as.on_host == OnHost::one && engine != Engine::mma_converted)
        return "the host has these types with one engine";
    if(entry.as.on_host != OnHost::all_wide && table == Table::wide && !is_xdl)
        return "the host has wide vectors of these types only of XDL";
    return "";
}

/// The rows of one table in a build of a family.
constexpr Choice choose(Platform platform,
                        bool representative,
                        Direction direction,
                        const Entry& entry,
                        std::size_t instruction,
                        Table table)
{
    const auto none     = [](const char* why) { return Choice{Rows::none, why}; };
    const Engine engine = entry.as.by[instruction].engine;
    if(!has(platform, engine))
        return none("not an engine of the platform");
    if(representative && !entry.representative)
        return none("representative instances are of one family for each direction");
    if(platform == Platform::host)
    {
        if(const char* const why = why_not_on_host(entry, instruction, table); *why != 0)
            return none(why);
        representative = true; // the first row of each table
    }
    const bool is_wgmma = engine == Engine::wgmma || engine == Engine::wgmma_promoted;
    if(is_wgmma && table != Table::wide)
        return none("mma.sync takes any channels");
    if(engine == Engine::dl_exact && table != Table::any)
        return none("sums that 32 bits may not hold are rare");
    const bool is_depthwise = table == Table::depthwise, is_groups = table == Table::groups;
    const bool few = table == Table::few_channels || is_groups || is_depthwise;
    if(platform == Platform::nvidia && (engine == Engine::dl || engine == Engine::dl_small) &&
       !is_groups && !is_depthwise && has_mma(entry.as))
        return none("mma.sync takes every problem, and is faster");
    if(table == Table::few_channels && direction == Direction::backward_weight)
        return none("backward weight computes small groups together with any tuning");
    if(few && entry.as.few_channels != (is_depthwise ? FewChannels::depthwise : FewChannels::all))
        return none("the types have no such rows for few channels");
    if(is_depthwise && (engine != Engine::dl || entry.kind == Kind::operation))
        return none("rows for groups of one channel are of threads, without operations");
    if(is_groups && (engine != Engine::dl || entry.kind != Kind::tuned))
        return none("rows for small groups are of threads, for types that they were made for");
    if(few && representative)
        return none("representative instances have none for few channels");
    if(representative)
        return {Rows::first, "representative instances are first rows"};
    if(entry.kind == Kind::operation)
        return {Rows::first, "operations take the first row"};
    if(entry.kind == Kind::sums && engine != Engine::wgmma_promoted)
        return {Rows::first, "results of four bytes take the first row"};
    if(entry.kind == Kind::types && engine != Engine::wgmma && !is_depthwise)
        return {Rows::first, "other types take the first row"};
    return {Rows::all, ""};
}

constexpr const char* name(Engine engine)
{
    constexpr const char* names[]{"wgmma",
                                  "wgmma_promoted",
                                  "mma",
                                  "mma_converted",
                                  "xdl",
                                  "xdl_small",
                                  "wmma",
                                  "dl",
                                  "dl_small",
                                  "dl_exact"};
    return names[static_cast<int>(engine)];
}

/// The direction as a C++ identifier.
constexpr const char* identifier(Direction direction)
{
    constexpr const char* names[]{"forward", "backward_data", "backward_weight"};
    return names[static_cast<int>(direction)];
}

/// A table as a C++ expression: xdl_any<Direction::forward, xdl_f16>
inline std::string table_name(Direction direction, Instruction instruction, Table table)
{
    constexpr const char* suffixes[]{"", "_few_channels", "_groups", "_depthwise", "_any"};
    return std::string(name(instruction.engine)) + suffixes[static_cast<int>(table)] +
           "<Direction::" + identifier(direction) + ", " + instruction.name + '>';
}

/// The kernels of a table for a family.
struct Kernels
{
    std::string family;
    std::string table;
    Rows rows;
    int parts; ///< number of parts of all rows, about one for each source file

    /// The text that CK_KERNELS is matched with.
    std::string name() const { return family + ", " + table; }
};

/// The kernels of a direction, in the order of a factory's instances: the first that supports a
/// problem is a good choice.
inline std::vector<Kernels> select(Platform platform, bool representative, Direction direction)
{
    std::vector<Kernels> selected;
    for(const Entry& entry : of(direction))
        for(const Table table : all_tables)
            for(std::size_t i = 0; i < entry.as.by.size(); ++i)
            {
                const Rows rows = choose(platform, representative, direction, entry, i, table).rows;
                if(rows == Rows::none)
                    continue;
                const bool few_rows = entry.as.by[i].engine == Engine::dl;
                const int parts     = rows == Rows::first               ? 1
                                      : table == Table::few_channels    ? 2
                                      : table == Table::groups          ? 2
                                      : table == Table::depthwise       ? 2
                                      : table == Table::any || few_rows ? 1
                                                                        : 3;
                selected.push_back(
                    {entry.family, table_name(direction, entry.as.by[i], table), rows, parts});
            }
    return selected;
}

/// The kernels that match a regular expression (POSIX extended); empty: all. Throws
/// std::regex_error if it is invalid.
inline std::vector<Kernels> matching(std::vector<Kernels> kernels, const std::string& expression)
{
    const std::regex wanted(expression, std::regex::extended);
    std::erase_if(kernels, [&](const Kernels& k) { return !std::regex_search(k.name(), wanted); });
    return kernels;
}

} // namespace ck::manifest
