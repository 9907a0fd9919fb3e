#pragma once
// How long forward and backward data by channel-slice windows take
// (conv/kernels/channel_slice_window/kernel.hpp). Fitted to predictions of the emulator's timing
// model, not to times of a GPU: docs/notes/grouped_and_depthwise.md.
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"

#include <algorithm>

namespace ck::tensor_operation::device {

/// A launch of Pipeline::channel_slice_windows.
struct ChannelSliceWindowLaunch
{
    double tiles;  ///< of all blocks
    double rounds; ///< tiles of the block with the most
    double blocks; ///< of a compute unit at a time
    double taps;   ///< of the filter
    double halo;   ///< pixels of A that a tile copies
    double bytes;  ///< of the three tensors
};

/// Returns the clock cycles of such a launch. Fitted to predictions for gfx942, f16; differs from
/// 66 of them by 11 % (root of the mean square), at most by 26, from 33 for gfx90a by 16 %, at most
/// by 24, and from 33 for gfx950 by 13 %, at most by 27.
inline double
predicted_time(const GemmTuning& t, const ChannelSliceWindowLaunch& launch, index_t compute_units)
{
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double products           = launch.taps * m * n * k / (i.m * i.n * i.k),
                 loads              = launch.halo * n / t.a_vector;
    constexpr double start      = 6500; // until the first pixels are there, and of the last ones
    constexpr double of_filter  = 200;  // of a thread, before its first tile
    constexpr double of_product = 6.4, of_load = 0.39; // of a compute unit
    constexpr double of_barriers = 1750, of_tap = 440; // that a block, or a wave, alone waits
    const double of_tile = of_product * products + of_load * loads + of_barriers / launch.blocks +
                           of_tap * launch.taps / (launch.blocks * wave_count(t));
    const Memory moved{through_registers.bytes_of_cycle * compute_units};
    return start + of_filter * launch.taps * n * k / block_size(t) +
           moved.overlapped(
               of_tile * std::max(launch.tiles / compute_units, launch.rounds * launch.blocks),
               launch.bytes);
}

} // namespace ck::tensor_operation::device
