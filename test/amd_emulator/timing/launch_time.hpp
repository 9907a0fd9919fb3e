// Predicts the time of a launch from some of its workgroups.
#pragma once
#include "compute_unit.hpp"
#include "occupancy.hpp"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace emu::timing {

/// What a launch is, to the model.
struct Launch
{
    std::string kernel, target;
    std::uint64_t workgroups;
    Footprint footprint;
    double atomics = 0; ///< operations on the address that most go to
};

/// How a launch is spread over the chip: a free place takes the next workgroup.
struct Spread
{
    int active_units;   ///< units that have a workgroup
    std::uint64_t most; ///< workgroups of a unit, rounded up
};
Spread spread(const Machine& machine, std::uint64_t workgroups);

/// Workgroups that stand for all: at most `count`, different ones, from everywhere in the grid, in
/// no step with its rows.
std::vector<std::uint64_t> sample(std::uint64_t workgroups, std::uint64_t count);

/// Workgroups that start on one die one after the other: at most `count`, from `first` on.
std::vector<std::uint64_t> neighbours(const Machine& machine,
                                      std::uint64_t workgroups,
                                      std::uint64_t first,
                                      std::uint64_t count = 4);

/// An allocation that lines lie in.
struct Source
{
    double bytes   = 0; ///< size of the allocation
    double touched = 0; ///< different bytes of it that a workgroup touches on the average
    double growth  = 1; ///< n neighbours touch n to this power times as many: 1 if they share none
    double before  = 1; ///< share of it that the last launch left in a die's L2, if all fits
    double written = 1; ///< share of stored bytes that no other store of a workgroup hits
};

struct Prediction
{
    double cycles = 0, microseconds = 0, clock_mhz = 0;
    double matrix_share       = 0; ///< share of the chip's matrix units in the launch
    double matrix_share_unit  = 0; ///< share of a unit that has workgroups
    double lds_share          = 0; ///< cycles that LDS is busy
    double lds_conflict_share = 0; ///< share of those cycles
    double l1_hits            = 0; ///< share of lines
    double l2_rate            = 0; ///< bytes per cycle and unit
    double last_level_gb_s    = 0; ///< rate of the chip
    double memory_gb_s        = 0; ///< rate of the chip
    Load load;
    std::array<double, static_cast<int>(Activity::count)> activity{}; ///< shares of the waves' time
    std::map<std::string, double> instructions; ///< per wave of the sample, on average, by kind
};

/// Predicts from traces of sampled workgroups. Throws what replay() throws.
Prediction predict(const Machine& machine,
                   const Launch& launch,
                   std::span<const Instruction> instructions,
                   std::span<const WorkgroupTrace> traces,
                   std::span<const Source> sources);

/// What the times are: a line for the first launch of a program.
std::string caption();

/// The prediction in words, lines that begin with "emu: time". Launches are numbered from 1.
std::string in_words(const Machine& machine,
                     const Launch& launch,
                     std::size_t number,
                     std::size_t sampled,
                     const Prediction& prediction);

/// For example "53.8 us".
std::string time_in_words(const Prediction& prediction);

/// A line for a launch of the same kernel and size as an earlier one, which in_words() described,
/// and of another time.
std::string again_in_words(std::size_t number, std::size_t described, const Prediction& prediction);

} // namespace emu::timing
