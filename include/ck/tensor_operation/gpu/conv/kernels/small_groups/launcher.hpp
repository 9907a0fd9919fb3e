#pragma once
// Launches of conv/kernels/small_groups/kernel.hpp: forward and backward data of groups of a few
// channels.
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/window_plan.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/small_groups/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/small_groups/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"

#include <algorithm>
#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvSmallGroups : public Launcher<Direction,
                                         Types,
                                         tuning,
                                         grid::GridwiseSmallGroupsConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseSmallGroupsConv<Transform, Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    static constexpr index_t most_channels =
        64; ///< channels of a group; with more, GEMM tiles are full

    static Support check_groups(const ConvProblem& p)
    {
        const auto text       = [](auto n) { return std::to_string(n); };
        const long_index_t in = lengths_of(p, Direction::a)[2], out = Direction::columns(p),
                           taps = p.filter[0] * p.filter[1] * p.filter[2];
        const auto check        = [&](const char* tensor, long_index_t count, index_t multiple) {
            return count > 0 && count <= most_channels && count % multiple == 0
                              ? Support{}
                              : refused([&] {
                             return "a group has " + text(count) + " channels of " + tensor +
                                    ", but this kernel is for multiples of " + text(multiple) +
                                    " up to " + text(most_channels);
                         });
        };
        return check_all(
            [&] { return check(Direction::a_name, in, Kernel::vector); },
            [&] { return check(Direction::c_name, out, Kernel::channels); },
            [&] {
                return taps * Kernel::vector <= Kernel::held ? Support{} : refused([&] {
                    return "the filter has " + text(taps) +
                           " taps, but this kernel holds at most " +
                           text(Kernel::held / Kernel::vector);
                });
            },
            [&] {
                return Kernel::taps == 1 || (p.filter[2] % Kernel::taps == 0 && p.stride[2] == 1 &&
                                             p.dilation[2] == 1)
                           ? Support{}
                           : refused([&] {
                                 return "along a row the filter has " + text(p.filter[2]) +
                                        " taps, the stride " + text(p.stride[2]) +
                                        " and the dilation " + text(p.dilation[2]) +
                                        ", but this kernel is for multiples of " +
                                        text(Kernel::taps) + " taps, 1 and 1";
                             });
            });
    }

    /// Rows of C in a tile, the fewest: segments of images one pixel wide.
    static constexpr index_t tile_rows(index_t columns)
    {
        return Kernel::block_segments(lanes(columns));
    }

    static void complete(Plan& plan)
    {
        const ConvProblem &p = plan.argument.problem, &own = plan.problem;
        const Shape s     = shape(plan);
        auto& r           = plan.params;
        const auto number = [](long_index_t n) { return static_cast<index_t>(n); };
        r.a_image         = window_image(p, image_axes, Direction::a, sizeof(typename Kernel::A));
        r.c_image         = window_image(p, image_axes, Direction::c, sizeof(typename Kernel::C));
        constexpr bool to_out  = Direction::c == Role::output;
        const TensorStrides& w = own.filter_strides;
        r.filter_group         = number(own.groups > 1 ? w[0] : 0);
        r.filter_out           = number(to_out ? w[1] : w[2]);
        r.filter_in            = number(to_out ? w[2] : w[1]);
        r.filter_plane         = number(w[3]);
        r.filter_row           = number(w[4]);
        r.filter_column        = number(w[5]);
        r.in_channels          = s.in_channels;
        r.out_channels         = make_divisor(number(Direction::columns(own)));
        r.all_channels         = s.channels;
        r.column_tiles         = r.tiles.column_tiles;
        r.lanes                = make_divisor(lanes(s.channels));
        r.piece                = s.piece;
        r.filter_vectors       = make_divisor(
            (Transform::b_along_k ? s.piece : math::min(s.channels, Kernel::most_channels)) /
            Kernel::vector);
        r.column_segments    = make_divisor(s.column_segments);
        r.rows               = make_divisor(s.rows);
        r.planes             = make_divisor(s.planes);
        r.segments           = s.segments;
        r.tiles.row_tiles    = make_divisor(number(s.row_tiles));
        r.tiles.column_tiles = make_divisor(r.tiles.groups.value * r.column_tiles.value);
        r.tiles.groups       = make_divisor(1);
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        const Shape s            = shape(plan);
        SmallGroupsLaunch launch = launch_of(plan, s);
        launch.bytes             = bytes;
        return predicted_time(tuning, launch, Kernel::channels, plan.compute_units);
    }

