#pragma once
// The time of a launch's tiles on AMD, on a unit that several workgroups share. It counts what a
// tile asks of the SIMDs, LDS, L2 and memory, and what a workgroup waits where nothing else runs.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ck::tensor_operation::device {

/// What a slice takes besides UnitTimes, in clock cycles.
struct SliceTimes
{
    double working = 0; ///< cycles that the unit works
    double alone   = 0; ///< cycles that a workgroup alone waits
};

/// What a tuning's tiles ask of a unit, in each slice.
struct SliceCounts
{
    double matrix; ///< cycles of a SIMD, if it does all products
    double steps;  ///< reads of LDS that wait for one another
    double loads;  ///< loads of a wave
    double lds;    ///< cycles of LDS: all operands are written once, and read by each wave
};

/// Returns the products that a SIMD does in a cycle.
constexpr double products_of(const UnitRates& unit, arch::Matrix id)
{
    switch(arch::describe(id).a_element)
    {
    case arch::Element::f64:
        return unit.products_f64;
    case arch::Element::f32:
        return unit.products_f32;
    case arch::Element::tf32:
        return unit.products / 2;
    default:
        return arch::input_bytes(id) == 1 ? unit.products_8 : unit.products;
    }
}

/// Returns the counts of a tuning.
inline SliceCounts slice_counts(const UnitRates& unit, const GemmTuning& t)
{
    constexpr double vector_bytes   = 16; // that a lane reads from LDS at once
    const arch::MatrixInstruction i = instruction_of(t);
    const auto [m, n, k]            = t.block_tile;
    const double bytes = arch::input_bytes(t.instruction), waves = wave_count(t), depth = k;
    return {m * n * depth / products_of(unit, t.instruction),
            depth / std::max<double>(i.k, vector_bytes * i.lanes / (i.m * bytes)),
            depth * (1. * m / t.a_vector + 1. * n / t.b_vector) / (waves * i.lanes),
            depth * bytes * (m + n + waves * (t.wave_m + t.wave_n)) / unit.lds};
}

/// Returns the clock cycles in which units read bytes from memory.
constexpr double transfer_cycles(const UnitRates& unit, double bytes, index_t compute_units)
{
    return bytes / (unit.read * compute_units);
}

/// Returns the workgroups that a unit has room for.
inline double
room_of_unit(const UnitRates& unit, const UnitTimes& of, const GemmTuning& t, double lds_bytes)
{
    return std::max(
        1.,
        std::floor(std::min(of.waves / wave_count(t), unit.lds_bytes / std::max(1., lds_bytes))));
}

/// Returns the clock cycles of a launch, at the peak clock. Units share the bytes of L2. The clock
/// falls with the square root of the power, which the matrix units and vector ALUs draw.
inline double unit_cycles(const UnitRates& unit,
                          const UnitTimes& of,
                          const GemmTuning& t,
                          const LaunchShape& shape,
                          index_t compute_units,
                          const SliceTimes& more = {})
{
    constexpr double simds     = 4;
    const SliceCounts of_slice = slice_counts(unit, t);
    const double waves = wave_count(t), lanes = instruction_of(t).lanes,
                 elements = 1. * t.block_tile.m * t.block_tile.n, units = compute_units,
                 room  = room_of_unit(unit, of, t, shape.lds_bytes),
                 alone = of.alone + of.wave * of_slice.matrix / waves + of.step * of_slice.steps +
                         of.load * of_slice.loads + more.alone;
    const auto rounds = [&](double tiles, double slices) {
        const double active   = std::min(tiles, units),
                     l2       = active > 0 ? std::min(unit.l2, unit.l2_share * units / active) : 1,
                     of_unit  = std::ceil(tiles / units),
                     in_turns = of_unit / std::clamp(of_unit, 1., room),
                     working  = of.working +
                               std::max({of.matrix * of_slice.matrix / simds,
                                         of.lds * of_slice.lds,
                                         of.line * shape.cache_bytes / l2}) +
                               of.work * of_slice.loads + more.working,
                     busy = of_unit * working, waiting = in_turns * alone;
        return slices * (std::max(busy, waiting) + of.both * std::min(busy, waiting)) +
               in_turns *
                   (of.around + of.element * elements / (waves * lanes) + of.run * shape.runs) +
               of_unit * of.store * elements / lanes;
    };
    const double cycles = rounds(shape.tiles, shape.slices) +
                          rounds(shape.last_tiles, shape.last_slices) + shape.more_cycles;
    // Units that work share memory equally: it takes as long as the one with the most tiles. In a
    // network, other layers have filled the last-level cache in between.
    const double tiles  = shape.tiles + shape.last_tiles,
                 uneven = tiles > 0 ? std::ceil(tiles / units) * std::min(tiles, units) / tiles : 1,
                 moving = uneven * std::max(shape.bytes / (unit.read * units),
                                            shape.written_bytes / (unit.written * units));
    const auto at_clock = [&](double clock) { // in parts of the peak
        const double working = cycles / clock;
        return std::max(working, moving) + of.shown * std::min(working, moving);
    };
    const double slices = shape.tiles * shape.slices + shape.last_tiles * shape.last_slices,
                 power  = (unit.matrix_power * slices * of_slice.matrix +
                          unit.vector_power * of.vector *
                              (slices * of_slice.loads * waves +
                               tiles * elements / (t.c_vector * lanes))) /
                         (units * simds);
    double clock = 1;
    for(int i = 0; i < 2 && power > 0; ++i)
        clock = 1 / std::sqrt(std::max(1., power / (at_clock(clock) * clock)));
    return at_clock(clock);
}

} // namespace ck::tensor_operation::device
