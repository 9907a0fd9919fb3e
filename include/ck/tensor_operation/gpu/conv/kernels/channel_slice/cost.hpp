#pragma once
// How long forward and backward data by channel slices take
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
    double tiles;    ///< of a workgroup, the most
    double read;     ///< 128 bytes that warps read from LDS for a tile, on average
    double products; ///< instructions of a tile, on average
    double lines;    ///< copied for a tile, on average
    double filters;  ///< of a workgroup, as an instruction takes them of 32 lanes
    double bytes;    ///< of the three tensors
};

/// Returns the clock cycles of such a launch.
inline double
predicted_time(const GemmTuning& t, const ChannelSliceLaunch& launch, index_t compute_units)
{
    constexpr double start_cycles   = 6000; // until the first tile is there
    constexpr double tile_cycles    = 400;  // of a tile's rows and barriers, not hidden
    constexpr double filter_cycles  = 12;   // a quarter of the instructions that load them
    constexpr double product_cycles = 2;    // of mma.sync, 16 x 8 x 16 elements of two bytes
    constexpr double line_cycles    = 5;    // of the copying engine
    constexpr index_t enough_warps  = 16;   // on a compute unit; fewer wait for each other
    const double waits              = wave_count(t) * t.min_blocks_per_cu < enough_warps ? 1.25 : 1,
                 stored             = 4. * t.block_tile.m, // 128 bytes to LDS and back
        tile                        = std::max({waits * (launch.read + launch.lines + stored),
                                                waits * product_cycles * launch.products,
                                                line_cycles * launch.lines}) +
               tile_cycles,
                 // Workgroups on a compute unit at a time. One alone takes as long as two.
        together = std::clamp(std::ceil(launch.blocks / compute_units),
                              std::min(2., double{1} * t.min_blocks_per_cu),
                              double{1} * t.min_blocks_per_cu);
    return Memory{}.overlapped(
        start_cycles + together * (filter_cycles * launch.filters + launch.tiles * tile),
        launch.bytes);
}

} // namespace ck::tensor_operation::device
