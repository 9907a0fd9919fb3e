#pragma once
// Launches of conv/kernels/channel_slice/weight_kernel.hpp, backward weight of many small
// groups: which problems it takes, its halo tiles, the number of partial sums, and its
// time.
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice/weight_cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice/weight_kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_geometry/groups_plan.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"

#include <string>

namespace ck::tensor_operation::device {

template <class Types, GemmTuning tuning>
struct ConvWeightChannelSlices
    : public Launcher<BackwardWeightDirection,
                      Types,
                      tuning,
                      grid::GridwiseChannelSliceWeightConv<Types, tuning>>
{
    using Kernel    = grid::GridwiseChannelSliceWeightConv<Types, tuning>;
    using Params    = typename Kernel::Params;
    using Argument  = ConvArgument<Types>;
    using Plan      = LaunchPlan<Argument, Params>;
    using Direction = BackwardWeightDirection;

    static constexpr bool takes_groups = true;

    static Support check_groups(const ConvProblem& p)
    {
        return check_channel_slice_groups(p, Kernel::channel_slice);
    }

    /// Whether tensor maps can copy lines of the channels of all groups.
    static Support check_tensors(const Argument& a)
    {
        const ConvProblem &p = a.problem, whole = merge_groups(p, p.groups);
        const auto check = [&](const char* name, Role role, std::size_t bytes, const void* base) {
            return check_vectors(name,
                                 role == Role::output ? "G * K" : "G * C",
                                 lengths_of(whole, role),
                                 strides_of(whole, role),
                                 2,
                                 Kernel::pack,
                                 static_cast<index_t>(bytes),
                                 base);
        };
        return check_all([&] { return check_merge("dY", p.output_strides, p.out_channels); },
                         [&] { return check_merge("X", p.input_strides, p.in_channels); },
                         [&] { return check("dY", Role::output, sizeof(typename Types::A), a.a); },
                         [&] { return check("X", Role::input, sizeof(typename Types::B), a.b); });
    }

    /// Sums consist of whole tiles of pixels.
    static long_index_t
    products_of_sum(const ConvProblem& p, index_t, index_t, const SplitPlan& split)
    {
        HaloTiles halo_tiles;
        if(!check_boxes(merge_groups(p, p.groups), 1, "halo tiles") || make(halo_tiles, p))
            return 0; // which is not supported
        return long_index_t{tuning.block_tile.k} *
               math::integer_divide_ceil(halo_tiles.tile_count, split.partial_sums);
    }

    /// sub_batches: of the batch.
    static Support check(const ConvProblem& p, index_t sub_batches)
    {
        if(const Support s = check_boxes(merge_groups(p, p.groups), sub_batches, "halo tiles"); !s)
            return s;
        HaloTiles halo_tiles;
        if(const char* reason = make(halo_tiles, p))
            return refused([&] { return std::string(reason) + ", for this kernel's halo tiles"; });
        for(int i = 0; i < 3; ++i)
            if(const index_t reach = (halo_tiles.halo[i] - 1) * halo_tiles.step[i] + 1; reach > 256)
                return refused([&] {
                    return "a halo tile spans " + std::to_string(reach) +
                           " pixels of X, but a tensor map's box at most 256";
                });
        return {};
    }

    /// Returns the number of partial sums with the shortest predicted launch.
    static SplitPlan split(const ConvProblem& p, index_t, index_t units, bool whole)
    {
        HaloTiles halo_tiles;
        if(!check_boxes(merge_groups(p, p.groups), 1, "halo tiles") || make(halo_tiles, p))
            return {.whole = whole}; // which is not supported
        const double bytes =
                         moved_bytes<Direction>(p,
                                                {static_cast<index_t>(sizeof(typename Types::B)),
                                                 static_cast<index_t>(sizeof(typename Types::C)),
                                                 static_cast<index_t>(sizeof(typename Types::A))}),
                     partial_bytes =
                         2. * sizeof(typename Kernel::Accumulator) *
                         static_cast<double>(p.groups * p.out_channels * Direction::columns(p));
        // Partial sums that fill the device half, once, or several times.
        return plan_rounds({blocks_of_partial(p),
                            double{1} * units,
                            double{1} * halo_tiles.tile_count,
                            4 * Kernel::min_blocks_per_cu,
                            whole},
                           [&](index_t parts) {
                               const double more = parts > 1 || !whole ? parts * partial_bytes : 0;
                               return predicted_time(
                                   tuning, launch(p, halo_tiles, parts, bytes, more), units);
                           })
            .plan();
    }

    static void complete(Plan& plan)
    {
        Params& r               = plan.params;
        const ConvProblem& p    = plan.argument.problem;
        const ConvProblem whole = merge_groups(p, p.groups);
        HaloTiles& halo_tiles   = r.halo_tiles;
        make(halo_tiles, p);
        const auto divisor = [](long_index_t length, index_t of_tile) {
            return make_divisor(math::integer_divide_ceil(static_cast<index_t>(length), of_tile));
        };
        r.lines       = divisor(whole.in_channels, Kernel::line);
        r.z_taps      = divisor(p.filter[0], 1);
        r.y_blocks    = divisor(p.filter[1], Kernel::y_taps);
        r.x_blocks    = divisor(p.filter[2], Kernel::x_taps);
        r.filter[0]   = static_cast<index_t>(p.filter[2]);
        r.filter[1]   = static_cast<index_t>(p.filter[1]);
        r.channels    = make_divisor(static_cast<index_t>(p.in_channels));
        r.groups      = static_cast<index_t>(p.groups);
        r.halo_lines  = halo_lines(halo_tiles);
        r.stage_bytes = stage_bytes(halo_tiles);
        r.stages      = math::min(Kernel::most_stages, Kernel::pool_bytes / r.stage_bytes);
        r.c_row       = static_cast<index_t>(p.filter_strides[1]);
        r.c_column    = column_distance(p);
        for(int i = 0; i < 3; ++i)
            r.dilation[i] = static_cast<index_t>(p.dilation[static_cast<std::size_t>(2 - i)]);
        set_tap_lines(r);
        for(index_t step = 0; step < Kernel::steps; ++step)
        {
            const index_t first    = step * Kernel::step_pixels / HaloTiles::group,
                          sub_tile = first / HaloTiles::groups, group = first % HaloTiles::groups;
            r.a_step[step] = Kernel::own_bytes + (sub_tile * halo_tiles.sub_tile_lines +
                                                  group * halo_tiles.group_lines) *
                                                     Kernel::line_bytes;
            r.b_step[step] =
                (sub_tile * halo_tiles.own.sub_tile_lines + group * halo_tiles.own.group_lines) *
                Kernel::line_bytes;
        }
        const auto lines_of = [&](Role role, const void* base) {
            return whole_tensor(
                whole, role, base, 3, Kernel::line, Kernel::line_bytes / Kernel::line);
        };
        arch::TensorBox own = lines_of(Direction::a, r.a), box = lines_of(Direction::b, r.b);
        for(int i = 0; i < 4; ++i)
        {
            own.box[i] = halo_tiles.extent[i];
            box.box[i] = halo_tiles.halo[i];
        }
        for(int i = 0; i < 3; ++i)
            box.step[i] = halo_tiles.step[i];
        make_map(r.a_map, own);
        make_map(r.b_map, box);
    }

    static double predict(const Plan& plan, double bytes, double more_bytes)
    {
        HaloTiles halo_tiles;
        make(halo_tiles, plan.problem);
        return predicted_time(
            tuning,
            launch(plan.problem, halo_tiles, plan.params.tiles.splits.value, bytes, more_bytes),
            plan.compute_units);
    }

private:
    /// Workgroups that compute one partial sum of dW.
    static double blocks_of_partial(const ConvProblem& p)
    {
        const auto count = [](long_index_t length, index_t of_tile) {
            return static_cast<double>(math::integer_divide_ceil(length, long_index_t{of_tile}));
        };
        return count(p.groups * p.in_channels, Kernel::line) * tap_blocks(p);
    }
    static double tap_blocks(const ConvProblem& p)
    {
        const auto count = [](long_index_t length, index_t of_tile) {
            return static_cast<double>(math::integer_divide_ceil(length, long_index_t{of_tile}));
        };
        return static_cast<double>(p.filter[0]) * count(p.filter[1], Kernel::y_taps) *
               count(p.filter[2], Kernel::x_taps);
    }

    /// Elements between columns (z, y, x, c) of dW, if they are evenly spaced.
    static index_t column_distance(const ConvProblem& p)
    {
        const TensorLengths lengths = p.filter_lengths();
        for(const std::size_t i : {2, 5, 4, 3}) // c x y z
            if(lengths[i] > 1)
                return static_cast<index_t>(p.filter_strides[i]);
        return 0;
    }

    static ChannelSliceWeightLaunch launch(const ConvProblem& p,
                                           const HaloTiles& halo_tiles,
                                           index_t parts,
                                           double bytes,
                                           double more_bytes)
    {
        constexpr double steps = Kernel::steps,
                         matrix_reads =
                             2 * Kernel::column_tiles + 4 * Kernel::tap_tiles * Kernel::row_tiles;
        return {blocks_of_partial(p) * parts,
                std::ceil(double{1} * halo_tiles.tile_count / parts),
                steps * Kernel::waves * matrix_reads,
                steps * Kernel::waves * Kernel::tap_tiles * Kernel::row_tiles *
                    Kernel::column_tiles,
                double{1} * stage_bytes(halo_tiles) / Kernel::line_bytes,
                bytes * tap_blocks(p),
                more_bytes};
    }

    /// Lines from a tap group's halo tile to the next, which tensor maps align.
    static index_t halo_lines(const HaloTiles& halo_tiles)
    {
        constexpr index_t aligned = 8;
        return math::integer_least_multiple(halo_tiles.lines(), aligned);
    }
    static index_t stage_bytes(const HaloTiles& halo_tiles)
    {
        return Kernel::own_bytes +
               halo_tiles.of_phase[0].tap_groups * halo_lines(halo_tiles) * Kernel::line_bytes;
    }

    /// Sets where X's pixels begin in a stage for each tap. Taps that the filter does not have read
    /// what the first tap reads.
    static void set_tap_lines(Params& r)
    {
        const HaloTiles& halo_tiles = r.halo_tiles;
        for(index_t& tap_line : r.tap_line)
            tap_line = 0;
        for(index_t n = 0; n < halo_tiles.of_phase[0].tap_groups; ++n)
        {
            const HaloTiles::TapGroup& tap_group = halo_tiles.tap_group[n];
            for(index_t y = 0; y < tap_group.taps[1]; ++y)
                for(index_t x = 0; x < tap_group.taps[0]; ++x)
                    r.tap_line[tap_group.first_tap + x * halo_tiles.tap_step[0] +
                               y * halo_tiles.tap_step[1]] =
                        n * r.halo_lines + tap_group.first_line + x * halo_tiles.line_step[0] +
                        y * halo_tiles.line_step[1];
        }
    }

    /// Makes halo tiles for the workgroup's taps so that two stages fit, or says why it
    /// cannot.
    static const char* make(HaloTiles& r, const ConvProblem& p)
    {
        const auto windows = [&](index_t) {
            PixelWindows w      = input_windows(BackwardWeight::make(p, 1).views);
            const auto set_taps = [&](int i, index_t most) {
                w.dimension[i].taps = make_divisor(math::min(w.dimension[i].taps.value, most));
            };
            set_taps(0, Kernel::x_taps);
            set_taps(1, Kernel::y_taps);
            set_taps(2, 1);
            return w;
        };
        const index_t filter[3] = {Kernel::x_taps, Kernel::y_taps, 1};
        constexpr index_t room =
            (Kernel::pool_bytes / 2 / 1024 * 1024 - Kernel::own_bytes) / Kernel::line_bytes;
        const auto make_of = [&](index_t most_lines) {
            return HaloTiles::make(r,
                                   1,
                                   windows,
                                   filter,
                                   p.rank,
                                   static_cast<index_t>(p.batch),
                                   Kernel::sub_tiles,
                                   most_lines);
        };
        const char* reason = make_of(room);
        if(reason == nullptr && r.of_phase[0].tap_groups > 1) // tap groups share the room
            reason = make_of(room / r.of_phase[0].tap_groups / 8 * 8);
        return reason;
    }
};

template <class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::channel_slices, BackwardWeightDirection, BackwardWeight, Types, tuning>
{
    using type = ConvWeightChannelSlices<Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_weight_channel_slices(tuning); }
};

} // namespace ck::tensor_operation::device
