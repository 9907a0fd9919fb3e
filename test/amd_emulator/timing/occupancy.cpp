// Registers are divided among the waves of a SIMD, LDS and places among the workgroups of a unit.
#include "occupancy.hpp"

#include <algorithm>
#include <cmath>

namespace emu::timing {
namespace {
double round_up(double x, double step) { return std::ceil(x / step) * step; }
} // namespace

Occupancy occupancy(const Machine& m, const Footprint& f)
{
    // Registers of waves of 64 lanes are two of 32 lanes' where a SIMD has 32.
    const double width     = m.lanes_a_cycle == 32 && f.wave_size == 64 ? 2 : 1;
    const double registers = round_up(std::max(1, f.registers), m.register_granule / width);
    const auto waves       = static_cast<int>(
        std::min(m.waves_a_simd, std::floor(m.vector_registers / width / registers)));
    const int by_registers = static_cast<int>(waves * m.simds) / f.waves();
    const int by_lds =
        f.lds == 0 ? by_registers : static_cast<int>(m.lds_bytes / round_up(f.lds, m.lds_granule));
    // Workgroups of more than one wave need a barrier each.
    const int places = f.waves() > 1 ? static_cast<int>(m.barriers) : by_registers;
    const int all    = std::min({by_registers, by_lds, places});
    return {waves, all, all == by_registers ? "registers" : all == by_lds ? "LDS" : "barriers"};
}

} // namespace emu::timing
