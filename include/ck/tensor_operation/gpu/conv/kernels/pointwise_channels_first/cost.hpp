#pragma once
// The predicted time of Pipeline::pointwise_channels_first.
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// A launch of Pipeline::pointwise_channels_first.
struct ChannelsFirstLaunch
{
    double runs;         ///< runs of pixels; a wave takes one at a time
    double tiles;        ///< tiles of C's channels, one per instruction
    double column_tiles; ///< tiles of columns; blocks of each read A once more
    double bytes;        ///< bytes of the three tensors
    double a_bytes;      ///< bytes of A
};

/// Returns the clock cycles of such a launch.
inline double
predicted_time(const GemmTuning& t, const ChannelsFirstLaunch& l, index_t compute_units)
{
    const ChannelsFirstTimes& of = is_mfma(t) ? gfx90a::channels_first : h200::channels_first;
    const Memory moved =
        of.bytes_of_cycle > 0 ? Memory{of.bytes_of_cycle * compute_units} : Memory{};
    const arch::MatrixInstruction i = instruction_of(t);
    const double steps              = double{1} * t.block_tile.k / i.k,
                 products           = steps * l.tiles * t.channels_first.vector,
                 loads = steps * i.b_values * l.column_tiles, stores = l.tiles * i.c_values;
    const double run =
        of.product * products + of.load * loads + of.store * stores + of.run * l.column_tiles;
    // A wave loads 16 elements per lane at a time: what a few instructions take.
    const double filters = steps * std::min(l.tiles, double{1} * t.block_tile.n / i.m),
                 waiting = std::ceil(filters * i.a_values / (16. * wave_count(t)));
    return of.start + of.filters * waiting +
           moved.overlapped(l.runs * run / compute_units,
                            l.bytes + of.again * l.a_bytes * (l.column_tiles - 1));
}

} // namespace ck::tensor_operation::device
