#pragma once
// How long forward and backward data by window slabs take (grid/gridwise_window_slab_conv.hpp):
// docs/notes/group_slabs.md.
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"

#include <algorithm>

namespace ck::tensor_operation::device {

/// A launch of Pipeline::window_slabs.
struct WindowSlabLaunch
{
    double tiles;  ///< of all blocks
    double rounds; ///< tiles of the block with the most
    double blocks; ///< of a compute unit at a time
    double taps;   ///< of the filter
    double halo;   ///< pixels of A that a tile copies
    double bytes;  ///< of the three tensors
};

/// Returns the clock cycles of Pipeline::window_slabs.
inline double predicted_window_slab_time(const GemmTuning& t,
                                         const WindowSlabLaunch& launch,
                                         index_t compute_units)
{
    const auto [m, n, k] = t.block_tile;
    const double of_tile = launch.taps * m * n * k / 4096. + launch.halo * n / 8;
    const Memory moved{through_registers.bytes_of_cycle * compute_units};
    return moved.overlapped(
        of_tile * std::max(launch.tiles / compute_units, launch.rounds * launch.blocks),
        launch.bytes);
}

} // namespace ck::tensor_operation::device
