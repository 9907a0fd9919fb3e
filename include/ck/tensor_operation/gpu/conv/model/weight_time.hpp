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
