#pragma once
// Launches of grid/gridwise_window_conv.hpp: for groups of one channel and filters of one size.
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_window_conv.hpp"

#include <limits>
#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvWindows
    : public Launcher<Direction, Types, tuning, grid::GridwiseWindowConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseWindowConv<Transform, Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    static constexpr bool backward = Direction::c == Role::input;
    static_assert(!backward || Kernel::stride == 1, "strides of dX are residue classes");

    /// One channel of X and one of Y in each; the filter's lengths and the strides are the
    /// kernel's.
    static Support check_groups(const ConvProblem& p)
    {
        const auto text = [](auto n) { return std::to_string(n); };
        if(p.in_channels != 1 || p.out_channels != 1)
            return refused("a group has " + text(p.in_channels) + " channels of X and " +
                           text(p.out_channels) +
                           " of Y, but this kernel is for depthwise convolutions, one and one");
        if(p.filter[0] != 1 || p.input[0] != 1 || p.output()[0] != 1)
            return refused("Z is " + text(p.filter[0]) + ", Di " + text(p.input[0]) + " and Do " +
                           text(p.output()[0]) +
                           ", but this kernel slides windows over images, whose depth is 1");
        const Axes at     = axes(p);
        const auto refuse = [&](const char* what, Spatial values, index_t row, index_t column) {
            return refused(std::string("the ") + what + " is " + text(values[at.row]) + " by " +
                           text(values[at.column]) + ", but this kernel is for " + text(row) +
                           " by " + text(column));
        };
        if(p.filter[at.row] != Kernel::taps_y || p.filter[at.column] != Kernel::taps_x)
            return refuse("filter", p.filter, Kernel::taps_y, Kernel::taps_x);
        for(const std::size_t i : {at.row, at.column})
        {
            const bool counts = i == at.row || p.rank > 1; // a 1D problem has one column
            if(counts && p.stride[i] != Kernel::stride)
                return refuse("stride", p.stride, Kernel::stride, Kernel::stride);
            if(p.filter[i] > 1 && p.dilation[i] != 1)
                return refuse("dilation", p.dilation, 1, 1);
        }
        return {};
    }

    /// At the most.
    static constexpr index_t tile_rows(index_t columns)
    {
        return Kernel::strips(columns) * Kernel::columns;
    }

    static void complete(Plan& plan)
    {
        const ConvProblem& p        = plan.argument.problem;
        auto& r                     = plan.params;
        grid::WindowGeometry& g     = r.geometry;
        const Axes at               = axes(p);
        g.groups                    = static_cast<index_t>(Direction::columns(p));
        g.a                         = image(p, Direction::a, sizeof(typename Kernel::A));
        g.c                         = image(p, Direction::c, sizeof(typename Kernel::C));
        const TensorStrides& filter = plan.problem.filter_strides;
        g.filter_group              = element(filter[0]);
        g.filter_row                = element(filter[3 + at.row]);
        g.filter_column             = element(filter[3 + at.column]);
        g.first_row                 = element(-p.pad_low[at.row]);
        g.first_column              = element(-p.pad_low[at.column]);
        if(backward) // windows of dY have the filter's taps from the last to the first
        {
            g.filter_first =
                (Kernel::taps_y - 1) * g.filter_row + (Kernel::taps_x - 1) * g.filter_column;
            g.filter_row    = -g.filter_row;
            g.filter_column = -g.filter_column;
            g.first_row     = 1 - Kernel::taps_y - g.first_row;
            g.first_column  = 1 - Kernel::taps_x - g.first_column;
        }
        const Strips strips = choose(plan);
        g.strip_rows        = strips.rows;
        g.column_strips     = make_divisor(strips.columns);
        g.row_strips        = make_divisor(math::integer_divide_ceil(g.c.rows, strips.rows));
        r.tiles.row_tiles   = make_divisor(static_cast<index_t>(strips.blocks));
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        return predicted_window_time(tuning, choose(plan).thread_steps, bytes, plan.units);
    }

private:
    /// Dimensions of Spatial that are the rows and columns of an image. Of 1D problems the pixels
    /// are rows.
    struct Axes
    {
        std::size_t row, column;
    };
    static Axes axes(const ConvProblem& p) { return p.rank == 1 ? Axes{2, 1} : Axes{1, 2}; }

    static index_t element(long_index_t n) { return static_cast<index_t>(n); }

    static grid::WindowGeometry::Image image(const ConvProblem& p, Role role, std::size_t size)
    {
        const Axes at                = axes(p);
        const TensorLengths lengths  = lengths_of(p, role);
        const TensorStrides& strides = strides_of(p, role);
        // Of a length of 1 or less the stride may be anything: nothing is at a distance.
        const auto bytes = [&](std::size_t i) {
            return lengths[i] > 1
                       ? static_cast<index_t>(strides[i] * static_cast<long_index_t>(size))
                       : 0;
        };
        return {element(lengths[3 + at.row]),
                element(lengths[3 + at.column]),
                bytes(3 + at.row),
                bytes(3 + at.column),
                bytes(2),
                bytes(1)};
    }

    /// How images are cut.
    struct Strips
    {
        index_t columns;     ///< strips side by side
        index_t rows;        ///< of C, of a strip
        long_index_t blocks; ///< of a tile's group and chunk
        double thread_steps; ///< steps of all threads of the launch, see GridwiseWindowConv
    };
    /// Cuts rows so that all compute units have work, and few rows are loaded twice.
    static Strips choose(const Plan& plan)
    {
        const ConvProblem& p        = plan.argument.problem;
        const Axes at               = axes(p);
        const TensorLengths lengths = lengths_of(p, Direction::c);
        const index_t rows = element(lengths[3 + at.row]), groups = element(Direction::columns(p)),
                      columns        = math::integer_divide_ceil(element(lengths[3 + at.column]),
                                                          Kernel::columns),
                      block_strips   = Kernel::strips(groups),
                      images         = math::min(plan.params.chunk_batch, plan.params.batch);
        const double tiles           = static_cast<double>(p.groups) * plan.params.tiles.chunks;
        constexpr double start_steps = 6; // of a block, that copies filters
        const double room            = double{1} * plan.units * Kernel::min_blocks_per_unit;
        Strips best{columns, math::max(rows, 1), 1, 0};
        double least = std::numeric_limits<double>::max();
        for(index_t count = 1; count <= rows; ++count)
        {
            const index_t strip_rows = math::integer_divide_ceil(rows, count);
            if(count > 1 && math::integer_divide_ceil(rows, strip_rows) != count)
                continue; // the same as fewer strips
            const long_index_t blocks = math::integer_divide_ceil(
                math::saturating_product(long_index_t{images} * columns, long_index_t{count}),
                long_index_t{block_strips});
            const double rounds = std::ceil(static_cast<double>(blocks) * tiles / room);
            const double steps  = strip_rows + Kernel::live - 1 + start_steps;
            if(const double cost = rounds * steps; cost < least)
            {
                least = cost;
                best  = {columns,
                         strip_rows,
                         blocks,
                         steps * static_cast<double>(blocks) * tiles * Kernel::block_size};
            }
        }
        return best;
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::sliding_window, Direction, Transform, Types, tuning>
{
    using type = ConvWindows<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_window(tuning); }
};

} // namespace ck::tensor_operation::device
