#pragma once
// Launches of conv/kernels/small_groups/weight_kernel.hpp (backward weight of groups with few
// channels or one): which problems it takes, the direction of lines, and how dW is divided into
// pieces and the sum into partial sums.
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/window_plan.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/small_groups/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/small_groups/weight_kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"

#include <algorithm>
#include <string>

namespace ck::tensor_operation::device {

template <class Types, GemmTuning tuning>
struct ConvWeightSmallGroups : public Launcher<BackwardWeightDirection,
                                               Types,
                                               tuning,
                                               grid::GridwiseSmallGroupsWeightConv<Types, tuning>>
{
    using Kernel   = grid::GridwiseSmallGroupsWeightConv<Types, tuning>;
    using Argument = ConvArgument<Types>;
    using Plan     = LaunchPlan<Argument, typename Kernel::Params>;

    static constexpr bool takes_groups      = true;
    static constexpr index_t most_channels  = 64; ///< channels of a group
    static constexpr long_index_t most_taps = 1 << 16;

    static Support check_groups(const ConvProblem& p)
    {
        const auto text         = [](auto n) { return std::to_string(n); };
        const long_index_t taps = p.filter[0] * p.filter[1] * p.filter[2];
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
            [&] {
                return Kernel::depthwise ? check_depthwise(p)
                                         : check("X", p.in_channels, Kernel::vector);
            },
            [&] {
                return Kernel::depthwise ? Support{}
                                         : check("dY", p.out_channels, Kernel::channels);
            },
            [&] {
                return taps <= most_taps ? Support{} : refused([&] {
                    return "the filter has " + text(taps) +
                           " taps, but this kernel is for at most " + text(most_taps);
                });
            },
            [&] {
                return !Kernel::neighbours || has_neighbours(p, 1) || has_neighbours(p, 2)
                           ? Support{}
                           : refused("neither along rows nor along columns are the stride and the "
                                     "dilation 1 and 1, as this kernel's threads need for the " +
                                     text(Kernel::taps) + " taps that they have");
            });
    }

    static Support check_tensors(const Argument& a)
    {
        const ConvProblem &p = a.problem, whole = merge_groups(p, p.groups);
        if constexpr(!Kernel::depthwise)
            return check_all([&] { return check_merge("dY", p.output_strides, p.out_channels); },
                             [&] { return check_merge("X", p.input_strides, p.in_channels); });
        const auto check = [&](const char* name, Role role, std::size_t bytes, const void* base) {
            return check_vectors(name,
                                 "G",
                                 lengths_of(whole, role),
                                 strides_of(whole, role),
                                 2,
                                 Kernel::vector,
                                 static_cast<index_t>(bytes),
                                 base);
        };
        return check_all([&] { return check("dY", Role::output, sizeof(typename Kernel::A), a.a); },
                         [&] { return check("X", Role::input, sizeof(typename Kernel::B), a.b); });
    }

    /// Whether 32-bit offsets reach all groups of a sub-batch.
    static Support check(const ConvProblem& p, index_t sub_batches)
    {
        const ConvProblem whole = merge_groups(p, p.groups);
        const auto check_reach  = [&](const char* name, Role role, std::size_t bytes) {
            TensorLengths lengths = lengths_of(whole, role);
            lengths[1]            = math::integer_divide_ceil(p.batch, math::max(sub_batches, 1));
            const long_index_t reach = ck::detail::reach_in_bytes(
                lengths, strides_of(whole, role), static_cast<index_t>(bytes));
            return reach <= ck::detail::index_limit ? Support{} : refused([&] {
                return std::string(name) + " of all groups spans " + std::to_string(reach) +
                       " bytes, but this kernel's 32-bit offsets need less than 2^31";
            });
        };
        return check_all(
            [&] { return check_reach("dY", Role::output, sizeof(typename Kernel::A)); },
            [&] { return check_reach("X", Role::input, sizeof(typename Kernel::B)); });
    }

