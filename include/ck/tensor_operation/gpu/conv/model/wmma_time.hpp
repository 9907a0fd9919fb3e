#pragma once
// Predicts the time of a WMMA kernel in forward or backward data, to choose the best row of a table
// without running any. Its numbers are in the files of machines.
#include "ck/tensor_operation/gpu/conv/model/first_layer_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx1100.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx1200.hpp"
#include "ck/tensor_operation/gpu/conv/model/pointwise_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/unit_time.hpp"

#include <algorithm>

namespace ck::tensor_operation::device {

namespace gfx1100 = machine::gfx1100;
namespace gfx1200 = machine::gfx1200;

constexpr bool is_wmma(const GemmTuning& t) { return arch::is_wmma(instruction_of(t).requirement); }

constexpr bool is_of_gfx11(const GemmTuning& t)
{
    return instruction_of(t).requirement == arch::Requirement::wmma_gfx11;
}

/// The rates of the GPU that has a tuning's instruction.
constexpr const UnitRates& wmma_rates(const GemmTuning& t)
{
    return is_of_gfx11(t) ? gfx1100::rates : gfx1200::rates;
}

/// Returns the clock cycles of a tuning of WMMA, forward or backward data.
inline double
predicted_wmma_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    namespace of_merged = gfx1100::wmma_merged;
    // Loads per wave. With merged taps and channels each position is looked up.
    const auto [m, n, k]   = t.block_tile;
    constexpr double lanes = 32;
    const bool merged      = t.reduction == Reduction::merged;
    const double a_loads   = merged ? m * k / (lanes * t.a_vector) : 0,
                 b_loads   = merged ? n * k / (lanes * t.b_vector) : 0;
    return unit_cycles(wmma_rates(t),
                       is_of_gfx11(t) ? gfx1100::wmma : gfx1200::wmma,
                       t,
                       shape,
                       compute_units,
                       {of_merged::b_works * b_loads, of_merged::a_waits * a_loads}) +
           transfer_cycles(wmma_rates(t), shape.more_bytes, compute_units);
}

/// Returns the clock cycles of Pipeline::pointwise by WMMA.
inline double
predicted_wmma_time(const GemmTuning& t, const PointwiseLaunch& launch, index_t compute_units)
{
    namespace of                    = gfx1100::pointwise;
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double sub_tiles          = launch.tiles * m / i.m, // of the rows of an instruction
        columns = 1. * n / i.n, products = columns * k / i.k;
    const Memory moved{(is_of_gfx11(t) ? of::bytes_of_cycle : gfx1200::pointwise::bytes_of_cycle) *
                       compute_units};
    return of::filter * n * k +
           moved.overlapped(sub_tiles * (of::product * products + of::column * columns) /
                                compute_units,
                            launch.bytes + of::again * launch.a_bytes * (launch.column_tiles - 1));
}

/// Returns the clock cycles of Pipeline::first_layer by WMMA.
inline double
predicted_wmma_time(const GemmTuning& t, const FirstLayerLaunch& launch, index_t compute_units)
{
    namespace of                    = gfx1200::first_layer;
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double products           = launch.rows * k / i.k * (1. * m * n / (i.m * i.n)),
                 stores             = 1. * m * n / t.c_vector,
                 loads = launch.halo * t.window.vector / t.a_vector, filters = launch.rows * k * n;
    const Memory moved{of::bytes_of_cycle * compute_units};
    return of::filter * filters / block_size(t) +
           moved.overlapped(
               (of::product * products + of::store * stores + of::load * loads) *
                   std::max(launch.tiles / compute_units, launch.rounds * launch.blocks),
               launch.bytes);
}

} // namespace ck::tensor_operation::device
