#pragma once
// Predicted time of kernels for small groups (conv/kernels/small_groups/kernel.hpp).
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

namespace ck::tensor_operation::device {

/// A launch of Pipeline::small_groups.
struct SmallGroupsLaunch
{
    double threads;  ///< threads of all rounds of blocks
    double segments; ///< segments of a thread
    double steps;    ///< steps of a segment: taps gone through at once, times vectors of channels
    double filters;  ///< vectors of filters that a thread copies to LDS
    double bytes;    ///< bytes of the three tensors
};

/// Returns the clock cycles of the arithmetic. channels: of C, per thread.
inline double small_groups_cycles(const GemmTuning& t,
                                  const SmallGroupsLaunch& launch,
                                  index_t channels,
                                  index_t compute_units)
{
    const double taps = t.window.x, columns = t.window.columns, vector = t.c_vector,
                 products = taps * vector * columns * channels, loads = columns + taps - 1,
                 weights = taps * channels;
    namespace of         = h200::small_groups;
    const double in_a_cycle =
        h200::unit::instructions * (of::issued + t.min_blocks_per_cu * block_size(t) / of::threads);
    return launch.threads *
           (launch.segments *
                (launch.steps * (products + loads * of::load + weights * of::weights) +
                 of::segment) +
            launch.filters * of::filter) /
           (in_a_cycle * compute_units);
}

/// Returns the clock cycles of such a launch.
inline double predicted_time(const GemmTuning& t,
                             const SmallGroupsLaunch& launch,
                             index_t channels,
                             index_t compute_units)
{
    namespace of = h200::small_groups;
    return of::start + Memory{h200::memory::bytes_in_a_cycle, of::shown}.overlapped(
                           small_groups_cycles(t, launch, channels, compute_units), launch.bytes);
}

/// The work of the threads of one compute unit in a launch of Pipeline::small_groups for backward
/// weight.
struct SmallGroupsWeightLaunch
{
    double threads;         ///< threads of all rounds of blocks
    double segments;        ///< segments of a thread: parts of lines
    double steps;           ///< steps of a thread
    double loads;           ///< vectors, of a step
    double sums;            ///< vectors, of a thread
    double segment_threads; ///< threads whose sums are added up
};

/// Returns clock cycles without memory traffic.
inline double predicted_weight_cycles(const GemmTuning& t, const SmallGroupsWeightLaunch& launch)
{
    const double vector   = t.a_vector * t.window.vector,
                 products = launch.sums * vector * t.window.columns;
    namespace of          = h200::small_groups_weight;
    return of::start + launch.threads *
                           (launch.steps * (products + launch.loads * of::load) +
                            launch.segments * of::segment +
                            launch.sums * (of::sum + of::segment_thread * launch.segment_threads)) /
                           (h200::unit::instructions * of::done);
}

} // namespace ck::tensor_operation::device
