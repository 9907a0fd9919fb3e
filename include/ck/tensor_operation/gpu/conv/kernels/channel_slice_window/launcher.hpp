#pragma once
// Launches of conv/kernels/channel_slice_window/kernel.hpp: forward and backward data of many small
// groups.
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_geometry/groups_plan.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_window/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_window/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/tile_shape_plan.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvChannelSliceWindows
    : public Launcher<Direction,
                      Types,
                      tuning,
                      grid::GridwiseChannelSliceWindowConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseChannelSliceWindowConv<Transform, Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    static constexpr bool backward = Direction::c == Role::input;

    /// p: as the caller passed it.
    static Support check_groups(const ConvProblem& p)
    {
        return check_all([&] { return check_channel_slice_groups(p, Kernel::channel_slice); },
                         [&] { return check_strides(p); },
                         [&] { return check_filter(p); });
    }

    static void complete(Plan& plan)
    {
        const ConvProblem &p = plan.argument.problem, &own = plan.problem;
        auto& r                = plan.params;
        const auto number      = [](long_index_t n) { return static_cast<index_t>(n); };
        const TensorStrides& w = own.filter_strides; // g k c z y x
        r.geometry             = window_geometry(p,
                                     image_axes,
                                     windows(r.transform),
                                     w,
                                     Direction::a,
                                     sizeof(typename Kernel::A),
                                     Direction::c,
                                     sizeof(typename Kernel::C));
        const auto axis        = [&](std::size_t i) {
            return typename Kernel::Axis{make_divisor(number(p.filter[i])), number(p.dilation[i])};
        };
        r.z                   = axis(0);
        r.y                   = axis(1);
        r.x                   = axis(2);
        r.filter_out          = number(w[backward ? 2 : 1]);
        r.filter_in           = number(w[backward ? 1 : 2]);
        r.channels            = make_divisor(number(own.in_channels));
        r.line                = number(p.in_channels);
        const TileShape shape = shape_of(p);
        shape.segments.set(r.geometry);
        r.width              = make_divisor(shape.width);
        r.halo_columns       = make_divisor(number(shape.columns));
        r.halo_rows          = make_divisor(number(shape.rows));
        r.halo               = number(shape.pixels());
        r.work               = number(work(plan, shape));
        r.tiles.row_tiles    = make_divisor(number(blocks(plan, shape)));
        r.tiles.column_tiles = r.tiles.groups;
        r.tiles.groups       = make_divisor(1);
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        const ConvProblem& p  = plan.argument.problem;
        const TileShape shape = shape_of(p);
        const double lines =
                         double{1} * plan.params.tiles.groups.value * plan.params.tiles.sub_batches,
                     of_line = static_cast<double>(blocks(plan, shape)),
                     tiles   = static_cast<double>(work(plan, shape));
        return predicted_time(
            tuning,
            ChannelSliceWindowLaunch{tiles * lines,
                                     std::ceil(tiles / std::max(1., of_line)),
                                     std::clamp(std::ceil(of_line * lines / plan.compute_units),
                                                1.,
                                                double{1} * Kernel::min_blocks_per_cu),
                                     static_cast<double>(tap_count(p)),
                                     static_cast<double>(shape.pixels()),
                                     bytes},
            plan.compute_units);
    }

private:
    template <class T>
    static std::string text(T n)
    {
        return std::to_string(n);
    }
    static long_index_t tap_count(const ConvProblem& p)
    {
        return p.filter[0] * p.filter[1] * p.filter[2];
    }

    /// Whether strides are 1, so that adjacent pixels of C read adjacent pixels of A. With longer
    /// strides the windows of few pixels fill LDS, and merged groups are faster.
    static Support check_strides(const ConvProblem& p)
    {
        for(std::size_t i = 0; i < 3; ++i)
            if(p.stride[i] != 1)
                return refused([&] {
                    return std::string("along ") + "DHW"[i] + " the stride is " +
                           text(p.stride[i]) + ", but this kernel is for strides of 1";
                });
        return {};
    }
    /// Whether the filter and a tile's windows fit LDS.
    static Support check_filter(const ConvProblem& p)
    {
        if(tap_count(p) > tuning.window.y)
            return refused([&] {
                return "the filter has " + text(tap_count(p)) +
                       " taps, but this kernel has room for " + text(tuning.window.y);
            });
        if(shape_of(p).width == 0)
            return refused([&] {
                return "the windows of a tile have more than " + text(tuning.window.columns) +
                       " pixels, which this kernel has no room for";
            });
        return {};
    }

    static TileShape shape_of(const ConvProblem& p)
    {
        return best_tile_shape(
            p, lengths_of(p, Direction::c), Kernel::pixels, 1, tuning.window.columns);
    }
    static PixelWindows windows(const Transform& transform)
    {
        if constexpr(backward)
            return a_windows(static_cast<const BackwardData&>(transform.all), 0);
        else
            return input_windows(transform.views);
    }

    /// Tiles of a line and sub-batch.
    static long_index_t work(const Plan& plan, const TileShape& shape)
    {
        return math::saturating_product(
            shape.segments.of_image(),
            long_index_t{math::min(plan.params.sub_batch_size, plan.params.batch)});
    }
    /// Blocks per line and sub-batch: as many as the device holds at once, at most one per tile.
    static long_index_t blocks(const Plan& plan, const TileShape& shape)
    {
        const long_index_t room  = long_index_t{plan.compute_units} * Kernel::min_blocks_per_cu,
                           lines = math::saturating_product(
                               long_index_t{plan.argument.problem.groups},
                               long_index_t{plan.params.tiles.sub_batches});
        return math::min(work(plan, shape),
                         math::max(room / math::max(lines, long_index_t{1}), long_index_t{1}));
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::channel_slice_windows, Direction, Transform, Types, tuning>
{
    using type = ConvChannelSliceWindows<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_channel_slice_windows(tuning); }
};

} // namespace ck::tensor_operation::device
