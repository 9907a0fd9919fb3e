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
    double blocks;     ///< of the launch
    double tiles;      ///< of a block, the most
    double halo;       ///< pixels of X that a tile copies
    double columns;    ///< blocks that read the same tiles, of other channels and packs
    double bytes;      ///< of the three tensors
    double more_bytes; ///< of partial sums, written and read
};

/// Returns its clock cycles.
inline double
predicted_time(const GemmTuning& t, const FirstLayerWeightLaunch& l, index_t compute_units)
{
    const arch::MatrixInstruction i = instruction_of(t);
    constexpr double line           = 128; // bytes that LDS reads or writes in a cycle
    const double steps              = double{1} * t.block_tile.k / i.k,
                 waves              = double{1} * wave_count(t) / t.sliced.waves,
                 products = steps * (t.block_tile.m / i.m) * (double{1} * t.block_tile.n / i.n),
                 of_step  = waves * (t.wave_m + t.wave_n) * i.k * 2 / line, // lines that are read
        written =
            (double{1} * t.block_tile.k * t.block_tile.m + l.halo * t.window.vector) * 2 / line,
                 of_pixel = 30 + 4. * t.window.vector / t.b_vector, // instructions, to copy it
        of_dy             = 18,                                     // of 16 bytes
        copying           = l.halo * of_pixel + t.block_tile.k * t.block_tile.m / 8. * of_dy;
    // What a compute unit takes for one of each, in clock cycles.
    constexpr double of_product = 1.6, of_copying = 1. / 128, of_tile = 300;
    // The share of the bytes that comes from the cache for each further block that reads them.
    constexpr double again = 0.4, start = 3000, of_sums = 6000;
    constexpr Memory moved{2400};
    // How many times as long as counted an H200 takes: for pixels that are copied past the
    // registers, for waves with many packs, and for the others. Fitted to 17 times of nine
    // problems, f16, which differ by 7 %.
    const double longer = t.b_vector == 8 ? 1.55 : t.wave_n >= 56 ? 2 : 2.4;
    const double tile =
                     std::max(
                         {of_product * products, steps * of_step + written, of_copying * copying}) +
                     of_copying * copying / 2 + of_tile,
                 places = double{1} * compute_units * t.min_blocks_per_cu,
                 together =
                     std::min(double{1} * t.min_blocks_per_cu, std::ceil(l.blocks / compute_units)),
                 working = std::ceil(l.blocks / places) * l.tiles * together * longer * tile;
    return start + moved.overlapped(working, l.bytes * (1 + again * (l.columns - 1))) +
           (l.more_bytes > 0 ? of_sums + moved.more(l.more_bytes) : 0);
}

} // namespace ck::tensor_operation::device
