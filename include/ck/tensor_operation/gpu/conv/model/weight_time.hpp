#pragma once
// Predicts the time of backward weight by MFMA and WMMA, to choose the best table row and split of
// sums without running any. Its numbers are in the files of machines.
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"
#include "ck/tensor_operation/gpu/conv/model/wmma_time.hpp"

namespace ck::tensor_operation::device {

/// Whether the model is for a tuning's kernel: that of any GEMM.
constexpr bool has_weight_times(const GemmTuning& t)
{
    return (is_mfma(t) || is_wmma(t)) &&
           (loads_to_registers(t) || t.pipeline == Pipeline::async_copies);
}

/// The times of the GPU whose numbers are taken for a tuning on a target.
constexpr const WeightTimes& weight_times(const GemmTuning& t, arch::Target target)
{
    return is_wmma(t)                   ? (is_of_gfx11(t) ? gfx1100::weight : gfx1200::weight)
           : has_gfx950_mfma(t)         ? gfx950::weight
           : has_whole_lines(t, target) ? gfx942::weight
                                        : gfx90a::weight;
}

/// Returns the bytes from memory that take as long as `bytes`, of which the last-level cache holds
/// as many as fit.
constexpr double bytes_from_memory(const UnitRates& unit, double bytes)
{
    const double held = std::min(unit.last_level_bytes, bytes);
    return bytes - held + held * unit.read / unit.last_level;
}

/// Returns the clock cycles of backward weight, with those of the launch that adds up the partial
/// sums.
inline double predicted_weight_time(const GemmTuning& t,
                                    const LaunchShape& shape,
                                    index_t compute_units,
                                    arch::Target target)
{
    const WeightTimes& of     = weight_times(t, target);
    const UnitRates& unit     = is_wmma(t) ? wmma_rates(t) : mfma_rates(t, target);
    const auto [m, n, k]      = t.block_tile;
    LaunchShape first         = shape;
    first.cache_bytes         = 1. * (m + n) * k * arch::input_bytes(t.instruction);
    const double partial_sums = shape.more_bytes / 2; // bytes: one launch writes, the other reads
    if(partial_sums > 0)
    {
        first.bytes += partial_sums - shape.written_bytes;
        first.written_bytes = partial_sums;
    }
    first.bytes = bytes_from_memory(unit, first.bytes);
    return unit_cycles(unit, of.unit, t, first, compute_units) +
           (partial_sums > 0 ? of.to_add + partial_sums / (of.added * compute_units) : 0);
}

} // namespace ck::tensor_operation::device
