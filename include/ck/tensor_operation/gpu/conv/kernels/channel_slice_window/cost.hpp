#pragma once
// Predicted time of forward and backward data by channel-slice windows
// (conv/kernels/channel_slice_window/kernel.hpp): docs/notes/grouped_and_depthwise.md.
#include "ck/tensor_operation/gpu/conv/model/machine/gfx942.hpp"
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"

#include <algorithm>

namespace ck::tensor_operation::device {

/// A launch of Pipeline::channel_slice_windows.
struct ChannelSliceWindowLaunch
{
    double tiles;  ///< tiles of all blocks
    double rounds; ///< tiles of the block with the most
    double blocks; ///< blocks on a compute unit at a time
    double taps;   ///< taps of the filter
    double halo;   ///< pixels of A that a tile copies
    double bytes;  ///< bytes of the three tensors
};

/// Returns the clock cycles of such a launch.
inline double
predicted_time(const GemmTuning& t, const ChannelSliceWindowLaunch& launch, index_t compute_units)
{
    namespace of                    = machine::gfx942::channel_slice_window;
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double products           = launch.taps * m * n * k / (i.m * i.n * i.k),
                 loads              = launch.halo * n / t.a_vector;
    const double of_tile            = of::product * products + of::load * loads +
                           of::barriers / launch.blocks +
                           of::tap * launch.taps / (launch.blocks * wave_count(t));
    const Memory moved{gfx90a::memory::bytes_of_cycle * compute_units};
    return of::start + of::filter * launch.taps * n * k / block_size(t) +
           moved.overlapped(
               of_tile * std::max(launch.tiles / compute_units, launch.rounds * launch.blocks),
               launch.bytes);
}

} // namespace ck::tensor_operation::device
