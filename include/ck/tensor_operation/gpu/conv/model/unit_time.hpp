#pragma once
// The time of a launch's tiles on AMD, on a compute unit that several workgroups share: the common
// part of the models of WMMA and of backward weight.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// The times of a slice, in addition to its products.
struct SliceTimes
{
    double working; ///< cycles that the unit works
    double alone;   ///< cycles that a workgroup alone waits
};

/// Returns the clock cycles of all tiles without memory traffic. A unit's workgroups share its four
/// SIMDs. Some of them (at most `room`) wait at once for their own loads and LDS in each slice, and
/// where tiles start and end.
inline double unit_cycles(const UnitTimes& of,
                          const GemmTuning& t,
                          const LaunchShape& shape,
                          index_t compute_units,
                          const SliceTimes& slice,
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

} // namespace ck::tensor_operation::device
