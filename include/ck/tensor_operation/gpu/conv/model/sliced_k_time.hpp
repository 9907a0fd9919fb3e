#pragma once
// The predicted time of Pipeline::sliced_k.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// A launch of Pipeline::sliced_k.
struct SlicedKLaunch
{
    double blocks;     ///< of the launch
    double depth;      ///< of the reduction of a block
    double unit;       ///< of it, that a wave multiplies at a time
    double lines;      ///< of memory that a wave's loads of a unit touch, each load's counted alone
    double products;   ///< matrix instructions of a unit
    double bytes;      ///< of the three tensors
    double more_bytes; ///< of partials, written and read
};

/// Returns its clock cycles. Latencies and rates of an H200: a wave waits for its loads once for
/// each block_tile.k of the reduction; a compute unit looks up a line of the cache in a cycle.
inline double predicted_time(const GemmTuning& t, const SlicedKLaunch& l, index_t compute_units)
{
    constexpr double start = 3000, of_wait = 800, of_product = 8, of_block = 150,
                     of_sum = 3500;                        // of partials, by a launch of its own
    const double tile_units = std::ceil(l.depth / l.unit), // of all waves of a reduction
        trips               = std::ceil(l.depth / t.block_tile.k),
                 places     = double{1} * t.block_tile.m * t.block_tile.n / (t.wave_m * t.wave_n),
                 of_unit    = std::ceil(l.blocks / compute_units),
                 together   = std::min(of_unit, double{1} * t.min_blocks_per_cu),
                 working =
                     of_unit *
                     (places * tile_units * std::max(l.lines, of_product * l.products) + of_block),
                 waiting = of_unit / together * trips * of_wait;
    return start + Memory{}.overlapped(waiting + working, l.bytes) +
           (l.more_bytes > 0 ? of_sum + Memory{}.more(l.more_bytes) : 0);
}

} // namespace ck::tensor_operation::device
