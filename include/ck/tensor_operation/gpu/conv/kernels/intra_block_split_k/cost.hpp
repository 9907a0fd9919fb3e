#pragma once
// The predicted time of Pipeline::intra_block_split_k.
#include "ck/tensor_operation/gpu/conv/model/machine/gfx942.hpp"
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// A launch of Pipeline::intra_block_split_k. Numbers of a wave are for one unit of the reduction.
struct IntraBlockSplitKLaunch
{
    double blocks;     ///< blocks of the launch
    double depth;      ///< depth of the reduction of a block
    double unit;       ///< depth that a wave multiplies at a time
    double loads;      ///< loads of a wave
    double sectors;    ///< sectors of 32 bytes that it loads
    double lines;      ///< cache lines that the loads touch, counted for each load
    double bytes;      ///< bytes of the three tensors
    double more_bytes; ///< bytes of partial sums, written and read
};

constexpr const IntraBlockSplitKTimes& intra_block_split_k_times(const GemmTuning& t)
{
    return instruction_of(t).requirement == arch::Requirement::mma_sync
               ? h200::intra_block_split_k
               : machine::gfx942::intra_block_split_k;
}

/// Returns its clock cycles.
inline double
predicted_time(const GemmTuning& t, const IntraBlockSplitKLaunch& l, index_t compute_units)
{
    namespace by_mma                = h200::intra_block_split_k_memory;
    const IntraBlockSplitKTimes& of = intra_block_split_k_times(t);
    const Memory moved              = instruction_of(t).requirement == arch::Requirement::mma_sync
                                          ? Memory{by_mma::bytes_in_a_cycle, by_mma::shown, by_mma::more_part}
                                          : Memory{gfx90a::memory::bytes_of_cycle * compute_units};
    const double tiles    = double{1} * t.block_tile.m * t.block_tile.n / (t.wave_m * t.wave_n),
                 blocks   = std::ceil(l.blocks / compute_units),
                 together = std::max(double{1} * t.min_blocks_per_cu,
                                     by_mma::least_threads / block_size(t)),
                 working  = blocks * tiles * std::ceil(l.depth / l.unit) *
                           (of.load * l.loads + of.sector * l.sectors + of.line * l.lines),
                 waiting =
                     std::ceil(blocks / together) * std::ceil(l.depth / t.block_tile.k) * of.wait;
    return of.start + moved.overlapped(waiting + working, l.bytes) +
           (l.more_bytes > 0 ? of.sums + moved.more(l.more_bytes) : 0);
}

} // namespace ck::tensor_operation::device
