#pragma once
// How long an MFMA kernel of forward or backward data will take, so that the best row of a table
// can be chosen without running any. Its constants are fitted to predictions of the emulator's
// timing model, not to times of a GPU: docs/notes/amd_predicted_times.md.
#include "ck/tensor_operation/gpu/conv/model/first_layer_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/pointwise_launch.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

constexpr bool is_mfma(const GemmTuning& t)
{
    using enum arch::Requirement; // those of MFMA stand together
    const arch::Requirement r = instruction_of(t).requirement;
    return r >= mfma && r <= mfma_f64;
}

/// What a kernel's times are made of, in clock cycles.
struct MfmaTimes
{
    double products;       ///< of f16, that a matrix unit does in a cycle
    double working;        ///< of a slice, beside its products
    double matrix;         ///< of a slice's products, all units of a compute unit at work
    double alone;          ///< that a workgroup alone waits in a slice: in all,
    double line;           ///< for a byte of the slice's rows,
    double byte;           ///< for a byte of the slice,
    double wave;           ///< and for its products, those of a wave
    double at_a_time;      ///< workgroups of a compute unit, by registers
    double around;         ///< start and store of a tile,
    double element;        ///< and of its elements
    double both;           ///< of the shorter of work and waiting
    double bytes_of_cycle; ///< of memory, of each compute unit
};

/// Kernels whose slices pass through registers: fitted to gfx90a.
inline constexpr MfmaTimes through_registers{.products       = 128,
                                             .working        = 240,
                                             .matrix         = 0.88,
                                             .alone          = 640,
                                             .line           = 2.5,
                                             .byte           = 0,
                                             .wave           = 0.85,
                                             .at_a_time      = 3,
                                             .around         = 2500,
                                             .element        = 0.27,
                                             .both           = 0.1,
                                             .bytes_of_cycle = 9.23};
/// Kernels whose slices are loaded straight to LDS: fitted to gfx950.
inline constexpr MfmaTimes straight_to_lds{.products       = 256,
                                           .working        = 152,
                                           .matrix         = 0.616,
                                           .alone          = 428,
                                           .line           = 0,
                                           .byte           = 0.0046,
                                           .wave           = 0.816,
                                           .at_a_time      = 3,
                                           .around         = 3480,
                                           .element        = 0.067,
                                           .both           = 0,
                                           .bytes_of_cycle = 8.375};

/// In clock cycles, of a tuning of MFMA. A unit's workgroups share its four matrix units; one alone
/// waits for its own loads and LDS in each slice.
inline double
predicted_mfma_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    constexpr double simds   = 4; // of a compute unit
    const bool to_lds        = t.pipeline == Pipeline::async_copies;
    const MfmaTimes& of      = to_lds ? straight_to_lds : through_registers;
    const auto [m, n, k]     = t.block_tile;
    const double bytes       = arch::input_bytes(t.instruction);
    const double slice_bytes = (m + n) * k * bytes;
    const double lds         = t.stages * slice_bytes + 7000; // beside the tables of rows
    const double by_lds      = std::floor(arch::shared_bytes_of_block(arch::Target::gfx950) / lds);
    const double at_a_time   = to_lds ? std::clamp(by_lds, 1., of.at_a_time) : of.at_a_time;
    const double matrix      = 1. * m * n * k * bytes / 2 / of.products; // cycles of one unit
    // Loads of a wave, whose places merged taps and channels look up one by one. Fitted to 20
    // problems of 1x1, from whose predictions it differs by 12 %.
    const bool merged    = t.reduction == Reduction::merged;
    const double a_loads = merged ? m * k / (64. * t.a_vector) : 0,
                 b_loads = merged ? n * k / (64. * t.b_vector) : 0;
    const double working = of.working + of.matrix * matrix / simds + 20 * a_loads + 38 * b_loads;
    const double alone   = of.alone + of.line * k * bytes + of.byte * slice_bytes +
                         of.wave * matrix / wave_count(t) + 37 * (a_loads + b_loads);
    const double around = of.around + of.element * m * n;
    const auto rounds   = [&](double tiles, double slices) {
        const double of_unit  = std::ceil(tiles / compute_units);
        const double in_turns = of_unit / std::clamp(of_unit, 1., at_a_time);
        const double busy = of_unit * working, waiting = in_turns * alone;
        return slices * (std::max(busy, waiting) + of.both * std::min(busy, waiting)) +
               in_turns * around;
    };
    const Memory moved{of.bytes_of_cycle * compute_units};
    return moved.overlapped(rounds(shape.tiles, shape.slices) +
                                rounds(shape.last_tiles, shape.last_slices) + shape.more_cycles,
                            shape.bytes) +
           moved.more(shape.more_bytes);
}

/// Returns the clock cycles of Pipeline::pointwise by MFMA. Fitted to predictions of the timing
/// model for gfx90a and gfx942, 20 problems of f16 by 8 tunings, from which it differs by 16 %.
inline double
predicted_mfma_time(const GemmTuning& t, const PointwiseLaunch& launch, index_t compute_units)
{
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double sub_tiles          = launch.tiles * m / i.m, // of the rows of an instruction
        products                    = 1. * n * k / (i.n * i.k);
    constexpr double of_filter      = 1.9;                // of a block, which waits for its filters
    constexpr double of_product = 2.5, of_sub_tile = 131; // of a compute unit
    constexpr double again = 0.3;                         // of A, which comes from the cache
    const Memory moved{through_registers.bytes_of_cycle * compute_units};
    return of_filter * n * k +
           moved.overlapped(sub_tiles * (of_product * products + of_sub_tile) / compute_units,
                            launch.bytes + again * launch.a_bytes * (launch.column_tiles - 1));
}

/// Returns the clock cycles of Pipeline::first_layer by MFMA. Fitted to predictions of the timing
/// model for gfx90a and gfx942, 11 problems of f16 by 7 tunings, from which it differs by 11 %, at
/// most by 31.
inline double
predicted_mfma_time(const GemmTuning& t, const FirstLayerLaunch& launch, index_t compute_units)
{
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double threads            = block_size(t),
                 products           = launch.rows * k / i.k * (1. * m * n / (i.m * i.n)),
                 stores             = 1. * m * n / t.c_vector,
                 loads = launch.halo * t.window.vector / t.a_vector, filters = launch.rows * k * n;
    // What a compute unit takes for one of each of a tile, and for what its threads wait for.
    constexpr double of_product = 8.1, of_store = 0.45, of_load = 0.087, waits = 1.76e6;
    constexpr double of_filter = 626; // of a thread, before its first tile
    const double of_tile       = of_product * products + of_store * stores + of_load * loads +
                           waits / (launch.blocks * threads);
    const Memory moved{through_registers.bytes_of_cycle * compute_units};
    return of_filter * filters / threads +
           moved.overlapped(
               of_tile * std::max(launch.tiles / compute_units, launch.rounds * launch.blocks),
               launch.bytes);
}

} // namespace ck::tensor_operation::device
