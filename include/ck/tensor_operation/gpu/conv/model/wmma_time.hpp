#pragma once
// How long a WMMA kernel of forward or backward data will take, so that the best row of a table can
// be chosen without running any. Its constants are fitted to predictions of the emulator's timing
// model, not to times of a GPU: docs/notes/amd_predicted_times.md.
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

/// Returns the clock cycles of a tuning of WMMA. A unit's workgroups share its four SIMDs; some at
/// a time wait for their own loads and LDS in each slice, and where tiles start and end.
inline double
predicted_wmma_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    constexpr double simds = 4, products = 128;
    const bool gfx11     = instruction_of(t).requirement == arch::Requirement::wmma_gfx11;
    const WmmaTimes& of  = gfx11 ? wmma_of_gfx11 : wmma_of_gfx12;
    const auto [m, n, k] = t.block_tile;
    const double bytes = arch::input_bytes(t.instruction), waves = wave_count(t),
                 matrix = 1. * m * n * k * bytes / 2 / products; // cycles of one SIMD
    // Loads of a wave, whose places merged taps and channels look up one by one. Fitted to 72
    // predictions for gfx1100, from which the whole differs by 14 %.
    const bool merged      = t.reduction == Reduction::merged;
    const double a_loads   = merged ? m * k / (32. * t.a_vector) : 0,
                 b_loads   = merged ? n * k / (32. * t.b_vector) : 0;
    const double working   = of.matrix * matrix / simds + 10 * b_loads,
                 alone     = of.alone + of.wave * matrix / waves + 5 * a_loads;
    const double elements  = 1. * m * n;
    const double at_a_time = std::max(1., of.waves / waves);
    const double of_unit   = std::ceil(shape.tiles / compute_units);
    const double in_turns  = of_unit / std::clamp(of_unit, 1., at_a_time);
    const double busy      = of_unit * (shape.slices * working + of.store * elements),
                 waiting   = in_turns * (shape.slices * alone + of.around + of.element * elements);
    const Memory moved{of.bytes_of_cycle * compute_units};
    return moved.overlapped(std::max(busy, waiting) + of.both * std::min(busy, waiting) +
                                shape.more_cycles,
                            shape.bytes) +
           moved.more(shape.more_bytes);
}

} // namespace ck::tensor_operation::device
