// Addresses of an instruction become cycles of the LDS, or lines and cycles of the vector L1.
#include "trace.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace emu::timing {
namespace {

/// The phase in which a lane reads or writes `bytes` bytes. Reads of sixteen bytes pair lanes 0-3
/// with 20-23, 4-7 with 16-19 and so on where there are 32 banks (ROCm documentation, LDS bank
/// conflicts; CDNA3).
int phase_of(const Machine& m, int lane, int bytes, bool write)
{
    const int lanes = static_cast<int>(m.lds_banks) * 4 / (bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16);
    if(bytes == 16 && !write && m.lds_banks == 32 && m.turn == 4)
    {
        const int quad = lane % 32 / 4; // 0..7
        return lane / 32 * 4 + (quad < 4 ? quad : (quad - 4) ^ 1);
    }
    return lane / lanes;
}

} // namespace

LdsTime lds_time(const Machine& m, std::span<const Access> accesses, bool write)
{
    const int banks = static_cast<int>(m.lds_banks);
    std::map<int, int> passes;                                    // passes of each lane
    std::map<std::pair<int, int>, std::set<std::uint64_t>> words; // words that a phase touches
    for(const Access& a : accesses)
    {
        const int pass  = passes[a.lane]++;
        const int phase = phase_of(m, a.lane, static_cast<int>(a.bytes), write);
        for(std::uint64_t word = a.address / 4; word <= (a.address + a.bytes - 1) / 4; ++word)
            words[{pass, phase}].insert(word);
    }
    LdsTime time;
    for(const auto& [key, touched] : words)
    {
        std::vector<int> of_bank(banks);
        int most = 1;
        for(const std::uint64_t word : touched)
            most = std::max(most, ++of_bank[word % banks]);
        time.cycles += most;
        time.conflicts += most - 1;
    }
    return time;
}

void add_memory_step(const Machine& m,
                     WaveTrace& wave,
                     std::uint32_t instruction,
                     std::span<const Access> accesses,
                     int wave_size,
                     const std::function<std::uint32_t(std::uint64_t)>& source_of)
{
    constexpr int piece     = 64;
    const int together      = static_cast<int>(m.address_lanes);
    const auto line_bytes   = static_cast<std::uint64_t>(m.l1_line);
    const std::size_t first = wave.lines.size();
    std::set<std::pair<int, std::uint64_t>> pieces;
    std::map<std::uint64_t, std::uint64_t> lines; // number, an address in it
    double moved = 0; // a line that many lanes read goes to each of them
    for(const Access& a : accesses)
    {
        moved += a.bytes;
        for(std::uint64_t p = a.address / piece; p <= (a.address + a.bytes - 1) / piece; ++p)
            pieces.insert({a.lane / together, p});
        for(std::uint64_t l = a.address / line_bytes; l <= (a.address + a.bytes - 1) / line_bytes;
            ++l)
            lines.emplace(l, a.address);
    }
    for(const auto& [number, address] : lines)
        wave.lines.push_back({number, source_of(address)});
    const double data =
        std::ceil(std::max(static_cast<double>(pieces.size()) * piece, moved) / m.l1_rate);
    Step step{instruction};
    step.first_line = static_cast<std::uint32_t>(first);
    step.lines      = static_cast<std::uint16_t>(lines.size());
    step.cycles =
        static_cast<std::uint16_t>(std::max(data, std::ceil(wave_size / m.address_lanes)));
    wave.steps.push_back(step);
}

} // namespace emu::timing
