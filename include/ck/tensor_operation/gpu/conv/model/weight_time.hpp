#pragma once
// Predicts the time of backward weight by MFMA and WMMA, to choose the best table row and split of
// sums without running any. Its numbers are in the files of machines.
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"
#include "ck/tensor_operation/gpu/conv/model/wmma_time.hpp"

#include <cmath>

namespace ck::tensor_operation::device {

/// Whether the model is for a tuning's kernel: that of any GEMM.
constexpr bool has_weight_times(const GemmTuning& t)
{
    return (is_mfma(t) || is_wmma(t)) &&
           (loads_to_registers(t) || t.pipeline == Pipeline::async_copies);
}

/// The times of a tuning's architecture.
constexpr const WeightTimes& weight_times(const GemmTuning& t)
{
    switch(instruction_of(t).requirement)
    {
    case arch::Requirement::wmma_gfx11:
        return gfx1100::weight;
    case arch::Requirement::wmma_gfx12:
        return gfx1200::weight;
    case arch::Requirement::mfma_gfx950:
        return gfx950::weight;
    default:
        return gfx90a::weight;
    }
}

/// Returns the number of a tuning's workgroups that fit LDS, with slices (padding adds little) and
/// tables.
inline double weight_room(const WeightTimes& of, const GemmTuning& t)
{
    const auto [m, n, k] = t.block_tile;
    const double at_once = t.pipeline == Pipeline::async_copies ? t.stages : 1,
                 slices  = at_once * (m + n) * k * arch::input_bytes(t.instruction);
    namespace tables     = gfx90a::weight_tables;
    return std::floor(of.lds / (slices + tables::of_k * k + tables::of_row * m + tables::padding));
}

/// The times of a slice, in addition to its products.
struct WeightSliceTimes
{
    double working; ///< cycles that the unit works
    double alone;   ///< cycles that a workgroup alone waits
};

/// Returns the clock cycles of all tiles without memory traffic. A unit's workgroups share its four
/// SIMDs. Some of them (at most `room`) wait at once for their own loads and LDS in each slice, and
/// where tiles start and end.
inline double weight_cycles(const WeightUnitTimes& of,
                            const GemmTuning& t,
                            const LaunchShape& shape,
                            index_t compute_units,
                            const WeightSliceTimes& slice,
                            double room)
{
    constexpr double simds = 4, products = 128;
    const auto [m, n, k] = t.block_tile;
    const double waves = wave_count(t), elements = 1. * m * n,
                 matrix = elements * k * arch::input_bytes(t.instruction) / 2 /
                          products; // cycles of one SIMD
    const double at_a_time = std::max(1., std::min(of.waves / waves, room));
    const double of_unit   = std::ceil(shape.tiles / compute_units);
    const double in_turns  = of_unit / std::clamp(of_unit, 1., at_a_time);
    const double busy    = of_unit * (shape.slices * (of.matrix * matrix / simds + slice.working) +
                                   of.store * elements),
                 waiting = in_turns *
                           (shape.slices * (of.alone + of.wave * matrix / waves + slice.alone) +
                            of.around + of.element * elements);
    return std::max(busy, waiting) + of.both * std::min(busy, waiting);
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
    return moved.overlapped(weight_cycles(of.unit,
                                          t,
                                          shape,
                                          compute_units,
                                          {of.load * loads, of.waits * loads},
                                          weight_room(of, t)),
                            shape.bytes + partial_sums) +
           (partial_sums > 0 ? of.to_add + partial_sums / moved.bytes_in_a_cycle : 0);
}

} // namespace ck::tensor_operation::device
