// A launch is as long as its longest unit; a unit with many workgroups is as long as its first ones
// and their pace.
#include "launch_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>
#include <stdexcept>

namespace emu::timing {
namespace {

const char* kind(const Instruction& i)
{
    if(i.matrix)
        return "matrix";
    switch(i.unit)
    {
    case Unit::vector:
        return "vector";
    case Unit::scalar:
        return "scalar";
    case Unit::memory:
        return "memory";
    case Unit::lds:
        return "LDS";
    case Unit::branch:
        return "branch";
    case Unit::wait:
        return "wait";
    case Unit::idle:
        return "nop";
    default:
        return "other";
    }
}

/// The traces from `first` on, again and again until there are so many.
std::vector<const WorkgroupTrace*>
queue(std::span<const WorkgroupTrace> traces, std::size_t first, std::uint64_t count)
{
    std::vector<const WorkgroupTrace*> result;
    for(std::uint64_t i = 0; i < count; ++i)
        result.push_back(&traces[(first + i) % traces.size()]);
    return result;
}

/// What part of the lines that L1 misses comes from memory: each byte once for the launch, the rest
/// from L2.
std::vector<double> from_memory(const Machine& m,
                                const Replay& r,
                                std::span<const Source> sources,
                                double workgroups,
                                double replayed)
{
    std::vector<double> share(sources.size());
    for(std::size_t s = 0; s < std::min(share.size(), r.l1_misses.size()); ++s)
    {
        const double bytes =
            std::min(sources[s].bytes, sources[s].touched * workgroups) * replayed / workgroups;
        if(r.l1_misses[s] > 0)
            share[s] = std::min(1.0, bytes / (r.l1_misses[s] * m.l1_line));
    }
    return share;
}

} // namespace

Spread spread(const Machine& m, std::uint64_t workgroups)
{
    const auto units = static_cast<std::uint64_t>(m.units);
    return {static_cast<int>(std::min(units, workgroups)), (workgroups + units - 1) / units};
}

std::vector<std::uint64_t> sample(std::uint64_t workgroups, std::uint64_t count)
{
    std::set<std::uint64_t> chosen;
    if(workgroups <= count)
        for(std::uint64_t w = 0; w < workgroups; ++w)
            chosen.insert(w);
    // One of each part of the grid, at a place in it that differs.
    constexpr double golden = 0.6180339887498949; // multiples' fractions fill an interval evenly
    for(std::uint64_t i = 0; workgroups > count && i < count; ++i)
        chosen.insert(static_cast<std::uint64_t>(
            (static_cast<double>(i) + std::fmod(static_cast<double>(i) * golden, 1)) *
            static_cast<double>(workgroups) / static_cast<double>(count)));
    return {chosen.begin(), chosen.end()};
}

Prediction predict(const Machine& m,
                   const Launch& launch,
                   std::span<const Instruction> program,
                   std::span<const WorkgroupTrace> traces,
                   std::span<const Source> sources)
{
    if(traces.empty())
        throw std::invalid_argument("no workgroup of " + launch.kernel + " was sampled");
    const Occupancy o   = occupancy(m, launch.footprint);
    const Spread s      = spread(m, launch.workgroups);
    const double groups = static_cast<double>(launch.workgroups);
    // A unit with one workgroup is as long as the longest; units with several are all about as
    // long, since the next workgroup goes where a place is free. Traces repeat as often as each
    // other.
    const bool one = s.most == 1;
    const std::uint64_t runs =
        (3 * static_cast<std::uint64_t>(o.workgroups) + traces.size() - 1) / traces.size();
    const std::uint64_t length = std::min<std::uint64_t>(s.most, runs * traces.size());
    const std::uint64_t replays =
        length < traces.size() ? (traces.size() + length - 1) / length : 1;
    const double replayed = static_cast<double>(length * replays);
    Prediction p;
    Replay sum;
    double misses = 0, wave_cycles = 0, waves = 0;
    for(std::uint64_t i = 0; i < replays; ++i)
    {
        const auto workgroups = queue(traces, i * length, length);
        const int resident    = static_cast<int>(std::min<std::uint64_t>(o.workgroups, length));
        Surroundings around{resident, s.active_units, {}};
        const Replay cold  = replay(m, program, workgroups, around);
        const auto share   = from_memory(m, cold, sources, groups, static_cast<double>(length));
        around.from_memory = share;
        const Replay r     = replay(m, program, workgroups, around);
        p.cycles           = one ? std::max(p.cycles, r.cycles)
                                 : p.cycles + r.cycles / static_cast<double>(length) *
                                        static_cast<double>(s.most) / static_cast<double>(replays);
        sum.cycles += r.cycles;
        sum.matrix_cycles += r.matrix_cycles;
        sum.lds_cycles += r.lds_cycles;
        sum.lds_conflicts += r.lds_conflicts;
        sum.l1_lines += r.l1_lines;
        sum.l2_bytes += r.l2_bytes;
        sum.memory_bytes += r.memory_bytes;
        misses = std::accumulate(r.l1_misses.begin(), r.l1_misses.end(), misses);
        for(std::size_t a = 0; a < p.activity.size(); ++a)
        {
            p.activity[a] += r.wave_cycles[a];
            wave_cycles += r.wave_cycles[a];
        }
    }
    for(const WorkgroupTrace& trace : traces)
        for(const WaveTrace& wave : trace.waves)
        {
            ++waves;
            for(const Step& step : wave.steps)
                ++p.instructions[kind(program[step.instruction])];
        }
    for(auto& [name, count] : p.instructions)
        count /= waves;
    for(double& c : p.activity)
        c /= wave_cycles;
    p.microseconds       = p.cycles / m.clock_mhz;
    p.matrix_share       = sum.matrix_cycles / replayed * groups / (m.units * m.simds * p.cycles);
    p.matrix_share_unit  = sum.matrix_cycles / (m.simds * sum.cycles);
    p.lds_share          = sum.lds_cycles / (m.lds_pipes * sum.cycles);
    p.lds_conflict_share = sum.lds_cycles > 0 ? sum.lds_conflicts / sum.lds_cycles : 0;
    p.l1_hits            = sum.l1_lines > 0 ? 1 - misses / sum.l1_lines : 0;
    p.l2_rate            = sum.l2_bytes / sum.cycles;
    p.memory_gb_s        = sum.memory_bytes / replayed * groups / p.microseconds / 1e3;
    return p;
}

std::string caption()
{
    return "emu: time These times are predicted by a model (docs/notes/amd_predicted_times.md); "
           "none "
           "is measured.\n";
}

std::string in_words(
    const Machine& m, const Launch& l, std::size_t number, std::size_t sampled, const Prediction& p)
{
    const Occupancy o = occupancy(m, l.footprint);
    const Spread s    = spread(m, l.workgroups);
    std::string text;
    const auto line = [&](const char* format, auto... values) {
        char t[600];
        std::snprintf(t, sizeof t, format, values...);
        text += std::string("emu: time ") + t + "\n";
    };
    line("launch %zu, %s: %s", number, l.target.c_str(), l.kernel.substr(0, 500).c_str());
    line("  predicted %.0f cycles, %.1f us at %.0f MHz", p.cycles, p.microseconds, m.clock_mhz);
    line("  %llu workgroups of %d threads on %d of %.0f units, at most %llu a unit, %d at a time "
         "(%s)",
         static_cast<unsigned long long>(l.workgroups),
         l.footprint.threads,
         s.active_units,
         m.units,
         static_cast<unsigned long long>(s.most),
         o.workgroups,
         o.limit);
    line("  registers %d of a lane, LDS %d bytes; %zu workgroups ran, so results are %s",
         l.footprint.registers,
         l.footprint.lds,
         sampled,
         sampled < l.workgroups ? "incomplete" : "complete");
    line("  matrix units: %.1f %% of the chip's peak, %.1f %% of that of a unit with work",
         100 * p.matrix_share,
         100 * p.matrix_share_unit);
    const auto a = [&](Activity x) { return 100 * p.activity[static_cast<int>(x)]; };
    line("  waves execute %.1f %%, wait for memory %.1f %%, LDS %.1f %%, matrix %.1f %%, barriers "
         "%.1f %%, issue %.1f %%",
         a(Activity::executing),
         a(Activity::memory),
         a(Activity::lds),
         a(Activity::matrix),
         a(Activity::barrier),
         a(Activity::issue));
    const auto found    = p.instructions.find("matrix");
    const double matrix = found == p.instructions.end() ? 0 : found->second;
    std::string kinds;
    double others = 0;
    for(const auto& [name, count] : p.instructions)
        if(name != "matrix")
        {
            char one[60];
            std::snprintf(one,
                          sizeof one,
                          "%s%s %.2f",
                          kinds.empty() ? "" : ", ",
                          name.c_str(),
                          count / (matrix > 0 ? matrix : 1));
            kinds += one;
            others += count;
        }
    line(matrix > 0 ? "  beside each matrix instruction %.2f: %s"
                    : "  instructions of a wave %.0f: %s",
         others / (matrix > 0 ? matrix : 1),
         kinds.c_str());
    line("  LDS busy %.1f %%, bank conflicts %.1f %% of it; L1 hits %.1f %%; L2 %.1f bytes a cycle "
         "and unit; memory %.0f GB/s",
         100 * p.lds_share,
         100 * p.lds_conflict_share,
         100 * p.l1_hits,
         p.l2_rate,
         p.memory_gb_s);
    return text;
}

std::string time_in_words(const Prediction& p)
{
    char t[60];
    std::snprintf(t, sizeof t, "%.1f us", p.microseconds);
    return t;
}

std::string again_in_words(std::size_t number, std::size_t described, const Prediction& p)
{
    return "emu: time launch " + std::to_string(number) + ", as launch " +
           std::to_string(described) + ": predicted " + time_in_words(p) + "\n";
}

} // namespace emu::timing