private:
    /// How a launch is divided, for one phase and sub-batch.
    struct Shape
    {
        index_t in_channels;                   ///< channels of A in a group
        index_t channels;                      ///< channels of C in groups computed as one
        index_t piece;                         ///< channels of A whose filters are in LDS
        index_t column_segments, rows, planes; ///< segments, rows and planes of an image
        index_t segments;                      ///< segments of a thread
        long_index_t row_tiles;
        double columns_of_tiles; ///< tiles side by side
    };

    /// Threads side by side.
    static constexpr index_t lanes(index_t channels)
    {
        return math::max(1, math::min(channels, Kernel::most_channels) / Kernel::channels);
    }

    static Shape shape(const Plan& plan)
    {
        constexpr index_t most_segments = 8;
        const ConvProblem &p = plan.argument.problem, &own = plan.problem;
        const TensorLengths c = lengths_of(p, Direction::c);
        const auto extent     = [&](std::size_t i) { // the phase that has the most
            const long_index_t stride = Direction::c == Role::input ? p.stride[i] : 1;
            return math::max(1, static_cast<index_t>(math::integer_divide_ceil(c[3 + i], stride)));
        };
        Shape s{};
        s.in_channels      = static_cast<index_t>(lengths_of(own, Direction::a)[2]);
        s.channels         = static_cast<index_t>(Direction::columns(p));
        const index_t taps = static_cast<index_t>(p.filter[0] * p.filter[1] * p.filter[2]);
        s.piece = math::min(s.in_channels, Kernel::held / taps / Kernel::vector * Kernel::vector);
        s.column_segments  = math::integer_divide_ceil(extent(2), Kernel::columns);
        s.rows             = extent(1);
        s.planes           = extent(0);
        s.columns_of_tiles = double{1} * plan.params.tiles.groups.value *
                             math::integer_divide_ceil(s.channels, Kernel::most_channels);
        const long_index_t of_sub_batch =
            long_index_t{s.column_segments} * s.rows * s.planes *
            math::max(1, math::min(plan.params.sub_batch_size, plan.params.batch));
        // Find the segments per thread with the shortest time: filters are copied once for all of
        // them, but blocks end in rounds.
        double least = 0;
        for(index_t segments = 1; segments <= (s.piece < s.in_channels ? 1 : most_segments);
            ++segments)
        {
            Shape other     = s;
            other.segments  = segments;
            other.row_tiles = math::integer_divide_ceil(
                of_sub_batch, long_index_t{segments} * Kernel::block_segments(lanes(s.channels)));
            const double time = small_groups_cycles(
                tuning, launch_of(plan, other), Kernel::channels, plan.compute_units);
            if(segments == 1 || time < least)
            {
                least = time;
                s     = other;
            }
        }
        return s;
    }

    /// The model's launch, without bytes.
    static SmallGroupsLaunch launch_of(const Plan& plan, const Shape& s)
    {
        const ConvProblem& p = plan.problem;
        const double places  = double{1} * plan.compute_units * Kernel::min_blocks_per_cu,
                     blocks  = static_cast<double>(s.row_tiles) * s.columns_of_tiles *
                              plan.params.tiles.phases.value * plan.params.tiles.sub_batches,
                     taps = static_cast<double>(p.filter[0] * p.filter[1] * p.filter[2]) /
                            plan.params.tiles.phases.value,
                     vectors = static_cast<double>(s.in_channels) / Kernel::vector;
        return {std::ceil(blocks / places) * places * Kernel::block_size,
                double{1} * s.segments,
                taps / Kernel::taps * vectors,
                taps * vectors * math::min(s.channels, Kernel::most_channels) / Kernel::block_size,
                0};
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::small_groups, Direction, Transform, Types, tuning>
{
    using type = ConvSmallGroups<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_small_groups(tuning); }
};

} // namespace ck::tensor_operation::device
