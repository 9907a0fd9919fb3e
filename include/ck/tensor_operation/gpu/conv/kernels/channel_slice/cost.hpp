#pragma once
// Predicted time of forward and backward data by channel slices
// (conv/kernels/channel_slice/kernel.hpp), from what a tile reads, multiplies and copies:
// docs/notes/grouped_and_depthwise.md.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// A launch of forward or backward data by channel slices.
struct ChannelSliceLaunch
{
    double blocks;   ///< workgroups
    double tiles;    ///< tiles of the workgroup that has the most
    double read;     ///< 128 bytes that warps read from LDS for a tile, on average
    double products; ///< instructions of a tile, on average
    double lines;    ///< copied for a tile, on average
    double filters;  ///< filters of a workgroup, in packs that 32 lanes load
    double bytes;    ///< bytes of the three tensors
};

/// Returns the clock cycles of such a launch.
inline double
predicted_time(const GemmTuning& t, const ChannelSliceLaunch& launch, index_t compute_units)
{
    namespace of        = h200::channel_slice;
    const double waits  = wave_count(t) * t.min_blocks_per_cu < of::enough_warps ? of::waits : 1,
                 stored = of::store * t.block_tile.m,
                 tile   = std::max({waits * (launch.read + launch.lines + stored),
                                    waits * of::product * launch.products,
                                    of::line * launch.lines}) +
                        of::tile,
                 // Workgroups resident on a compute unit at once.
        together = std::clamp(std::ceil(launch.blocks / compute_units),
                              std::min(of::least_blocks, double{1} * t.min_blocks_per_cu),
                              double{1} * t.min_blocks_per_cu);
    return Memory{}.overlapped(
        of::start + together * (of::filter * launch.filters + launch.tiles * tile), launch.bytes);
}

} // namespace ck::tensor_operation::device