    /// Returns the number of partial sums with the shortest predicted launch.
    static SplitPlan split(const ConvProblem& p, index_t sub_batch_size, index_t units, bool whole)
    {
        const Cut cut         = make_cut(p);
        const double places   = double{1} * units * Kernel::min_blocks_per_cu,
                     segments = static_cast<double>(segments_of(p, sub_batch_size, cut)),
                     most     = std::max(1., std::ceil(segments / cut.segment_threads));
        return plan_rounds({cut.blocks(), places, most, 4, whole},
                           [&](index_t parts) {
                               return cycles(p, cut, segments, parts, units) +
                                      Memory{}.more(parts > 1 || !whole ? parts * partial_bytes(p)
                                                                        : 0);
                           })
            .plan();
    }

    static void complete(Plan& plan)
    {
        const ConvProblem &p = plan.problem, whole = merge_groups(p, p.groups);
        const Cut cut     = make_cut(p);
        const auto number = [](long_index_t n) { return static_cast<index_t>(n); };
        const auto axis   = [&](std::size_t i) {
            return typename Kernel::Axis{
                number(-p.pad_low[i]), number(p.stride[i]), number(p.dilation[i])};
        };
        auto& r           = plan.params;
        r.x               = window_image(whole, cut.axes, Role::input, sizeof(typename Kernel::B));
        r.dy              = window_image(whole, cut.axes, Role::output, sizeof(typename Kernel::A));
        r.planes_of_x     = axis(0);
        r.rows_of_x       = axis(cut.axes.row);
        r.columns_of_x    = axis(cut.axes.column);
        r.dw              = filter_distances(p, cut.axes);
        r.partial         = partial_distances(p, cut.axes, r.partial_sums);
        r.out_channels    = make_divisor(number(p.out_channels));
        r.in_channels     = number(p.in_channels);
        r.all_channels    = number(whole.out_channels);
        r.channel_blocks  = make_divisor(cut.channel_blocks);
        r.lanes           = make_divisor(cut.lanes);
        r.in_vectors      = make_divisor(cut.in_vectors);
        r.taps_of_row     = make_divisor(cut.taps_of_row);
        r.filter_rows     = make_divisor(number(p.filter[cut.axes.row]));
        r.last_tap        = number(p.filter[cut.axes.column]);
        r.pieces          = cut.pieces;
        r.block_pieces    = make_divisor(cut.block_pieces);
        r.segment_threads = cut.segment_threads;
        r.line_segments   = make_divisor(cut.line_segments);
        r.rows            = make_divisor(math::max(r.dy.rows, 1));
        r.planes          = make_divisor(math::max(r.dy.planes, 1));
        r.segment_pixels  = cut.segment_pixels;
        r.segments_of_image = number(cut.segments_of_image);
        r.part_segments = number(math::integer_divide_ceil(segments_of(p, r.sub_batch_size, cut),
                                                           long_index_t{r.tiles.splits.value}));
        r.tiles.column_tiles = make_divisor(cut.channel_blocks * cut.piece_blocks);
        r.tiles.row_tiles    = make_divisor(1);
        r.tiles.groups       = make_divisor(1);
    }

    static double predict(const Plan& plan, double bytes, double more_bytes)
    {
        const ConvProblem& p = plan.problem;
        const Cut cut        = make_cut(p);
        return Memory{}.overlapped(
                   cycles(p,
                          cut,
                          static_cast<double>(segments_of(p, plan.params.sub_batch_size, cut)),
                          plan.params.tiles.splits.value,
                          plan.compute_units) *
                       plan.params.tiles.sub_batches,
                   bytes) +
               Memory{}.more(more_bytes);
    }

private:
    /// How a launch is divided.
    struct Cut
    {
        WindowAxes axes;
        index_t channel_blocks, lanes, in_vectors, taps_of_row;
        index_t pieces, block_pieces, piece_blocks, segment_threads;
        index_t line_segments, segment_pixels;
        long_index_t segments_of_image;

        double blocks() const { return double{1} * channel_blocks * piece_blocks; }
    };

    static bool has_neighbours(const ConvProblem& p, std::size_t i)
    {
        return p.stride[i] == 1 && (p.dilation[i] == 1 || p.filter[i] == 1);
    }

