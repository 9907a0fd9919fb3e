#pragma once
// How long backward weight by channel slices takes (conv/kernels/channel_slice/weight_kernel.hpp),
// from what its warps read, multiply and copy. Each row has a line of its own (measured_time.hpp).
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// A launch of backward weight by channel slices.
struct ChannelSliceWeightLaunch
{
    double blocks;   ///< workgroups
    double tiles;    ///< tiles of the workgroup that has the most
    double read;     ///< 128 bytes that warps read from LDS, of a tile
    double products; ///< instructions of a tile
    double lines;    ///< copied for a tile
    double bytes;
    double more_bytes; ///< bytes of partial sums, written and read
};

/// Returns the clock cycles of such a launch.
inline double
predicted_time(const GemmTuning& t, const ChannelSliceWeightLaunch& launch, index_t compute_units)
{
    namespace of          = h200::channel_slice_weight;
    const double tile     = std::max({launch.read + launch.lines,
                                      of::product * launch.products,
                                      copy_line_cycles * launch.lines}),
                 places   = double{1} * compute_units * t.min_blocks_per_cu,
                 together = // workgroups on a compute unit at a time
                 std::min(double{1} * t.min_blocks_per_cu,
                          std::ceil(launch.blocks / compute_units));
    const Memory moved = memory(t, true);
    return moved.overlapped(of::start + std::ceil(launch.blocks / places) *
                                            (together * launch.tiles * tile + of::store),
                            launch.bytes) +
           moved.more(launch.more_bytes);
}

} // namespace ck::tensor_operation::device
