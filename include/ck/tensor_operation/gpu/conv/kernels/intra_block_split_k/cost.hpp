#pragma once
// The predicted time of Pipeline::intra_block_split_k.
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// A launch of Pipeline::intra_block_split_k. Of a wave: for what it multiplies at a time, a unit.
struct IntraBlockSplitKLaunch
{
    double blocks;     ///< of the launch
    double depth;      ///< of the reduction of a block
    double unit;       ///< of it, that a wave multiplies at a time
    double loads;      ///< of a wave
    double sectors;    ///< of 32 bytes, that it loads
    double lines;      ///< of the cache, that its loads touch, each load's counted alone
    double bytes;      ///< of the three tensors
    double more_bytes; ///< of partial sums, written and read
};

/// What its times are made of, in clock cycles.
struct IntraBlockSplitKTimes
{
    Memory moved;
    double start;
    double of_load, of_sector, of_line; ///< what a compute unit takes for one
    double of_wait;                     ///< until loads of block_tile.k are there
    double of_sums;                     ///< the launch that adds up partial sums
    index_t line;                       ///< bytes
};

/// Fitted to an H200's times of 20 problems of backward weight by 5 tunings, from which it differs
/// by 5 %; those of one pixel have the same constants.
inline constexpr IntraBlockSplitKTimes intra_block_split_k_by_mma{.moved     = {2760, 0.32, 0.37},
                                                                  .start     = 3000,
                                                                  .of_load   = 0,
                                                                  .of_sector = 0.24,
                                                                  .of_line   = 0.8,
                                                                  .of_wait   = 720,
                                                                  .of_sums   = 6000,
                                                                  .line      = 128};
/// Matrix instructions of AMD: fitted to predictions of the timing model for gfx942, 6 problems of
/// one pixel in two directions by 10 tunings, from which it differs by 15 %.
constexpr IntraBlockSplitKTimes intra_block_split_k_by_mfma(index_t compute_units)
{
    return {.moved     = {through_registers.bytes_of_cycle * compute_units},
            .start     = 1840,
            .of_load   = 6,
            .of_sector = 0,
            .of_line   = 3,
            .of_wait   = 570,
            .of_sums   = 6000,
            .line      = 64};
}
constexpr IntraBlockSplitKTimes intra_block_split_k_times(const GemmTuning& t,
                                                          index_t compute_units)
{
    return instruction_of(t).requirement == arch::Requirement::mma_sync
               ? intra_block_split_k_by_mma
               : intra_block_split_k_by_mfma(compute_units);
}

/// Returns its clock cycles.
inline double
predicted_time(const GemmTuning& t, const IntraBlockSplitKLaunch& l, index_t compute_units)
{
    const IntraBlockSplitKTimes of = intra_block_split_k_times(t, compute_units);
    constexpr double least_threads = 512; // of a compute unit, whatever registers they have
    const double tiles  = double{1} * t.block_tile.m * t.block_tile.n / (t.wave_m * t.wave_n),
                 blocks = std::ceil(l.blocks / compute_units),
                 together =
                     std::max(double{1} * t.min_blocks_per_cu, least_threads / block_size(t)),
                 working = blocks * tiles * std::ceil(l.depth / l.unit) *
                           (of.of_load * l.loads + of.of_sector * l.sectors + of.of_line * l.lines),
                 waiting = std::ceil(blocks / together) * std::ceil(l.depth / t.block_tile.k) *
                           of.of_wait;
    return of.start + of.moved.overlapped(waiting + working, l.bytes) +
           (l.more_bytes > 0 ? of.of_sums + of.moved.more(l.more_bytes) : 0);
}

} // namespace ck::tensor_operation::device
