#pragma once
// How long kernels of small groups take (conv/kernels/small_groups/kernel.hpp).
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

namespace ck::tensor_operation::device {

/// A launch of Pipeline::small_groups.
struct SmallGroupsLaunch
{
    double threads; ///< of all rounds of blocks
    double strips;  ///< of a thread
    double steps;   ///< of a strip: taps that are gone through at once, times vectors of channels
    double filters; ///< vectors of filters that a thread copies to LDS
    double bytes;   ///< of the three tensors
};

/// Returns the clock cycles of what is computed. channels: of C, of a thread.
inline double small_groups_cycles(const GemmTuning& t,
                                  const SmallGroupsLaunch& launch,
                                  index_t channels,
                                  index_t compute_units)
{
    const double taps = t.window.x, columns = t.window.columns, vector = t.c_vector,
                 products = taps * vector * columns * channels, loads = columns + taps - 1,
                 weights = taps * channels;
    // What a thread does beside products, each as long as so many of them; and products in a cycle
    // of a compute unit, more of them of more threads.
    constexpr double of_load = 14, of_weights = 2, of_strip = 200, of_filter = 120;
    const double in_a_cycle = 128 * (0.3 + t.min_blocks_per_cu * block_size(t) / 640.);
    return launch.threads *
           (launch.strips *
                (launch.steps * (products + loads * of_load + weights * of_weights) + of_strip) +
            launch.filters * of_filter) /
           (in_a_cycle * compute_units);
}

/// Returns the clock cycles of such a launch. Fitted to an H200's times of 34 launches (17
/// problems, forward and backward data), from which it differs by 6 % on average, at most 12.
inline double predicted_time(const GemmTuning& t,
                             const SmallGroupsLaunch& launch,
                             index_t channels,
                             index_t compute_units)
{
    constexpr double start = 4000, shown = 0.7;
    return start + Memory{device_bytes_in_a_cycle, shown}.overlapped(
                       small_groups_cycles(t, launch, channels, compute_units), launch.bytes);
}

/// What the threads of one compute unit do, of a launch of Pipeline::small_groups for backward
/// weight.
struct SmallGroupsWeightLaunch
{
    double threads; ///< of all rounds of blocks
    double strips;  ///< of a thread: parts of lines
    double steps;   ///< of a thread
    double loads;   ///< vectors, of a step
    double sums;    ///< vectors, of a thread
    double walkers; ///< threads whose sums are added up
};

/// Returns clock cycles, but for what memory moves.
inline double predicted_weight_cycles(const GemmTuning& t, const SmallGroupsWeightLaunch& launch)
{
    const double vector   = t.a_vector * t.window.vector,
                 products = launch.sums * vector * t.window.columns;
    // Instructions of a thread beside products; what a compute unit issues in a cycle, and the part
    // of that which it does.
    constexpr double of_load = 8, of_strip = 80, of_sum = 30, of_walker = 3, in_a_cycle = 128,
                     done  = 0.5;
    constexpr double start = 3000;
    return start +
           launch.threads *
               (launch.steps * (products + launch.loads * of_load) + launch.strips * of_strip +
                launch.sums * (of_sum + of_walker * launch.walkers)) /
               (in_a_cycle * done);
}

} // namespace ck::tensor_operation::device
