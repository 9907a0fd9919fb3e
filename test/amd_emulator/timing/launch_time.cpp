// A launch takes as long as its slowest compute unit. A unit with many workgroups takes as long as
// its first ones, and then goes on at their pace.
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

/// The traces from `first` on, repeated until there are `count`.
std::vector<const WorkgroupTrace*>
queue(std::span<const WorkgroupTrace> traces, std::size_t first, std::uint64_t count)
{
    std::vector<const WorkgroupTrace*> result;
    for(std::uint64_t i = 0; i < count; ++i)
        result.push_back(&traces[(first + i) % traces.size()]);
    return result;
}

/// Share of a launch's bytes that the last level still holds when the launch is repeated.
double held_by_last_level(const Machine& m, double bytes)
{
    if(m.last_level_bytes == 0)
        return 0;
    return std::clamp((m.last_level_lost - bytes / m.last_level_bytes) /
                          (m.last_level_lost - m.last_level_kept),
                      0.,
                      1.);
}

/// What part of the lines that L1 misses goes beyond L2. Workgroups that run together on a die read
/// in step: L2 passes their lines once. Lines of workgroups that ran before, and lines that a
/// workgroup reads again, are still there if all fits. L2 and the last level hold what the previous
/// launch left, if it fits: a filter of snoops keeps the dies coherent (CDNA3 white
/// paper), so that L2 has no need to forget. Of more than L2's size less is kept, and nothing of
/// twice as much: sparse products whose rows are read word by word behave so.
std::vector<Beyond> beyond_l1(const Machine& m,
                              const Replay& r,
                              std::span<const Source> sources,
                              double workgroups,
                              double replayed,
                              double resident)
{
    const double dies     = std::min(m.dies, workgroups);
    const double together = std::min(workgroups / dies, resident * m.units / m.dies);
    const double rounds   = workgroups / dies / together;
    std::vector<double> of_round;
    double round = 0, all = 0;
    for(const Source& s : sources)
    {
        of_round.push_back(std::min(s.bytes, s.touched * std::pow(together, s.growth)));
        round += of_round.back();
        all += std::min(s.bytes, s.touched * workgroups);
    }
    double of_die = 0;
    for(std::size_t s = 0; s < sources.size(); ++s)
        of_die += std::min(sources[s].bytes, rounds * of_round[s]);
    const auto fitting = [&](double all) { return std::clamp(2 - all / m.l2_bytes, 0., 1.); };
    const double left  = fitting(of_die);
    const double kept  = fitting(round);
    const double held  = held_by_last_level(m, all);
    std::vector<Beyond> beyond(sources.size());
    for(std::size_t s = 0; s < beyond.size(); ++s)
    {
        beyond[s].stores  = 1 - held;
        beyond[s].written = sources[s].written;
        if(s >= r.l1_misses.size() || r.l1_misses[s] == 0)
            continue;
        const double bytes   = r.l1_misses[s] * m.l1_line * workgroups / replayed;
        const double touched = sources[s].touched * workgroups;
        const double once    = std::min({sources[s].bytes, touched, bytes}),
                     a_die   = std::min(dies * sources[s].bytes, dies * rounds * of_round[s]),
                     a_round = dies * rounds * of_round[s];
        // What is fetched again since it did not fit is fetched whatever was there before.
        const double fresh = 1 - left * sources[s].before;
        const double missed =
            kept * fresh * a_die + (1 - kept) * (a_round + std::max(0., bytes - touched));
        beyond[s].l2     = std::clamp(missed / bytes, fresh * once / bytes, 1.);
        beyond[s].memory = (1 - held) * once / bytes;
    }
    return beyond;
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
    // One workgroup of each part of the grid, at a place in the part that differs.
    constexpr double golden = 0.6180339887498949; // multiples' fractions fill an interval evenly
    for(std::uint64_t i = 0; workgroups > count && i < count; ++i)
        chosen.insert(static_cast<std::uint64_t>(
            (static_cast<double>(i) + std::fmod(static_cast<double>(i) * golden, 1)) *
            static_cast<double>(workgroups) / static_cast<double>(count)));
    return {chosen.begin(), chosen.end()};
}

