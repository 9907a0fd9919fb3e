#pragma once
// Launches of conv/kernels/depthwise/kernel.hpp: for groups of one channel.
#include "ck/tensor_operation/gpu/conv/kernels/depthwise/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"

#include <algorithm>
#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvDepthwise : public Launcher<Direction,
                                       Types,
                                       tuning,
                                       grid::GridwiseDepthwiseConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseDepthwiseConv<Transform, Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    /// Takes groups with one channel of X and one of Y, and as many taps as the kernel holds.
    static Support check_groups(const ConvProblem& p)
    {
        if(p.in_channels != 1 || p.out_channels != 1)
            return refused([&] {
                return "a group has " + std::to_string(p.in_channels) + " channels of X and " +
                       std::to_string(p.out_channels) +
                       " of Y, but this kernel is for depthwise convolutions, one and one";
            });
        if(const long_index_t taps = p.filter[0] * p.filter[1] * p.filter[2];
           taps > Kernel::most_taps)
            return refused([&] {
                return "the filter has " + std::to_string(taps) +
                       " taps, but this kernel holds at most " + std::to_string(Kernel::most_taps);
            });
        return {};
    }

    static constexpr index_t tile_rows(index_t columns) { return Kernel::tile_rows(columns); }

    static double predict(const Plan& plan, double bytes, double)
    {
        const double stored = std::max(
            1., static_cast<double>(element_count(lengths_of(plan.problem, Direction::c))));
        return direct_longer_for<typename Types::A>() *
               predicted_depthwise_time(
                   tuning, flops(plan.problem) / 2 / stored, stored, bytes, plan.compute_units);
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::direct, Direction, Transform, Types, tuning>
{
    using type = ConvDepthwise<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_depthwise(tuning); }
};

} // namespace ck::tensor_operation::device
