#pragma once
// How long kernels of small groups take (grid/gridwise_small_groups_conv.hpp).
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

namespace ck::tensor_operation::device {

/// A launch of Pipeline::small_groups.
struct SmallGroupsLaunch
{
    double threads; ///< of rounds of blocks
    double steps;   ///< of a thread: taps that it goes through at once, times vectors of channels
    double filters; ///< vectors of filters that a thread copies to LDS
    double bytes;   ///< of the three tensors
};

/// In clock cycles, of such a launch. channels: of C, of a thread.
inline double predicted_time(const GemmTuning& t,
                             const SmallGroupsLaunch& launch,
                             index_t channels,
                             index_t compute_units)
{
    const double taps = t.window.x, columns = t.window.columns, vector = t.c_vector,
                 products = taps * vector * columns * channels, loads = columns + taps - 1,
                 weights = taps * channels;
    // Instructions of a thread beside products; what a compute unit issues in a cycle, and the part
    // of that which it does.
    constexpr double of_load = 8, of_weights = 2, of_filter = 40, in_a_cycle = 128, done = 0.6;
    constexpr double start    = 3000;
    const double instructions = launch.steps * (products + loads * of_load + weights * of_weights) +
                                launch.filters * of_filter;
    return start +
           Memory{}.overlapped(launch.threads * instructions / (in_a_cycle * done * compute_units),
                               launch.bytes);
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

/// In clock cycles, but for what memory moves.
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
