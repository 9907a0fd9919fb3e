#pragma once
// How long a WMMA kernel will take, so that the best row of a table can be chosen without running
// any. Its constants are fitted to predictions of the emulator's timing model, not to times of a
// GPU: docs/notes/amd_predicted_times.md.
#include "ck/tensor_operation/gpu/conv/model/first_layer_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

constexpr bool is_wmma(const GemmTuning& t)
{
    const arch::Requirement r = instruction_of(t).requirement;
    return r == arch::Requirement::wmma_gfx11 || r == arch::Requirement::wmma_gfx12;
}

/// What a kernel's times are made of, in clock cycles of a compute unit: two CUs of RDNA, which
/// share LDS.
struct WmmaTimes
{
    double matrix;         ///< of a slice's products, where each SIMD does 128 of f16 in a cycle
    double store;          ///< of an element of C
    double alone;          ///< that a workgroup alone waits in a slice: in all,
    double wave;           ///< and for its products, those of a wave
    double around;         ///< that it waits at the start and the end of a tile,
    double element;        ///< and for its elements
    double waves;          ///< of a unit that hide each other's waits
    double both;           ///< of the shorter of work and waiting
    double bytes_of_cycle; ///< of memory, of each unit
};

/// Fitted to 144 predictions for gfx1100, from which they differ by 12 %.
inline constexpr WmmaTimes wmma_of_gfx11{.matrix         = 0.943,
                                         .store          = 0.153,
                                         .alone          = 653,
                                         .wave           = 0.0345,
                                         .around         = 1230,
                                         .element        = 0.0883,
                                         .waves          = 15.2,
                                         .both           = 0.56,
                                         .bytes_of_cycle = 7.81};
/// The same for gfx1200: 23 %.
inline constexpr WmmaTimes wmma_of_gfx12{.matrix         = 0.779,
                                         .store          = 0.0253,
                                         .alone          = 419,
                                         .wave           = 0.848,
                                         .around         = 2830,
                                         .element        = 0.401,
                                         .waves          = 12.5,
                                         .both           = 0,
                                         .bytes_of_cycle = 6.54};

/// What times of backward weight are made of: threads find the place of each load anew in every
/// slice, and a launch of its own adds up the partials.
struct WmmaWeightTimes
{
    WmmaTimes tiles;
    double load;   ///< of a wave in a slice: what it takes,
    double waits;  ///< and what a workgroup alone waits for it
    double to_add; ///< partials, beside what is read of them
};

/// Fitted to 185 predictions for gfx1100, from which they differ by 11 %; from 134 others by 9 %.
inline constexpr WmmaWeightTimes wmma_weight_of_gfx11{.tiles  = {.matrix         = 0.995,
                                                                 .store          = 0.110,
                                                                 .alone          = 907,
                                                                 .wave           = 0,
                                                                 .around         = 2490,
                                                                 .element        = 0.260,
                                                                 .waves          = 18.6,
                                                                 .both           = 0.33,
                                                                 .bytes_of_cycle = 8.81},
                                                      .load   = 2.33,
                                                      .waits  = 2.29,
                                                      .to_add = 3460};
/// Fitted to 130 predictions for gfx1200, from which they differ by 15 %; from 117 others by 15 %.
inline constexpr WmmaWeightTimes wmma_weight_of_gfx12{.tiles  = {.matrix         = 0.707,
                                                                 .store          = 0.191,
                                                                 .alone          = 1020,
                                                                 .wave           = 0,
                                                                 .around         = 2320,
                                                                 .element        = 0.256,
                                                                 .waves          = 27.3,
                                                                 .both           = 0,
                                                                 .bytes_of_cycle = 8.05},
                                                      .load   = 2.23,
                                                      .waits  = 3.33,
                                                      .to_add = 4030};

constexpr bool is_of_gfx11(const GemmTuning& t)
{
    return instruction_of(t).requirement == arch::Requirement::wmma_gfx11;
}

/// Returns the clock cycles of all tiles, without what memory takes. A unit's workgroups share its
/// four SIMDs; some at a time wait for their own loads and LDS in each slice, and where tiles start
/// and end. working, alone: what a slice takes beside its products, of the unit and of a workgroup
/// that waits.
inline double wmma_tile_cycles(const WmmaTimes& of,
                               const GemmTuning& t,
                               const LaunchShape& shape,
                               index_t compute_units,
                               double working,
                               double alone)
{
    constexpr double simds = 4, products = 128;
    const auto [m, n, k] = t.block_tile;
    const double waves = wave_count(t), elements = 1. * m * n,
                 matrix = elements * k * arch::input_bytes(t.instruction) / 2 /
                          products; // cycles of one SIMD
    const double at_a_time = std::max(1., of.waves / waves);
    const double of_unit   = std::ceil(shape.tiles / compute_units);
    const double in_turns  = of_unit / std::clamp(of_unit, 1., at_a_time);
    const double busy      = of_unit * (shape.slices * (of.matrix * matrix / simds + working) +
                                   of.store * elements),
                 waiting =
                     in_turns * (shape.slices * (of.alone + of.wave * matrix / waves + alone) +
                                 of.around + of.element * elements);
    return std::max(busy, waiting) + of.both * std::min(busy, waiting);
}

/// Returns the clock cycles of a tuning of WMMA, forward or backward data.
inline double
predicted_wmma_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    const WmmaTimes& of = is_of_gfx11(t) ? wmma_of_gfx11 : wmma_of_gfx12;
    // Loads of a wave, whose places merged taps and channels look up one by one. Fitted to 72
    // predictions for gfx1100, from which the whole differs by 14 %.
    const auto [m, n, k] = t.block_tile;
    const bool merged    = t.reduction == Reduction::merged;
    const double a_loads = merged ? m * k / (32. * t.a_vector) : 0,
                 b_loads = merged ? n * k / (32. * t.b_vector) : 0;
    const double cycles  = wmma_tile_cycles(of, t, shape, compute_units, 10 * b_loads, 5 * a_loads);
    const Memory moved{of.bytes_of_cycle * compute_units};
    return moved.overlapped(cycles + shape.more_cycles, shape.bytes) + moved.more(shape.more_bytes);
}

/// Returns the clock cycles of a tuning of WMMA, backward weight.
inline double
predicted_wmma_weight_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    const WmmaWeightTimes& of = is_of_gfx11(t) ? wmma_weight_of_gfx11 : wmma_weight_of_gfx12;
    const auto [m, n, k]      = t.block_tile;
    const double loads = k / 32. * (1. * m / t.a_vector + 1. * n / t.b_vector); // of all waves
    const Memory moved{of.tiles.bytes_of_cycle * compute_units};
    const double partials = shape.more_bytes / 2; // bytes: one launch writes, the other reads them
    return moved.overlapped(
               wmma_tile_cycles(
                   of.tiles, t, shape, compute_units, of.load * loads, of.waits * loads),
               shape.bytes + partials) +
           (partials > 0 ? of.to_add + partials / moved.bytes_in_a_cycle : 0);
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
