#pragma once
// Launches of conv/kernels/halo/kernel.hpp: which problems it takes, and their halo
// tiles.
#include "ck/tensor_operation/gpu/conv/kernels/halo/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/halo_planes.hpp"

#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvHaloTiles
    : public Launcher<Direction, Types, tuning, grid::GridwiseHaloConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseHaloConv<Transform, Types, tuning>;
    using Params = typename Kernel::Params;
    using Plan   = LaunchPlan<ConvArgument<Types>, Params>;

    /// Whether halo tiles exist for a problem whose tensors can be accessed in vectors of 16 bytes.
    /// sub_batches: of the batch.
    static Support check(const ConvProblem& p, index_t sub_batches)
    {
        const auto text = [](auto n) { return std::to_string(n); };
        if(const Support s = check_boxes(p, sub_batches, "halo tiles"); !s)
            return s;
        if(const long_index_t bytes = filter_bytes(p); bytes > Kernel::pool_bytes)
            return refused([&] {
                return "the filters of this kernel's " + text(Kernel::columns) + " columns are " +
                       text(bytes) + " bytes, but beside its halo tiles there are " +
                       text(Kernel::pool_bytes) + " of shared memory";
            });
        if(const Support s = check_phases<Direction>(p, HaloTiles::most_phases, "halo tiles"); !s)
            return s;
        HaloTiles halo_tiles;
        if(const char* reason = make(halo_tiles, p, Transform::make(p, 1)))
            return refused([&] { return std::string(reason) + ", for this kernel's halo tiles"; });
        return check_neighbours(p);
    }

    static void complete(Plan& plan)
    {
        Params& r            = plan.params;
        const ConvProblem& p = plan.argument.problem;
        make(r.halo_tiles, p, r.transform);
        const index_t column_tiles = r.tiles.column_tiles.value,
                      room         = plan.compute_units * Kernel::min_blocks_per_cu / column_tiles;
        r.blocks = column_tiles * math::min(r.halo_tiles.tile_count, math::max(1, room));
        divide_room(r, p);
        const auto reduction = static_cast<index_t>(Direction::reduction_channels(p));
        r.last_steps = math::integer_divide_ceil(reduction - (r.lines - 1) * Kernel::channels,
                                                 Kernel::k_per_step);
        r.row_stride =
            r.transform.phase_count() > 1 ? 0 : pixel_stride(p, Direction::c, Kernel::c_bytes);
        for(int i = 0; i < 3; ++i)
            r.taps[i] = static_cast<index_t>(p.filter[static_cast<std::size_t>(2 - i)]);
        avoid_empty_planes(r.halo_tiles, p, Direction::a);
        make_plane_maps(r.a_map, p, Direction::a, r.a, r.halo_tiles, Kernel::channels);
        make_map(r.b_map, filter_box(p, r.b, Kernel::b_line, Kernel::b_lines));
    }

    static double predict(const Plan& plan, double bytes, double more_bytes)
    {
        return predicted_time(
            tuning, launch(plan.problem, plan.params, bytes, more_bytes), plan.compute_units);
    }

    /// Returns the model's launch for a supported problem; `bytes`: all bytes that it moves.
    static HaloLaunch
    launch(const ConvProblem& p, const Params& common, double bytes, double more_bytes)
    {
        Params r = common;
        make(r.halo_tiles, p, r.transform);
        divide_room(r, p);
        const HaloTiles& halo_tiles = r.halo_tiles;
        double taps = 0, tap_groups = 0;
        const index_t phases = r.transform.phase_count();
        for(index_t i = 0; i < phases; ++i)
            tap_groups += halo_tiles.of_phase[i].tap_groups;
        for(const HaloTiles::TapGroup& tap_group : halo_tiles.tap_group)
            taps += tap_group.taps[0] * tap_group.taps[1] * tap_group.taps[2];
        const double steps = math::integer_divide_ceil(
            static_cast<index_t>(Direction::reduction_channels(p)), Kernel::k_per_step);
        // A factor for lines of 32 or 64 channels with at most 8 in use: forward and backward data
        // take 15 to 20 cycles for each. Fitted to four problems on an H200; the reason is not
        // known. It does not apply to 72 channels, whose last line has 8.
        constexpr double of_short_line = 3;
        const bool is_short            = Direction::reduction_channels(p) <= 8;
        const double copies            = tap_groups * r.lines / phases,
                     lines             = double{1} * halo_tiles.lines() / Kernel::pixels *
                             (is_short ? of_short_line : 1);
        const double cycles =
            Kernel::sub_tiles * taps * steps * wgmma_cycles(Kernel::columns, false) / phases;
        return {double{1} * halo_tiles.tile_count * r.tiles.column_tiles.value,
                cycles,
                r.stages > 1 ? 0 : copies * (copy_cycles + copy_line_cycles * lines),
                producer_cycles(copies, lines, cycles, r.stages),
                copy_line_cycles * static_cast<double>(filter_bytes(p)) / Kernel::b_bytes,
                p.filter == Spatial{1, 1, 1} && r.lines <= 2,
                bytes,
                more_bytes};
    }

