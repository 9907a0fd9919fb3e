#pragma once
// Launches of conv/kernels/long_filter/kernel.hpp: forward and backward data with strides of 1, for
// groups of one channel.
#include "ck/tensor_operation/gpu/conv/kernels/long_filter/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/window_plan.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvLongFilter : public Launcher<Direction,
                                        Types,
                                        tuning,
                                        grid::GridwiseLongFilterConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseLongFilterConv<Transform, Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    static Support check_groups(const ConvProblem& p)
    {
        for(std::size_t i = 0; i < 3; ++i)
            if(p.stride[i] != 1 || (p.dilation[i] != 1 && p.filter[i] > 1))
                return refused([&] {
                    return "a stride is " + std::to_string(p.stride[i]) + " and its dilation " +
                           std::to_string(p.dilation[i]) + ", but this kernel is for 1 and 1";
                });
        return check_depthwise(p);
    }

    static constexpr index_t tile_rows(index_t groups)
    {
        return Kernel::block_segments(groups) * Kernel::columns;
    }

    static void complete(Plan& plan)
    {
        const ConvProblem& p = plan.argument.problem;
        auto& r              = plan.params;
        r.geometry           = window_geometry(p,
                                     image_axes,
                                     windows(r.transform),
                                     plan.problem.filter_strides,
                                     Direction::a,
                                     sizeof(typename Kernel::A),
                                     Direction::c,
                                     sizeof(typename Kernel::C));
        r.geometry.groups    = static_cast<index_t>(Direction::columns(p));
        segments(r.geometry.c).set(r.geometry);
        r.taps_z             = static_cast<index_t>(p.filter[0]);
        r.taps_y             = static_cast<index_t>(p.filter[1]);
        r.taps_x             = static_cast<index_t>(p.filter[2]);
        r.tiles.column_tiles = r.tiles.groups;
        r.tiles.row_tiles    = make_divisor(static_cast<index_t>(blocks(plan)));
        r.tiles.groups       = make_divisor(1);
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        const ConvProblem& p = plan.argument.problem;
        const double places  = double{1} * plan.compute_units * Kernel::min_blocks_per_cu,
                     rounds  = std::ceil(static_cast<double>(plan.params.tiles.size()) / places),
                     threads = rounds * places * Kernel::block_size *
                               longer_for_bytes(sizeof(typename Kernel::A)),
                     rows  = static_cast<double>(p.filter[0] * p.filter[1]),
                     width = static_cast<double>(p.filter[2]);
        return predicted_long_filter_time(tuning,
                                          threads * rows * (width + Kernel::columns),
                                          threads * rows * width * plan.params.geometry.groups /
                                              Kernel::block_size,
                                          bytes,
                                          plan.compute_units);
    }

private:
    static PixelWindows windows(const Transform& transform)
    {
        if constexpr(Direction::c == Role::input)
            return a_windows(transform.all, 0);
        else
            return input_windows(transform.views);
    }
    static WindowSegments segments(const grid::WindowGeometry::Image& c)
    {
        return {math::integer_divide_ceil(c.columns, Kernel::columns), c.rows, 1, c.planes};
    }
    /// Returns the blocks of a tile's groups and sub-batch.
    static long_index_t blocks(const Plan& plan)
    {
        const auto& r        = plan.params;
        const index_t images = math::min(r.sub_batch_size, r.batch);
        return math::integer_divide_ceil(
            math::saturating_product(segments(r.geometry.c).of_image(), long_index_t{images}),
            long_index_t{Kernel::block_segments(r.geometry.groups)});
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::long_filter, Direction, Transform, Types, tuning>
{
    using type = ConvLongFilter<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_long_filter(tuning); }
};

} // namespace ck::tensor_operation::device
