#pragma once
// Predicts the time of an MFMA kernel in forward or backward data, to choose the best row of a
// table without running any. Its numbers are in the files of machines.
#include "ck/tensor_operation/gpu/conv/model/first_layer_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx90a.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx942.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx950.hpp"
#include "ck/tensor_operation/gpu/conv/model/pointwise_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

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

/// Returns clock cycles for a tuning with MFMA. A compute unit's workgroups share its four matrix
/// units; one alone waits for its own loads and LDS. If L2 is the limit, units share its bytes.
inline double predicted_mfma_time(const GemmTuning& t,
                                  const LaunchShape& shape,
                                  index_t compute_units,
                                  arch::Target target = arch::Target::gfx90a)
{
    constexpr double simds   = 4; // SIMDs of a compute unit
    const bool to_lds        = t.pipeline == Pipeline::async_copies;
    namespace of_merged      = gfx90a::mfma_merged;
    const MfmaTimes& of      = to_lds ? gfx950::mfma
                               : target == arch::Target::gfx942 && arch::input_bytes(t.instruction) == 2
                                   ? gfx942::mfma
                                   : gfx90a::mfma;
    const auto [m, n, k]     = t.block_tile;
    const double bytes       = arch::input_bytes(t.instruction);
    const double slice_bytes = (m + n) * k * bytes;
    const double lds         = t.stages * slice_bytes + of_merged::tables;
    const double by_lds      = std::floor(arch::shared_bytes_of_block(arch::Target::gfx950) / lds);
    const double beside      = k * bytes < gfx942::cache::line ? 1 + of.tables : 1; // of a slice
    const double through     = std::floor(arch::shared_bytes_of_block(arch::Target::gfx942) /
                                      (slice_bytes * beside)); // registers
    const double at_a_time   = std::clamp(to_lds            ? by_lds
                                        : of.of_cache > 0 ? through
                                                          : of.at_a_time,
                                        1.,
                                        of.at_a_time);
    const double matrix = 1. * m * n * k * bytes / 2 / of.products; // cycles of one unit
    // Loads per wave. With merged taps and channels each position is looked up.
    const bool merged    = t.reduction == Reduction::merged;
    const double a_loads = merged ? m * k / (64. * t.a_vector) : 0,
                 b_loads = merged ? n * k / (64. * t.b_vector) : 0;
    const double working = of.working + of.matrix * matrix / simds + of_merged::a_works * a_loads +
                           of_merged::b_works * b_loads;
    const double alone = of.alone + of.line * k * bytes + of.byte * slice_bytes +
                         of.wave * matrix / wave_count(t) + of_merged::waits * (a_loads + b_loads);
    const double around = of.around + of.element * m * n;
    const auto rounds   = [&](double tiles, double slices) {
        const double of_unit  = std::ceil(tiles / compute_units);
        const double in_turns = of_unit / std::clamp(of_unit, 1., at_a_time);
        const double lines    = of.of_cache > 0 ? shape.cache_bytes / of.of_cache *
                                                   std::min<double>(tiles, compute_units)
                                                  : 0;
        const double busy = of_unit * std::max(working, lines), waiting = in_turns * alone;
        return slices * (std::max(busy, waiting) + of.both * std::min(busy, waiting)) +
               in_turns * around;
    };
    const Memory moved{of.bytes_of_cycle * compute_units};
    return moved.overlapped(rounds(shape.tiles, shape.slices) +
                                rounds(shape.last_tiles, shape.last_slices) + shape.more_cycles,
                            shape.bytes) +
           moved.more(shape.more_bytes);
}

/// Returns the clock cycles of Pipeline::pointwise by MFMA.
inline double
predicted_mfma_time(const GemmTuning& t, const PointwiseLaunch& launch, index_t compute_units)
{
    namespace of                    = gfx90a::pointwise;
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double sub_tiles          = launch.tiles * m / i.m, // of the rows of an instruction
        products                    = 1. * n * k / (i.n * i.k);
    const Memory moved{gfx90a::mfma.bytes_of_cycle * compute_units};
    return of::filter * n * k +
           moved.overlapped(sub_tiles * (of::product * products + of::sub_tile) / compute_units,
                            launch.bytes + of::again * launch.a_bytes * (launch.column_tiles - 1));
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
    const Memory moved{gfx90a::mfma.bytes_of_cycle * compute_units};
    return of::filter * filters / threads +
           moved.overlapped(
               of_tile * std::max(launch.tiles / compute_units, launch.rounds * launch.blocks),
               launch.bytes);
}

} // namespace ck::tensor_operation::device
