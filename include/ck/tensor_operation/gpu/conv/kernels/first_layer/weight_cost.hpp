#pragma once
// The predicted time of backward weight of first layers (Pipeline::first_layer), of what its blocks
// copy, read from LDS and multiply: counted, and twice that, as an H200 takes it
// (docs/notes/first_layers.md).
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// A launch of backward weight by Pipeline::first_layer.
struct FirstLayerWeightLaunch
{
    double blocks;     ///< blocks of the launch
    double tiles;      ///< tiles of the block that has the most
    double halo;       ///< pixels of X that a tile copies
    double columns;    ///< blocks that read the same tiles, of other channels and packs
    double bytes;      ///< bytes of the three tensors
    double more_bytes; ///< bytes of partial sums, written and read
};

/// Returns its clock cycles.
inline double
predicted_time(const GemmTuning& t, const FirstLayerWeightLaunch& l, index_t compute_units)
{
    namespace of                    = h200::first_layer_weight;
    const arch::MatrixInstruction i = instruction_of(t);
    constexpr double line           = h200::unit::lds_bytes;
    const double steps              = double{1} * t.block_tile.k / i.k,
                 waves              = double{1} * wave_count(t) / t.sliced.waves,
                 products = steps * (t.block_tile.m / i.m) * (double{1} * t.block_tile.n / i.n),
                 of_step  = waves * (t.wave_m + t.wave_n) * i.k * 2 / line, // lines that are read
        written =
            (double{1} * t.block_tile.k * t.block_tile.m + l.halo * t.window.vector) * 2 / line,
                 of_pixel       = of::pixel + of::pixel_vector * t.window.vector / t.b_vector,
                 copying        = l.halo * of_pixel + t.block_tile.k * t.block_tile.m / 8. * of::dy;
    constexpr double of_copying = 1 / h200::unit::instructions;
    constexpr Memory moved{of::bytes_in_a_cycle};
    const double longer = t.b_vector == of::past_registers ? of::longer_past_registers
                          : t.wave_n >= of::many_packs     ? of::longer_of_many_packs
                                                           : of::longer;
    const double tile   = std::max({of::product * products,
                                    steps * of_step + written,
                                    of_copying * copying}) +
                        of_copying * copying / 2 + of::tile,
                 places = double{1} * compute_units * t.min_blocks_per_cu,
                 together =
                     std::min(double{1} * t.min_blocks_per_cu, std::ceil(l.blocks / compute_units)),
                 working = std::ceil(l.blocks / places) * l.tiles * together * longer * tile;
    return of::start + moved.overlapped(working, l.bytes * (1 + of::again * (l.columns - 1))) +
           (l.more_bytes > 0 ? of::sums + moved.more(l.more_bytes) : 0);
}

} // namespace ck::tensor_operation::device