std::vector<std::uint64_t>
neighbours(const Machine& m, std::uint64_t workgroups, std::uint64_t first, std::uint64_t count)
{
    const auto step = workgroups > static_cast<std::uint64_t>(m.dies) * count
                          ? static_cast<std::uint64_t>(m.dies)
                          : 1;
    std::vector<std::uint64_t> result;
    for(std::uint64_t i = 0; i < std::min(count, workgroups); ++i)
        result.push_back((first + i * step) % workgroups);
    return result;
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
    const int resident    = static_cast<int>(std::min<std::uint64_t>(o.workgroups, length));
    // Once at the peak clock with all in L2, to count what passes it; then at the clock that the
    // load allows, which is known better each time.
    Prediction p;
    Replay sum;
    std::vector<Beyond> beyond;
    std::vector<char> own;
    for(const Source& source : sources)
        own.push_back(source.growth > 0.5 && source.touched < source.bytes / 2);
    double clock = m.clock_mhz, misses = 0, wave_cycles = 0, waves = 0;
    for(int round = 0; round < 3; ++round)
    {
        p      = {};
        sum    = {};
        misses = wave_cycles = 0;
        p.clock_mhz          = clock;
        std::vector<double> missed(sources.size());
        for(std::uint64_t i = 0; i < replays; ++i)
        {
            const auto workgroups = queue(traces, i * length, length);
            const Replay r =
                replay(m, program, workgroups, {resident, s.active_units, clock, beyond, own});
            p.cycles = one ? std::max(p.cycles, r.cycles)
                           : p.cycles + r.cycles / static_cast<double>(length) *
                                            static_cast<double>(s.most) /
                                            static_cast<double>(replays);
            sum.cycles += r.cycles;
            sum.matrix_cycles += r.matrix_cycles;
            sum.vector_cycles += r.vector_cycles;
            sum.lds_cycles += r.lds_cycles;
            sum.lds_conflicts += r.lds_conflicts;
            sum.l1_lines += r.l1_lines;
            sum.l2_bytes += r.l2_bytes;
            sum.last_level_bytes += r.last_level_bytes;
            sum.memory_bytes += r.memory_bytes;
            misses = std::accumulate(r.l1_misses.begin(), r.l1_misses.end(), misses);
            for(std::size_t k = 0; k < std::min(missed.size(), r.l1_misses.size()); ++k)
                missed[k] += r.l1_misses[k];
            for(std::size_t a = 0; a < p.activity.size(); ++a)
            {
                p.activity[a] += r.wave_cycles[a];
                wave_cycles += r.wave_cycles[a];
            }
        }
        p.cycles           = std::max(p.cycles, launch.atomics * m.atomic_cycles);
        p.microseconds     = p.cycles / clock;
        const double scale = groups / replayed;
        p.matrix_share     = sum.matrix_cycles * scale / (m.units * m.simds * p.cycles);
        p.last_level_gb_s  = sum.last_level_bytes * scale / p.microseconds / 1e3;
        p.memory_gb_s      = sum.memory_bytes * scale / p.microseconds / 1e3;
        p.load.matrix      = p.matrix_share;
        p.load.vector      = sum.vector_cycles * scale / (m.units * m.simds * p.cycles);
        p.load.memory      = p.memory_gb_s / m.memory_gb_s;
        if(round == 0)
        {
            Replay cold;
            cold.l1_misses = missed;
            beyond         = beyond_l1(m, cold, sources, groups, replayed, o.workgroups);
        }
        clock = loaded_clock(m, p.load);
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
    p.matrix_share_unit  = sum.matrix_cycles / (m.simds * sum.cycles);
    p.lds_share          = sum.lds_cycles / (m.lds_pipes * sum.cycles);
    p.lds_conflict_share = sum.lds_cycles > 0 ? sum.lds_conflicts / sum.lds_cycles : 0;
    p.l1_hits            = sum.l1_lines > 0 ? 1 - misses / sum.l1_lines : 0;
    p.l2_rate            = sum.l2_bytes / sum.cycles;
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
    line("  predicted %.0f cycles, %.1f us at %.0f MHz", p.cycles, p.microseconds, p.clock_mhz);
    if(m.launch_us > 0)
        line("  not in it: about %.1f us that a launch takes by itself",
             number == 1 ? m.launch_us : m.next_launch_us);
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
         "and unit; beyond L2 %.0f GB/s; memory %.0f GB/s",
         100 * p.lds_share,
         100 * p.lds_conflict_share,
         100 * p.l1_hits,
         p.l2_rate,
         m.last_level_bytes > 0 ? p.last_level_gb_s : p.memory_gb_s,
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
