#pragma once
// The predicted time of Pipeline::pointwise_planes.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

namespace ck::tensor_operation::device {

/// A launch of Pipeline::pointwise_planes.
struct PlanesLaunch
{
    double runs;         ///< of pixels, each a wave's at a time
    double tiles;        ///< of C's channels, of an instruction each
    double column_tiles; ///< of blocks: each reads A once more, from the cache
    double bytes;        ///< of the three tensors
};

/// What a compute unit takes, in clock cycles. Counted, not fitted: a third more than it takes to
/// issue the instructions of sm_90a, 13 of a load, 21 of a store, 43 of a run beside these.
struct PlanesTimes
{
    double start      = 2000; ///< of a launch
    double of_filters = 500;  ///< of a wave's load of filters, each behind the other
    double of_product = 2;    ///< of a matrix instruction; mma.sync takes 1.6
    double of_load    = 4.3;  ///< of a vector of pixels of each lane, with its permutation
    double of_store   = 7;    ///< of such a vector, with its conversion
    double of_run     = 14;
    double again      = 0.05; ///< the share of the bytes that moves again for a further column tile
    Memory moved{};
};

/// Returns the clock cycles of such a launch.
inline double predicted_time(const GemmTuning& t, const PlanesLaunch& l, index_t compute_units)
{
    constexpr PlanesTimes of;
    const arch::MatrixInstruction i = instruction_of(t);
    const double steps              = double{1} * t.block_tile.k / i.k,
                 products           = steps * l.tiles * t.planes.vector,
                 loads = steps * i.b_values * l.column_tiles, stores = l.tiles * i.c_values;
    const double run = of.of_product * products + of.of_load * loads + of.of_store * stores +
                       of.of_run * l.column_tiles;
    // A wave loads 16 elements a lane at a time: what a few instructions take.
    const double filters = steps * std::min(l.tiles, double{1} * t.block_tile.n / i.m),
                 waiting = std::ceil(filters * i.a_values / (16. * wave_count(t)));
    return of.start + of.of_filters * waiting +
           of.moved.overlapped(l.runs * run / compute_units,
                               l.bytes * (1 + of.again * (l.column_tiles - 1)));
}

} // namespace ck::tensor_operation::device
