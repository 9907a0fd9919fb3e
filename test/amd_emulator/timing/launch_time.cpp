// A launch is as long as its longest unit; a unit with many workgroups is as long as its first ones
// and their pace.
#include "launch_time.hpp"

#include <algorithm>
#include <cstdio>
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

/// One unit with so many workgroups, whose traces repeat.
Replay replay_unit(const Machine& m,
                   std::span<const Instruction> program,
                   const std::vector<const WorkgroupTrace*>& traces,
                   std::uint64_t count,
                   Surroundings s)
{
    std::vector<const WorkgroupTrace*> queue;
    for(std::uint64_t i = 0; i < count; ++i)
        queue.push_back(traces[i % traces.size()]);
    s.resident =
        static_cast<int>(std::min<std::uint64_t>(count, static_cast<std::uint64_t>(s.resident)));
    return replay(m, program, queue, s);
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

Spread spread(const Machine& m, const Occupancy& o, std::uint64_t workgroups)
{
    const auto units = static_cast<std::uint64_t>(m.units);
    const auto used  = std::min(units, workgroups);
    Spread s{static_cast<int>(used), (workgroups + units - 1) / units, {}, {}};
    for(const std::uint64_t unit : std::set<std::uint64_t>{0, used / 2, used - 1})
    {
        s.sampled_units.push_back(unit);
        for(std::uint64_t w = unit, n = 0;
            w < workgroups && n < static_cast<std::uint64_t>(o.workgroups);
            w += units, ++n)
            s.workgroups.push_back(w);
    }
    return s;
}

Prediction predict(const Machine& m,
                   const Launch& launch,
                   std::span<const Instruction> program,
                   const std::map<std::uint64_t, WorkgroupTrace>& traces,
                   std::span<const Source> sources)
{
    const Occupancy o = occupancy(m, launch.footprint);
    const Spread s    = spread(m, o, launch.workgroups);
    const auto units  = static_cast<std::uint64_t>(m.units);
    Prediction p;
    double longest = 0, replayed_cycles = 0, replayed_groups = 0, matrix = 0, lds = 0,
           conflicts = 0, lines = 0, misses = 0;
    double l2 = 0, memory = 0, waves = 0;
    for(const std::uint64_t unit : s.sampled_units)
    {
        std::vector<const WorkgroupTrace*> here;
        for(const auto& [workgroup, trace] : traces)
            if(workgroup % units == unit)
                here.push_back(&trace);
        if(here.empty())
            throw std::invalid_argument("no trace of a workgroup of unit " + std::to_string(unit));
        const std::uint64_t all     = (launch.workgroups - unit + units - 1) / units;
        const auto resident         = static_cast<std::uint64_t>(o.workgroups);
        const std::uint64_t replays = std::min(all, 3 * resident);
        Surroundings around{o.workgroups, s.active_units, {}};
        const Replay cold = replay_unit(m, program, here, replays, around);
        const auto share  = from_memory(
            m, cold, sources, static_cast<double>(launch.workgroups), static_cast<double>(replays));
        around.from_memory = share;
        const Replay r     = replay_unit(m, program, here, replays, around);
        double cycles      = r.cycles;
        if(all > replays)
        {
            const Replay fewer = replay_unit(m, program, here, replays - resident, around);
            cycles += static_cast<double>(all - replays) * (r.cycles - fewer.cycles) /
                      static_cast<double>(resident);
        }
        longest = std::max(longest, cycles);
        replayed_cycles += r.cycles;
        replayed_groups += static_cast<double>(replays);
        matrix += r.matrix_cycles;
        lds += r.lds_cycles;
        conflicts += r.lds_conflicts;
        lines += r.l1_lines;
        for(const double n : r.l1_misses)
            misses += n;
        l2 += r.l2_bytes;
        memory += r.memory_bytes;
        for(std::size_t a = 0; a < p.activity.size(); ++a)
            p.activity[a] += r.wave_cycles[a];
    }
    for(const auto& [workgroup, trace] : traces)
        for(const WaveTrace& wave : trace.waves)
        {
            ++waves;
            for(const Step& step : wave.steps)
                ++p.instructions[kind(program[step.instruction])];
        }
    for(auto& [name, count] : p.instructions)
        count /= waves;
    double wave_cycles = 0;
    for(const double c : p.activity)
        wave_cycles += c;
    for(double& c : p.activity)
        c /= wave_cycles;
    p.cycles             = longest;
    p.microseconds       = longest / m.clock_mhz;
    const double groups  = static_cast<double>(launch.workgroups);
    p.matrix_share       = matrix / replayed_groups * groups / (m.units * m.simds * longest);
    p.matrix_share_unit  = matrix / (m.simds * replayed_cycles);
    p.lds_share          = lds / (m.lds_pipes * replayed_cycles);
    p.lds_conflict_share = lds > 0 ? conflicts / lds : 0;
    p.l1_hits            = lines > 0 ? 1 - misses / lines : 0;
    p.l2_rate            = l2 / replayed_cycles;
    p.memory_gb_s        = memory / replayed_groups * groups / p.microseconds / 1e3;
    return p;
}

std::string in_words(const Machine& m, const Launch& l, const Prediction& p)
{
    const Occupancy o = occupancy(m, l.footprint);
    const Spread s    = spread(m, o, l.workgroups);
    char t[2000];
    int at          = 0;
    const auto line = [&](const char* format, auto... values) {
        at += std::snprintf(t + at, sizeof t - at, "emu: time ");
        at += std::snprintf(t + at, sizeof t - at, format, values...);
        at += std::snprintf(t + at, sizeof t - at, "\n");
    };
    line("%s: %s", l.target.c_str(), l.kernel.substr(0, 300).c_str());
    line("  predicted %.0f cycles, %.1f us at %.0f MHz (never measured)",
         p.cycles,
         p.microseconds,
         m.clock_mhz);
    line("  %llu workgroups of %d threads on %d of %.0f units, at most %llu a unit; %d fit at a "
         "time (%s)",
         static_cast<unsigned long long>(l.workgroups),
         l.footprint.threads,
         s.active_units,
         m.units,
         static_cast<unsigned long long>(s.most),
         o.workgroups,
         o.limit);
    line("  registers %d of a lane, LDS %d bytes; traces of %zu workgroups",
         l.footprint.registers,
         l.footprint.lds,
         s.workgroups.size());
    line("  matrix units: %.1f %% of the chip's peak, %.1f %% of that of the sampled units",
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
    return t;
}

} // namespace emu::timing
