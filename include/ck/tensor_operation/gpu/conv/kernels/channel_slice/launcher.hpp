#pragma once
// Launches of conv/kernels/channel_slice/kernel.hpp, forward and backward data of many small
// groups: which problems it takes, its halo tiles, the steps of its filters, and its time.
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_geometry/groups_plan.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/plan/halo_planes.hpp"

#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvChannelSlices : public Launcher<Direction,
                                           Types,
                                           tuning,
                                           grid::GridwiseChannelSliceConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseChannelSliceConv<Transform, Types, tuning>;
    using Params = typename Kernel::Params;
    using Plan   = LaunchPlan<ConvArgument<Types>, Params>;
    using Line   = typename Kernel::Line;

    static constexpr bool backward = Direction::c == Role::input;

    /// p: as the caller passed it.
    static Support check_groups(const ConvProblem& p)
    {
        return check_channel_slice_groups(p, Kernel::channel_slice);
    }

    /// p: groups merged to lines. sub_batches: of the batch.
    static Support check(const ConvProblem& p, index_t sub_batches)
    {
        if(sub_batches > 1)
            return refused([&] {
                return "32-bit offsets cut the batch into " + text(sub_batches) +
                       " sub-batches, but this kernel's halo tiles are of one";
            });
        if(const Support s = check_elements(p, true); !s)
            return s;
        for(const Role role : {Direction::a, Direction::c})
            if(const long_index_t group = strides_of(p, role)[0], channels = lengths_of(p, role)[2];
               p.groups > 1 && group != channels)
                return refused([&] {
                    return std::string("lines of ") +
                           (role == Direction::a ? Direction::a_name : Direction::c_name) + " of " +
                           text(channels) + " channels are " + text(group) +
                           " elements apart, but this kernel's halo tiles need neighbours";
                });
        if(backward)
            for(std::size_t i = 0; i < 3; ++i)
                if(p.stride[i] > p.input[i])
                    return refused([&] {
                        return std::string("along ") + "DHW"[i] + " the stride is " +
                               text(p.stride[i]) + " and the length of X " + text(p.input[i]) +
                               ", but this kernel's halo tiles are for no shorter ones";
                    });
        if(const Support s = check_phases<Direction>(p, HaloTiles::most_phases, "halo tiles"); !s)
            return s;
        if(const long_index_t taps = tap_count(p); taps > Kernel::taps_of_step * Kernel::most_steps)
            return refused([&] {
                return "the filter has " + text(taps) +
                       " taps, but this kernel's halo tiles "
                       "are for at most " +
                       text(Kernel::taps_of_step * Kernel::most_steps);
            });
        Params r;
        r.transform = Transform::make(p, 1, 1);
        if(const Support s = make(r, p); !s)
            return s;
        return {};
    }

    static void complete(Plan& plan)
    {
        Params& r            = plan.params;
        const ConvProblem& p = plan.argument.problem;
        (void)make(r, p);
        const index_t lines    = r.tiles.groups.value,
                      room     = plan.compute_units * Kernel::min_blocks_per_cu / lines;
        r.blocks               = lines * math::min(r.halo_tiles.tile_count, math::max(1, room));
        r.channels             = make_divisor(static_cast<index_t>(plan.problem.in_channels));
        r.all_channels         = all_channels(plan);
        const TensorStrides& w = plan.problem.filter_strides; // g k c z y x
        r.filter_group         = static_cast<index_t>(w[0]);
        r.filter_row           = static_cast<index_t>(w[backward ? 2 : 1]);
        r.filter_column        = static_cast<index_t>(w[backward ? 1 : 2]);
        set_pixels(r, p);
        avoid_empty_planes(r.halo_tiles, p, Direction::a);
        make_plane_maps(r.a_map,
                        merge_groups(plan.problem, plan.problem.groups),
                        Direction::a,
                        r.a,
                        r.halo_tiles,
                        Line::channels,
                        sizeof(typename Kernel::Input));
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        Params r             = plan.params;
        const ConvProblem& p = plan.argument.problem;
        (void)make(r, p);
        const index_t phases = r.transform.phase_count(), lines = r.tiles.groups.value,
                      column_waves = static_cast<index_t>(math::integer_divide_ceil(
                          p.in_channels, long_index_t{tuning.wave_n})); // that have channels
        const double places        = double{1} * plan.compute_units * Kernel::min_blocks_per_cu,
                     of_line       = std::min(std::max(1., std::floor(places / lines)),
                                        double{1} * r.halo_tiles.tile_count),
                     rounds        = std::ceil(std::max(1., of_line * lines / places)), // of blocks
            steps = double{1} * step_count(r) / phases * Kernel::k_steps * Kernel::row_waves *
                    column_waves *
                    Kernel::channel_slices_of_wave; // slices with filters of their own
        return predicted_time(
            tuning,
            ChannelSliceLaunch{of_line * lines,
                               rounds * std::ceil(r.halo_tiles.tile_count / of_line),
                               steps * (4 * Kernel::m_tiles + 2 * Kernel::n_tiles_of_channel_slice),
                               steps * Kernel::m_tiles * Kernel::n_tiles_of_channel_slice,
                               double{1} * tap_group_count(r) / phases * r.halo_tiles.lines(),
                               double{1} * step_count(r) * Kernel::k_steps * Kernel::line_tiles,
                               bytes * all_channels(plan) / (double{1} * lines * p.in_channels)},
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
    static index_t all_channels(const Plan& plan)
    {
        return static_cast<index_t>(plan.problem.groups * plan.problem.in_channels);
    }

    /// Sets the positions of the pixels of C's phases.
    static void set_pixels(Params& r, const ConvProblem& p)
    {
        const TensorStrides& c = strides_of(p, Direction::c);
        const auto bytes       = [&](std::size_t dimension, long_index_t pixels) {
            return static_cast<arch::offset_t>(pixels * c[dimension] * c_bytes);
        };
        for(std::size_t i = 0; i < 3; ++i)
            r.c_step[i] = bytes(5 - i, backward ? p.stride[2 - i] : 1);
        r.c_step[3] = bytes(1, 1);
        if constexpr(backward)
            for(index_t phase = 0; phase < r.transform.phase_count(); ++phase)
            {
                const BackwardData::Residues first = r.transform.all.residues(phase);
                r.c_first[phase] =
                    bytes(5, first.w.h0) + bytes(4, first.h.h0) + bytes(3, first.d.h0);
            }
    }
    static constexpr long_index_t c_bytes = sizeof(typename Types::C);

    static PixelWindows windows(const Transform& transform, index_t phase)
    {
        if constexpr(backward)
            return a_windows(static_cast<const BackwardData&>(transform.all), phase);
        else
            return input_windows(transform.views);
    }

    /// Makes halo tiles, steps and the shared-memory layout for a complete transform, or says why
    /// it cannot.
    static Support make(Params& r, const ConvProblem& p)
    {
        const index_t filter[3] = {static_cast<index_t>(p.filter[2]),
                                   static_cast<index_t>(p.filter[1]),
                                   static_cast<index_t>(p.filter[0])};
        const index_t phases    = r.transform.phase_count();
        const auto make_of      = [&](index_t most_lines) {
            return HaloTiles::make(
                r.halo_tiles,
                phases,
                [&](index_t i) { return windows(r.transform, i); },
                filter,
                p.rank,
                static_cast<index_t>(p.batch),
                Kernel::sub_tiles,
                most_lines);
        };
        const auto no_tiles = [](const char* reason) {
            return refused([&] { return std::string(reason) + ", for this kernel's halo tiles"; });
        };
        constexpr index_t any_lines = 1 << 20;
        if(const char* reason = make_of(any_lines))
            return no_tiles(reason);
        if(!set_steps(r, p))
            return refused([&] {
                return "the filter's taps make more than " + text(Kernel::most_steps) +
                       " steps of " + text(Kernel::taps_of_step) +
                       ", the most of this kernel's halo tiles";
            });
        r.filter_bytes = step_count(r) * Kernel::step_bytes;
        // At least two halo tiles: one is copied while the other is multiplied.
        const index_t room =
            (Kernel::pool_bytes - r.filter_bytes) / 2 / aligned_bytes * aligned_bytes;
        if(room <= 0)
            return refused([&] {
                return "the filters of a line are " + text(r.filter_bytes) +
                       " bytes, but beside its halo tiles this kernel has " +
                       text(Kernel::pool_bytes) + " of shared memory";
            });
        if(const char* reason = make_of(room / Line::bytes))
            return no_tiles(reason);
        r.halo_bytes =
            math::integer_least_multiple(r.halo_tiles.lines() * Line::bytes, aligned_bytes);
        r.stages =
            math::min(Kernel::most_stages, (Kernel::pool_bytes - r.filter_bytes) / r.halo_bytes);
        (void)set_steps(r, p); // the steps of these halo tiles
        return {};
    }
    static constexpr index_t aligned_bytes = 1024; ///< tensor maps need this alignment

    /// Tap groups of all phases.
    static index_t tap_group_count(const Params& r)
    {
        const HaloTiles::Phase& last = r.halo_tiles.of_phase[r.transform.phase_count() - 1];
        return last.first_tap_group + last.tap_groups;
    }
    static index_t step_count(const Params& r) { return r.first_step[tap_group_count(r)]; }

    /// Sets the steps of all tap groups. False if there are too many.
    static bool set_steps(Params& r, const ConvProblem& p)
    {
        const HaloTiles& h = r.halo_tiles;
        index_t steps      = 0;
        for(index_t i = 0; i < tap_group_count(r); ++i)
        {
            const HaloTiles::TapGroup& g = h.tap_group[i];
            r.first_step[i]              = steps;
            for(index_t n = 0; n < g.taps[0] * g.taps[1] * g.taps[2]; ++n)
            {
                const index_t second = n % Kernel::taps_of_step;
                if(second == 0 && steps == Kernel::most_steps)
                    return false;
                auto& step          = r.step[second == 0 ? steps++ : steps - 1];
                const index_t at[3] = {
                    n % g.taps[0], n / g.taps[0] % g.taps[1], n / g.taps[0] / g.taps[1]};
                index_t tap = g.first_tap, line = g.first_line;
                for(int a = 0; a < 3; ++a)
                {
                    tap += at[a] * h.tap_step[a];
                    line += at[a] * h.line_step[a];
                }
                // A missing second tap reads where the first one does.
                for(index_t t = second; t < Kernel::taps_of_step; ++t)
                {
                    step.line[t]   = line;
                    step.filter[t] = t == second ? filter_offset(p, tap) : -1;
                }
            }
        }
        r.first_step[tap_group_count(r)] = steps;
        return true;
    }
    /// Elements from a filter's first tap to tap `number`, x fastest.
    static index_t filter_offset(const ConvProblem& p, index_t number)
    {
        const auto x = static_cast<index_t>(p.filter[2]), y = static_cast<index_t>(p.filter[1]);
        return static_cast<index_t>(number % x * p.filter_strides[5] +
                                    number / x % y * p.filter_strides[4] +
                                    number / x / y * p.filter_strides[3]);
    }
};

template <class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::channel_slices, ForwardDirection, MergedForward, Types, tuning>
{
    using type = ConvChannelSlices<ForwardDirection, MergedForward, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_channel_slices(tuning); }
};
template <class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::channel_slices,
                  BackwardDataDirection,
                  MergedBackwardData,
                  Types,
                  tuning>
{
    using type = ConvChannelSlices<BackwardDataDirection, MergedBackwardData, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_channel_slices(tuning); }
};

} // namespace ck::tensor_operation::device
