#pragma once
// The predicted time of Pipeline::sliced_k.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// A launch of Pipeline::sliced_k. Of a wave: for what it multiplies at a time, a unit.
struct SlicedKLaunch
{
    double blocks;     ///< of the launch
    double depth;      ///< of the reduction of a block
    double unit;       ///< of it, that a wave multiplies at a time
    double sectors;    ///< of 32 bytes, that a wave loads
    double lines;      ///< of 128 bytes, that its loads touch, each load's counted alone
    double bytes;      ///< of the three tensors
    double more_bytes; ///< of partials, written and read
};

/// Returns its clock cycles. Fitted to an H200's times of 20 problems of backward weight by 5
/// tunings, from which it differs by 5 %; those of one pixel have the same constants.
inline double predicted_time(const GemmTuning& t, const SlicedKLaunch& l, index_t compute_units)
{
    constexpr Memory moved{2760, 0.32, 0.37};
    constexpr double start     = 3000;
    constexpr double of_sector = 0.24, of_line = 0.8; // what a compute unit takes for one
    constexpr double of_wait       = 720;             // until loads of block_tile.k are there
    constexpr double of_sums       = 6000;            // the launch that adds up partials
    constexpr double least_threads = 512; // of a compute unit, whatever registers they have
    const double tiles  = double{1} * t.block_tile.m * t.block_tile.n / (t.wave_m * t.wave_n),
                 blocks = std::ceil(l.blocks / compute_units),
                 together =
                     std::max(double{1} * t.min_blocks_per_cu, least_threads / block_size(t)),
                 working = blocks * tiles * std::ceil(l.depth / l.unit) *
                           (of_sector * l.sectors + of_line * l.lines),
                 waiting =
                     std::ceil(blocks / together) * std::ceil(l.depth / t.block_tile.k) * of_wait;
    return start + moved.overlapped(waiting + working, l.bytes) +
           (l.more_bytes > 0 ? of_sums + moved.more(l.more_bytes) : 0);
}

} // namespace ck::tensor_operation::device