    /// Lines lie along the dimension that wastes fewer taps.
    static WindowAxes axes_of(const ConvProblem& p)
    {
        constexpr WindowAxes along_y{2, 1};
        if(Kernel::taps == 1 || (Kernel::neighbours && !has_neighbours(p, 1)))
            return image_axes;
        const auto waste = [&](std::size_t i) {
            const double filter = static_cast<double>(p.filter[i]);
            return std::ceil(filter / Kernel::taps) / filter;
        };
        return (Kernel::neighbours && !has_neighbours(p, 2)) || waste(1) < waste(2) ? along_y
                                                                                    : image_axes;
    }

    static Cut make_cut(const ConvProblem& p)
    {
        constexpr index_t most_pixels = 64; // pixels of a segment, about
        Cut c{};
        c.axes            = axes_of(p);
        const index_t all = static_cast<index_t>(p.groups * p.out_channels);
        c.channel_blocks  = math::max(1, math::integer_divide_ceil(all, Kernel::most_channels));
        c.lanes           = math::max(
            1, math::integer_divide_ceil(math::min(all, Kernel::most_channels), Kernel::channels));
        c.in_vectors = Kernel::depthwise
                           ? 1
                           : math::max(1, static_cast<index_t>(p.in_channels) / Kernel::vector);
        c.taps_of_row =
            math::integer_divide_ceil(static_cast<index_t>(p.filter[c.axes.column]), Kernel::taps);
        c.pieces = c.lanes * c.in_vectors * c.taps_of_row *
                   static_cast<index_t>(p.filter[0] * p.filter[c.axes.row]);
        // Use as few blocks as leave few threads idle.
        const index_t fewest = math::integer_divide_ceil(c.pieces, Kernel::block_size);
        double best          = 0;
        for(index_t count = fewest; count <= 4 * fewest; ++count)
        {
            const index_t of_block        = math::integer_divide_ceil(c.pieces, count),
                          segment_threads = Kernel::block_size / of_block;
            const double busy =
                double{1} * c.pieces * segment_threads / (double{1} * count * Kernel::block_size);
            if(busy > 1.05 * best)
            {
                best              = busy;
                c.block_pieces    = of_block;
                c.piece_blocks    = math::integer_divide_ceil(c.pieces, of_block);
                c.segment_threads = segment_threads;
            }
        }
        const TensorLengths y = lengths_of(p, Role::output);
        const auto length     = math::max(1, static_cast<index_t>(y[3 + c.axes.column]));
        c.line_segments       = math::integer_divide_ceil(length, most_pixels);
        c.segment_pixels      = math::integer_least_multiple(
            math::integer_divide_ceil(length, c.line_segments), Kernel::columns);
        c.line_segments     = math::integer_divide_ceil(length, c.segment_pixels);
        c.segments_of_image = long_index_t{c.line_segments} * y[3 + c.axes.row] * y[3];
        return c;
    }

    /// Segments of a sub-batch's images.
    static long_index_t segments_of(const ConvProblem& p, index_t sub_batch_size, const Cut& cut)
    {
        return cut.segments_of_image * std::min<long_index_t>(p.batch, sub_batch_size);
    }

    /// Returns the bytes of a partial, written and read.
    static double partial_bytes(const ConvProblem& p)
    {
        return 2. * sizeof(typename Kernel::Part) *
               static_cast<double>(p.groups * p.out_channels * BackwardWeightDirection::columns(p));
    }

    /// Returns the clock cycles of a launch, without those of memory.
    static double
    cycles(const ConvProblem&, const Cut& cut, double segments, index_t parts, index_t units)
    {
        const double places    = double{1} * units * Kernel::min_blocks_per_cu,
                     of_thread = std::ceil(std::ceil(segments / parts) / cut.segment_threads);
        return predicted_weight_cycles(
            tuning,
            {std::ceil(cut.blocks() * parts / places) * Kernel::min_blocks_per_cu *
                 Kernel::block_size,
             of_thread,
             of_thread * math::integer_divide_ceil(cut.segment_pixels, Kernel::columns),
             double{1} * Kernel::line + Kernel::columns * Kernel::dy_vectors,
             double{1} * Kernel::taps * Kernel::sums,
             double{1} * cut.segment_threads});
    }
};

template <class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::small_groups, BackwardWeightDirection, Transform, Types, tuning>
{
    using type = ConvWeightSmallGroups<Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_small_groups_weight(tuning); }
};

} // namespace ck::tensor_operation::device
