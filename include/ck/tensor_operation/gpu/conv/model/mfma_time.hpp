#pragma once
// How long an MFMA kernel of forward or backward data will take, so that the best row of a table
// can be chosen without running any. Its constants are fitted to predictions of the emulator's
// timing model for gfx90a, not to times of a GPU: docs/notes/amd_predicted_times.md.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

constexpr bool is_mfma(const GemmTuning& t)
{
    using enum arch::Requirement; // those of MFMA stand together
    const arch::Requirement r = instruction_of(t).requirement;
    return r >= mfma && r <= mfma_f64;
}

/// In clock cycles, of a tuning of MFMA. A unit's workgroups share its four matrix units; one alone
/// waits for its own loads and LDS in each slice.
inline double
predicted_mfma_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    constexpr double simds          = 4;   // of a compute unit
    constexpr double at_a_time      = 3;   // workgroups of a compute unit, by registers, about
    constexpr double bytes_of_cycle = 960; // of memory
    const auto [m, n, k]            = t.block_tile;
    const double bytes              = arch::input_bytes(t.instruction);
    // Cycles of one matrix unit, which does 128 products of f16 in a cycle.
    const double matrix  = 1. * m * n * k * bytes / 256;
    const double working = 240 + 0.88 * matrix / simds;
    const double alone   = 640 + 2.5 * k * bytes + 0.85 * matrix / wave_count(t);
    const double around  = 2500 + 0.27 * m * n; // start and store of a tile
    const auto rounds    = [&](double tiles, double slices) {
        const double of_unit  = std::ceil(tiles / compute_units);
        const double in_turns = of_unit / std::clamp(of_unit, 1., at_a_time);
        const double busy = of_unit * working, waiting = in_turns * alone;
        return slices * (std::max(busy, waiting) + 0.1 * std::min(busy, waiting)) +
               in_turns * around;
    };
    const Memory moved{bytes_of_cycle};
    return moved.overlapped(rounds(shape.tiles, shape.slices) +
                                rounds(shape.last_tiles, shape.last_slices) + shape.more_cycles,
                            shape.bytes) +
           moved.more(shape.more_bytes);
}

} // namespace ck::tensor_operation::device
