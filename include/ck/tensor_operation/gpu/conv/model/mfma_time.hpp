#pragma once
// Predicts the time of an MFMA kernel in forward or backward data, to choose the best row of a
// table without running any. Its numbers are in the files of machines.
#include "ck/tensor_operation/gpu/conv/model/first_layer_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx90a.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx942.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx950.hpp"
#include "ck/tensor_operation/gpu/conv/model/pointwise_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/unit_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

namespace gfx90a = machine::gfx90a;
namespace gfx942 = machine::gfx942;
namespace gfx950 = machine::gfx950;

constexpr bool is_mfma(const GemmTuning& t)
{
    using enum arch::Requirement; // those of MFMA stand together
    const arch::Requirement r = instruction_of(t).requirement;
    return r >= mfma && r <= mfma_f64;
}

/// Whether a tuning has an instruction that gfx950 alone has.
constexpr bool has_gfx950_mfma(const GemmTuning& t)
{
    return instruction_of(t).requirement == arch::Requirement::mfma_gfx950;
}

/// Whether the numbers of gfx942 are taken for another tuning: elements of two bytes, on a GPU
/// whose lines of L1 have 128 bytes.
constexpr bool has_whole_lines(const GemmTuning& t, arch::Target target)
{
    return arch::input_bytes(t.instruction) == 2 &&
           (target == arch::Target::gfx942 || target == arch::Target::gfx950);
}

/// The rates of the GPU whose numbers are taken for a tuning with MFMA on a target.
constexpr const UnitRates& mfma_rates(const GemmTuning& t, arch::Target target)
{
    return has_gfx950_mfma(t)           ? gfx950::rates
           : has_whole_lines(t, target) ? gfx942::rates
                                        : gfx90a::rates;
}

/// Returns clock cycles for a tuning with MFMA, forward or backward data.
inline double predicted_mfma_time(const GemmTuning& t,
                                  const LaunchShape& shape,
                                  index_t compute_units,
                                  arch::Target target = arch::Target::gfx90a)
{
    namespace of_merged  = gfx90a::mfma_merged;
    const auto [m, n, k] = t.block_tile;
    // Loads per wave. With merged taps and channels each position is looked up.
    constexpr double lanes = 64;
    const bool merged      = t.reduction == Reduction::merged;
    const double a_loads   = merged ? m * k / (lanes * t.a_vector) : 0,
                 b_loads   = merged ? n * k / (lanes * t.b_vector) : 0;
    const UnitRates& unit  = mfma_rates(t, target);
    const UnitTimes& of    = has_gfx950_mfma(t)           ? gfx950::mfma
                             : has_whole_lines(t, target) ? gfx942::mfma
                                                          : gfx90a::mfma;
    return unit_cycles(unit,
                       of,
                       t,
                       shape,
                       compute_units,
                       {of_merged::a_works * a_loads + of_merged::b_works * b_loads,
                        of_merged::waits * (a_loads + b_loads)}) +
           transfer_cycles(unit, shape.more_bytes, compute_units);
}

/// Returns the clock cycles of Pipeline::pointwise by MFMA.
inline double predicted_mfma_time(const GemmTuning& t,
                                  const PointwiseLaunch& launch,
                                  index_t compute_units,
                                  arch::Target target = arch::Target::gfx90a)
{
    namespace of       = gfx90a::pointwise;
    const double again = target == arch::Target::gfx942 ? gfx942::pointwise::again : of::again;
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double sub_tiles          = launch.tiles * m / i.m, // of the rows of an instruction
        products                    = 1. * n * k / (i.n * i.k);
    const Memory moved{gfx90a::memory::bytes_of_cycle * compute_units};
    return of::filter * n * k +
           moved.overlapped(sub_tiles * (of::product * products + of::sub_tile) / compute_units,
                            launch.bytes + again * launch.a_bytes * (launch.column_tiles - 1));
}

/// Returns the clock cycles of Pipeline::first_layer by MFMA.
inline double
predicted_mfma_time(const GemmTuning& t, const FirstLayerLaunch& launch, index_t compute_units)
{
    namespace of                    = gfx90a::first_layer;
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double threads            = block_size(t),
                 products           = launch.rows * k / i.k * (1. * m * n / (i.m * i.n)),
                 stores             = 1. * m * n / t.c_vector,
                 loads = launch.halo * t.window.vector / t.a_vector, filters = launch.rows * k * n;
    const double of_tile = of::product * products + of::store * stores + of::load * loads +
                           of::waits / (launch.blocks * threads);
    const Memory moved{gfx90a::memory::bytes_of_cycle * compute_units};
    return of::filter * filters / threads +
           moved.overlapped(
               of_tile * std::max(launch.tiles / compute_units, launch.rounds * launch.blocks),
               launch.bytes);
}

} // namespace ck::tensor_operation::device
