#pragma once
// The predicted time of Pipeline::pointwise_channels_first.
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// A launch of Pipeline::pointwise_channels_first.
struct PlanesLaunch
{
    double runs;         ///< of pixels, each a wave's at a time
    double tiles;        ///< of C's channels, of an instruction each
    double column_tiles; ///< of blocks: each reads A once more
    double bytes;        ///< of the three tensors
    double a_bytes;      ///< of A
};

/// In clock cycles; all but the first two of a compute unit.
struct PlanesTimes
{
    double start;      ///< of a launch
    double of_filters; ///< of a wave's load of filters, each after the other
    double of_product; ///< of a matrix instruction
    double of_load;    ///< of a vector of pixels of each lane, with its permutation
    double of_store;   ///< of such a vector, with its conversion
    double of_run;     ///< of pixels, beside these
    double again;      ///< the share of A that counts again for a further column tile
    Memory moved;
};

/// Counted, not fitted to times: a third more than it takes to issue the instructions of sm_90a, 13
/// of a load, 21 of a store, 43 of a run beside these; mma.sync takes 1.6 cycles.
inline constexpr PlanesTimes planes_by_mma{.start      = 2000,
                                           .of_filters = 500,
                                           .of_product = 2,
                                           .of_load    = 4.3,
                                           .of_store   = 7,
                                           .of_run     = 14,
                                           .again      = 0.3,
                                           .moved      = {}};
/// Fitted to predictions of the timing model for gfx90a and gfx942, 11 problems of f16 by 5
/// tunings, from which it differs by 9 %.
constexpr PlanesTimes planes_by_mfma(index_t compute_units)
{
    return {.start      = 7600,
            .of_filters = 2700,
            .of_product = 9.6,
            .of_load    = 8,
            .of_store   = 0,
            .of_run     = 0,
            .again      = 1.9,
            .moved      = {10.6 * compute_units}};
}

/// Returns the clock cycles of such a launch.
inline double predicted_time(const GemmTuning& t, const PlanesLaunch& l, index_t compute_units)
{
    const PlanesTimes of            = is_mfma(t) ? planes_by_mfma(compute_units) : planes_by_mma;
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
                               l.bytes + of.again * l.a_bytes * (l.column_tiles - 1));
}

} // namespace ck::tensor_operation::device