private:
    /// Whether pixels adjacent along w can form lines in memory.
    static Support check_neighbours(const ConvProblem& p)
    {
        if(Kernel::pixels == 1)
            return {};
        const auto text      = [](auto n) { return std::to_string(n); };
        const long_index_t c = Direction::reduction_channels(p), w = lengths_of(p, Direction::a)[5],
                           next = strides_of(p, Direction::a)[5];
        if(c != Kernel::channels)
            return refused([&] {
                return text(c) + " channels of " + text(Kernel::pixels) +
                       " pixels side by side are no line of this kernel's, which has " +
                       text(Kernel::channels) + " of each";
            });
        if(next != c)
            return refused([&] {
                return "pixels are " + text(next) +
                       " elements apart, but in this kernel's "
                       "lines, side by side, " +
                       text(c);
            });
        if(w % Kernel::pixels != 0)
            return refused([&] {
                return "rows of " + text(w) + " pixels are no whole lines of " +
                       text(Kernel::pixels);
            });
        return {};
    }
    /// Divides the pool of shared memory, once r.halo_tiles are made.
    static void divide_room(Params& r, const ConvProblem& p)
    {
        r.lines        = lines(p);
        r.filter_bytes = static_cast<index_t>(filter_bytes(p));
        r.halo_bytes   = math::integer_least_multiple(r.halo_tiles.lines() * Kernel::a_bytes, 1024);
        r.stages =
            math::min(Kernel::most_stages,
                      (Kernel::pool_bytes - r.filter_bytes) / Kernel::warpgroups / r.halo_bytes);
    }
    static index_t lines(const ConvProblem& p)
    {
        return math::integer_divide_ceil(static_cast<index_t>(Direction::reduction_channels(p)),
                                         Kernel::channels);
    }
    static long_index_t filter_bytes(const ConvProblem& p)
    {
        return p.filter[0] * p.filter[1] * p.filter[2] * lines(p) * Kernel::slice_bytes;
    }
    static const char* make(HaloTiles& r, const ConvProblem& p, const Transform& transform)
    {
        const index_t room = (Kernel::pool_bytes - static_cast<index_t>(filter_bytes(p))) /
                             Kernel::warpgroups / 1024 * 1024;
        const index_t filter[3] = {static_cast<index_t>(p.filter[2]),
                                   static_cast<index_t>(p.filter[1]),
                                   static_cast<index_t>(p.filter[0])};
        return HaloTiles::make(
            r,
            transform.phase_count(),
            [&](index_t i) { return a_windows(transform, i); },
            filter,
            p.rank,
            static_cast<index_t>(p.batch),
            Kernel::sub_tiles,
            room / Kernel::a_bytes,
            Kernel::pixels);
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::halo_tiles, Direction, Transform, Types, tuning>
{
    using type = ConvHaloTiles<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_image_halo_tiles(tuning); }
};

} // namespace ck::tensor_operation::device
