#pragma once
// Launches of conv/kernels/sliding_window/kernel.hpp: forward and backward data, for groups of one
// channel and filters of one size.
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/window_plan.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvWindows
    : public Launcher<Direction, Types, tuning, grid::GridwiseWindowConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseWindowConv<Transform, Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    static constexpr bool backward = Direction::c == Role::input;
    static_assert(!backward || Kernel::stride == 1, "dX of strides has several kinds of rows");

    static Support check_groups(const ConvProblem& p) { return check_window(p, tuning.window); }

    /// At the most.
    static constexpr index_t tile_rows(index_t columns)
    {
        return Kernel::segment_threads(columns) * Kernel::columns;
    }

    static void complete(Plan& plan)
    {
        const ConvProblem& p          = plan.argument.problem;
        auto& g                       = plan.params.geometry;
        g                             = window_geometry(p,
                            window_axes(p),
                            windows(plan.params.transform),
                            plan.problem.filter_strides,
                            Direction::a,
                            sizeof(typename Kernel::A),
                            Direction::c,
                            sizeof(typename Kernel::C));
        g.groups                      = static_cast<index_t>(Direction::columns(p));
        const WindowSegments segments = choose(plan);
        segments.set(g);
        grid::TileMap& tiles = plan.params.tiles;
        tiles.column_tiles   = tiles.groups;
        tiles.row_tiles      = make_divisor(static_cast<index_t>(blocks(plan, segments)));
        tiles.groups         = make_divisor(1);
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        const WindowSegments s = choose(plan);
        // Threads of a device that few blocks fill are faster, the less so the more products
        // each has.
        constexpr Window w           = tuning.window;
        constexpr double least_round = w.columns > 1 && w.x > 3 ? 0.1 * w.x : 0.35;
        const double cycles          = std::clamp(rounds(plan, s), least_round, 1.) * cost(plan, s);
        return predicted_window_time(tuning,
                                     cycles * plan.compute_units * Kernel::min_blocks_per_cu *
                                         Kernel::block_size *
                                         windows_longer_for<typename Kernel::A>(tuning),
                                     bytes,
                                     plan.compute_units);
    }

private:
    static PixelWindows windows(const Transform& transform)
    {
        if constexpr(backward)
            return a_windows(transform.all, 0);
        else
            return input_windows(transform.views);
    }
    /// Returns the blocks of a tile's group and sub-batch.
    static long_index_t blocks(const Plan& plan, const WindowSegments& segments)
    {
        const auto groups    = static_cast<index_t>(Direction::columns(plan.argument.problem));
        const index_t images = math::min(plan.params.sub_batch_size, plan.params.batch);
        return math::integer_divide_ceil(
            math::saturating_product(segments.of_image(), long_index_t{images}),
            long_index_t{Kernel::segment_threads(groups)});
    }
    /// Returns how often blocks fill the device.
    static double rounds(const Plan& plan, const WindowSegments& segments)
    {
        return static_cast<double>(blocks(plan, segments)) *
               static_cast<double>(plan.argument.problem.groups) * plan.params.tiles.sub_batches /
               (double{1} * plan.compute_units * Kernel::min_blocks_per_cu);
    }
    /// Rows of a segment before its first output row; and filters, which take the time of some.
    static constexpr index_t rows_before = Kernel::live - 1 + 6;

    /// Returns the rows that the threads of one place compute: of rounds of blocks.
    static double cost(const Plan& plan, const WindowSegments& segments)
    {
        return std::ceil(rounds(plan, segments)) * (segments.length + rows_before);
    }
    static WindowSegments choose(const Plan& plan)
    {
        const ConvProblem& p = plan.argument.problem;
        const double segment_threads =
                         Kernel::segment_threads(static_cast<index_t>(Direction::columns(p))),
                     images = math::min(plan.params.sub_batch_size, plan.params.batch),
                     places = double{1} * plan.compute_units * Kernel::min_blocks_per_cu;
        return cheapest_segments(p,
                                 Direction::c,
                                 Kernel::columns,
                                 [&](const WindowSegments& s) { return cost(plan, s); },
                                 {images / segment_threads * static_cast<double>(p.groups) *
                                      plan.params.tiles.sub_batches / places,
                                  rows_before});
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::sliding_window, Direction, Transform, Types, tuning>
{
    using type = ConvWindows<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_window(tuning); }
};

} // namespace ck::tensor_operation::device
