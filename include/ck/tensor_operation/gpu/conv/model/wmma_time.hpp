#pragma once
// How long a WMMA kernel of forward or backward data will take, so that the best row of a table can
// be chosen without running any. Its constants are fitted to predictions of the emulator's timing
// model, not to times of a GPU: docs/notes/amd_predicted_times.md.
#include "ck/tensor_operation/gpu/conv/model/first_layer_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/pointwise_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/unit_time.hpp"

#include <algorithm>
#include <limits>

namespace ck::tensor_operation::device {

constexpr bool is_wmma(const GemmTuning& t) { return arch::is_wmma(instruction_of(t).requirement); }

/// Fitted to 144 predictions for gfx1100, from which they differ by 12 %.
inline constexpr UnitTimes wmma_of_gfx11{.matrix         = 0.943,
                                         .store          = 0.153,
                                         .alone          = 653,
                                         .wave           = 0.0345,
                                         .around         = 1230,
                                         .element        = 0.0883,
                                         .waves          = 15.2,
                                         .both           = 0.56,
                                         .bytes_of_cycle = 7.81};
/// The same for gfx1200: 23 %.
inline constexpr UnitTimes wmma_of_gfx12{.matrix         = 0.779,
                                         .store          = 0.0253,
                                         .alone          = 419,
                                         .wave           = 0.848,
                                         .around         = 2830,
                                         .element        = 0.401,
                                         .waves          = 12.5,
                                         .both           = 0,
                                         .bytes_of_cycle = 6.54};

constexpr bool is_of_gfx11(const GemmTuning& t)
{
    return instruction_of(t).requirement == arch::Requirement::wmma_gfx11;
}

/// Returns the clock cycles of a tuning of WMMA, forward or backward data.
inline double
predicted_wmma_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    const UnitTimes& of = is_of_gfx11(t) ? wmma_of_gfx11 : wmma_of_gfx12;
    // Loads of a wave, whose places merged taps and channels look up one by one. Fitted to 72
    // predictions for gfx1100, from which the whole differs by 14 %.
    const auto [m, n, k] = t.block_tile;
    const bool merged    = t.reduction == Reduction::merged;
    const double a_loads = merged ? m * k / (32. * t.a_vector) : 0,
                 b_loads = merged ? n * k / (32. * t.b_vector) : 0;
    // LDS has room for more than wait for each other.
    constexpr double room = std::numeric_limits<double>::infinity();
    const double cycles =
        unit_cycles(of, t, shape, compute_units, {10 * b_loads, 5 * a_loads}, room);
    const Memory moved{of.bytes_of_cycle * compute_units};
    return moved.overlapped(cycles + shape.more_cycles, shape.bytes) + moved.more(shape.more_bytes);
}

/// Returns the clock cycles of Pipeline::pointwise by WMMA. Fitted to predictions of the timing
/// model for gfx1100 and gfx1200, 13 problems of f16 by 8 tunings, from which it differs by 10 and
/// 11 %.
inline double
predicted_wmma_time(const GemmTuning& t, const PointwiseLaunch& launch, index_t compute_units)
{
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double sub_tiles          = launch.tiles * m / i.m, // of the rows of an instruction
        columns = 1. * n / i.n, products = columns * k / i.k;
    constexpr double of_filter  = 6.4;                  // of a block, which waits for its filters
    constexpr double of_product = 0.92, of_column = 52; // of a compute unit
    constexpr double again = 0.89;                      // of A, for each further tile of columns
    const Memory moved{(is_of_gfx11(t) ? 8.9 : 7.1) * compute_units};
    return of_filter * n * k +
           moved.overlapped(sub_tiles * (of_product * products + of_column * columns) /
                                compute_units,
                            launch.bytes + again * launch.a_bytes * (launch.column_tiles - 1));
}

/// Returns the clock cycles of Pipeline::first_layer by WMMA. Fitted to predictions of the timing
/// model for gfx1200, 11 problems of f16 by 6 tunings, from which it differs by 9 %.
inline double
predicted_wmma_time(const GemmTuning& t, const FirstLayerLaunch& launch, index_t compute_units)
{
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double products           = launch.rows * k / i.k * (1. * m * n / (i.m * i.n)),
                 stores             = 1. * m * n / t.c_vector,
                 loads = launch.halo * t.window.vector / t.a_vector, filters = launch.rows * k * n;
    // What a compute unit takes for one of each of a tile.
    constexpr double of_product = 1.6, of_store = 0.832, of_load = 0.366;
    constexpr double of_filter = 106; // of a thread, before its first tile
    const Memory moved{7.15 * compute_units};
    return of_filter * filters / block_size(t) +
           moved.overlapped(
               (of_product * products + of_store * stores + of_load * loads) *
                   std::max(launch.tiles / compute_units, launch.rounds * launch.blocks),
               launch.bytes);
}

} // namespace ck::tensor_operation::device
