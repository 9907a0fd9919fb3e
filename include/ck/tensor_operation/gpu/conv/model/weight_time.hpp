#pragma once
// How long backward weight by MFMA and WMMA will take, so that the best row of a table and the best
// split of its sums can be chosen without running any. Its constants are fitted to predictions of
// the emulator's timing model, not to times of a GPU: docs/notes/amd_predicted_times.md.
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"
#include "ck/tensor_operation/gpu/conv/model/wmma_time.hpp"

#include <array>
#include <cmath>

namespace ck::tensor_operation::device {

/// Whether the model is for a tuning's kernel: that of any GEMM.
constexpr bool has_weight_times(const GemmTuning& t)
{
    return (is_mfma(t) || is_wmma(t)) &&
           (loads_to_registers(t) || t.pipeline == Pipeline::async_copies);
}

/// What times of backward weight are made of: threads find the place of each load anew in every
/// slice, and a launch of its own adds up the partial sums.
struct WeightTimes
{
    UnitTimes unit;
    double load;                       ///< of a wave in a slice: what it takes,
    double waits;                      ///< and what a workgroup alone waits for it
    double to_add;                     ///< partial sums, beside what is read of them
    double lds;                        ///< bytes of a compute unit
    std::array<index_t, 4> workgroups; ///< on each compute unit, that are worth a try
};

inline constexpr std::array<index_t, 4> up_to_four{1, 2, 3, 4}, up_to_eight{1, 2, 4, 8};

/// MFMA of gfx90a and gfx942: fitted to 630 predictions, from which they differ by 12 %; from 466
/// others by 12 %.
inline constexpr WeightTimes weight_of_mfma{.unit       = {.matrix         = 1.04,
                                                           .store          = 0.132,
                                                           .alone          = 692,
                                                           .wave           = 0,
                                                           .around         = 7250,
                                                           .element        = 0.0398,
                                                           .waves          = 15.3,
                                                           .both           = 0.334,
                                                           .bytes_of_cycle = 8.19},
                                            .load       = 0.384,
                                            .waits      = 37.4,
                                            .to_add     = 5210,
                                            .lds        = 65536,
                                            .workgroups = up_to_four};
/// Fitted to 316 predictions for gfx950, from which they differ by 15 %; from 236 others by 14 %.
inline constexpr WeightTimes weight_of_gfx950{.unit       = {.matrix         = 0.1,
                                                             .store          = 0.0502,
                                                             .alone          = 399,
                                                             .wave           = 0,
                                                             .around         = 6310,
                                                             .element        = 0,
                                                             .waves          = 26.1,
                                                             .both           = 1,
                                                             .bytes_of_cycle = 12.5},
                                              .load       = 18.3,
                                              .waits      = 3.26,
                                              .to_add     = 6250,
                                              .lds        = 163840,
                                              .workgroups = up_to_four};
/// Fitted to 185 predictions for gfx1100, from which they differ by 11 %; from 134 others by 9 %.
inline constexpr WeightTimes weight_of_gfx11{.unit       = {.matrix         = 0.995,
                                                            .store          = 0.110,
                                                            .alone          = 907,
                                                            .wave           = 0,
                                                            .around         = 2490,
                                                            .element        = 0.260,
                                                            .waves          = 18.6,
                                                            .both           = 0.33,
                                                            .bytes_of_cycle = 8.81},
                                             .load       = 2.33,
                                             .waits      = 2.29,
                                             .to_add     = 3460,
                                             .lds        = 131072,
                                             .workgroups = up_to_eight};
/// Fitted to 130 predictions for gfx1200, from which they differ by 15 %; from 117 others by 15 %.
inline constexpr WeightTimes weight_of_gfx12{.unit       = {.matrix         = 0.707,
                                                            .store          = 0.191,
                                                            .alone          = 1020,
                                                            .wave           = 0,
                                                            .around         = 2320,
                                                            .element        = 0.256,
                                                            .waves          = 27.3,
                                                            .both           = 0,
                                                            .bytes_of_cycle = 8.05},
                                             .load       = 2.23,
                                             .waits      = 3.33,
                                             .to_add     = 4030,
                                             .lds        = 131072,
                                             .workgroups = up_to_eight};

/// The times of a tuning's architecture.
constexpr const WeightTimes& weight_times(const GemmTuning& t)
{
    switch(instruction_of(t).requirement)
    {
    case arch::Requirement::wmma_gfx11:
        return weight_of_gfx11;
    case arch::Requirement::wmma_gfx12:
        return weight_of_gfx12;
    case arch::Requirement::mfma_gfx950:
        return weight_of_gfx950;
    default:
        return weight_of_mfma;
    }
}

/// Returns the workgroups of a tuning that LDS has room for: slices, which padding makes longer by
/// little, and tables of eight slices of the reduction and of the tile's rows.
inline double weight_room(const WeightTimes& of, const GemmTuning& t)
{
    const auto [m, n, k]  = t.block_tile;
    const double at_once  = t.pipeline == Pipeline::async_copies ? t.stages : 1,
                 slices   = at_once * (m + n) * k * arch::input_bytes(t.instruction);
    constexpr double of_k = 162, of_row = 4, padding = 1000;
    return std::floor(of.lds / (slices + of_k * k + of_row * m + padding));
}

/// Returns the clock cycles of backward weight, with those that add up the partial sums.
inline double
predicted_weight_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    const WeightTimes& of = weight_times(t);
    const auto [m, n, k]  = t.block_tile;
    const double lanes    = instruction_of(t).lanes,
                 loads    = k / lanes * (1. * m / t.a_vector + 1. * n / t.b_vector); // of all waves
    const Memory moved{of.unit.bytes_of_cycle * compute_units};
    const double partial_sums =
        shape.more_bytes / 2; // bytes: one launch writes, the other reads them
    return moved.overlapped(unit_cycles(of.unit,
                                        t,
                                        shape,
                                        compute_units,
                                        {of.load * loads, of.waits * loads},
                                        weight_room(of, t)),
                            shape.bytes + partial_sums) +
           (partial_sums > 0 ? of.to_add + partial_sums / moved.bytes_in_a_cycle : 0);
}

} // namespace ck::tensor_operation::device
