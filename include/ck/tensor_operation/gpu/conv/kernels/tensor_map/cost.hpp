#pragma once
// Launches of conv/kernels/tensor_map/kernel.hpp for the model: the workgroups that run at once,
// and their work other than multiplication.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/phases_plan.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/transposed_operand_launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/launch_shape.hpp"
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"

#include <cmath>

namespace ck::tensor_operation::device {

/// Plan: a LaunchPlan of Kernel's parameters.
template <class Direction, class Kernel, class Plan, GemmTuning tuning>
struct TensorMapTime
{
    using Params     = typename Kernel::Params;
    using Transform  = decltype(Params::transform);
    using Phases     = TensorMapPhases<Kernel>;
    using Transposed = TransposedFirst<Direction, Kernel::input_bytes>;

    static constexpr bool by_pixels = Kernel::by_pixels;
    /// Which operand is transposed first.
    static constexpr bool a_transposed_first = Kernel::a_along_k != Transform::a_along_k,
                          b_transposed_first = Kernel::b_along_k != Transform::b_along_k;

    /// Returns how many of the `all` workgroups (or clusters) that a device holds at once have
    /// tiles. If filters are resident, each column of tiles has the same number.
    static index_t places(const Params& r, index_t all)
    {
        const index_t multiple_of = Kernel::resident_filters > 0 ? r.tiles.column_tiles.value : 1;
        return math::max(1, all / multiple_of) * multiple_of;
    }
    /// Returns the workgroups of a launch of `items` tiles, or partial sums of tiles, on
    /// `compute_units` compute units.
    static index_t blocks(const Params& r, index_t items, index_t compute_units)
    {
        return Kernel::cluster_size *
               math::min(
                   items,
                   places(r, compute_units * Kernel::min_blocks_per_cu / Kernel::cluster_size));
    }

    static std::size_t prologue_bytes([[maybe_unused]] const ConvProblem& p)
    {
        if constexpr(tuning.maps.transposed_first)
            return Transposed::bytes(p);
        return 0;
    }

    /// Returns the slices of a tile's sum in backward weight.
    static index_t reduction_slices(const Params& r)
    {
        return math::integer_divide_ceil(r.transform.max_reduction(), Kernel::shape.k);
    }

    /// Whether only half of each tap's last slice is multiplied, if a tap has `reduction`
    /// channels.
    static constexpr bool has_half_slices(long_index_t reduction)
    {
        return Kernel::has_half_slices && (reduction - 1) % Kernel::shape.k < Kernel::half_k;
    }

    /// Returns the number of batches of rows to zero in a phase without taps.
    static index_t zero_batches(const Params& r)
    {
        return math::integer_divide_ceil(r.transform.max_rows(), decltype(Params::zeros)::batch);
    }

    /// The planned end of a launch: with a workspace, tiles that do not fill the last round can be
    /// computed in partial sums. bytes: moved for the three tensors.
    static SplitPlan tail(const Plan& plan, double bytes)
    {
        return tail_of(plan, shape(plan, bytes, 0));
    }

    static double time(const Plan& plan, double bytes, double more_bytes)
    {
        const LaunchShape whole = shape(plan, bytes, more_bytes);
        return predicted_time(
            tuning, ended(tuning, whole, tail_of(plan, whole)), compute_units(plan));
    }

private:
    static SplitPlan tail_of(const Plan& plan, const LaunchShape& shape)
    {
        return Kernel::has_stream_k_tail && !plan.argument.whole_sums &&
                       plan.params.tiles.sub_batches == 1 && plan.params.tiles.groups.value == 1
                   ? plan_stream_k_tail(
                         tuning, shape, tiles_of_row(plan.params), compute_units(plan))
                   : SplitPlan{};
    }

    /// Compute units that have tiles.
    static index_t compute_units(const Plan& plan)
    {
        return math::min(plan.compute_units,
                         places(plan.params, plan.compute_units * tuning.min_blocks_per_cu) /
                             tuning.min_blocks_per_cu);
    }
    /// Workgroups in a row of tiles.
    static index_t tiles_of_row(const Params& r)
    {
        return r.tiles.column_tiles.value * r.tiles.phases.value * tuning.maps.cluster;
    }

    /// The launch without partial sums of the last tiles.
    static LaunchShape shape(const Plan& plan, double bytes, double more_bytes)
    {
        const ConvProblem& p          = plan.problem;
        const Params& r               = plan.params;
        const SplitPlan& partial_sums = plan.argument.split;
        LaunchShape shape = launch_shape(tuning, r, partial_sums.partial_sums, bytes, more_bytes);
        shape.by_pixels   = by_pixels;
        shape.transposed  = Kernel::transposed_lines;
        shape.copying     = producer_cycles(p, r);
        shape.prologue_bytes = 2. * static_cast<double>(prologue_bytes(p));
        if constexpr(by_pixels)
            shape = split(shape,
                          partial_sums,
                          reduction_slices(r),
                          static_cast<index_t>(r.tiles.size()),
                          tuning.maps.cluster);
        else
        {
            const long_index_t reduction = Direction::reduction_channels(p),
                               depth     = math::integer_divide_ceil(
                                   reduction, static_cast<long_index_t>(tuning.block_tile.k));
            if(has_half_slices(reduction))
                shape.multiplied = 1 - 0.5 / static_cast<double>(depth);
            const index_t groups =
                compute_units(plan) * tuning.min_blocks_per_cu / tuning.maps.cluster;
            shape.longest_share = Phases::longest_share(r, groups);
            if(shape.longest_share > 0)
                shape.whole_share = Phases::whole_share(
                    r,
                    groups,
                    full_rows(tuning, shape.tiles, tiles_of_row(r), compute_units(plan)));
            shape.zero_cycles = zero_cycles(r, p, plan.compute_units);
        }
        return shape;
    }

    /// Clock cycles that the copies of a slice take.
    static double producer_cycles(const ConvProblem& p, const Params& r)
    {
        const auto line_of = [&](Role role) {
            constexpr long_index_t bytes = Kernel::input_bytes;
            if(role == Direction::a ? a_transposed_first : b_transposed_first)
                return line_cycles(0, 0, false);
            const bool one_tap           = p.filter == Spatial{1, 1, 1};
            const long_index_t pitch     = strides_of(p, role)[5] * bytes;
            const long_index_t row_bytes = lengths_of(p, role)[2] * bytes;
            namespace of                 = h200::within_sectors;
            constexpr auto sector        = static_cast<long_index_t>(of::sector_bytes);
            const double within_sectors  = !one_tap || pitch % sector == 0        ? 1
                                           : by_pixels                            ? of::weight
                                           : row_bytes < h200::copies::line_bytes ? of::short_pixels
                                                                                  : of::long_pixels;
            return within_sectors * line_cycles(pitch, row_bytes, !one_tap);
        };
        const double columns =
            static_cast<double>(Direction::columns(p)) / r.tiles.column_tiles.value;
        // A slice of backward data's filters: each row of the reduction has lines of columns.
        constexpr double of_line = h200::copies::line_bytes / Kernel::input_bytes;
        const double lines_of_b  = Kernel::resident_filters > 0 ? 0
                                   : by_pixels                  ? Kernel::shape.n
                                   : Direction::c == Role::input && !b_transposed_first
                                       ? Kernel::shape.k * std::ceil(columns / of_line)
                                       : columns;
        return Kernel::shape.m * line_of(Direction::a) +
               lines_of_b / Kernel::cluster_size * line_of(Direction::b);
    }

    /// Clock cycles of the warp with the most zeros to store.
    static double zero_cycles(const Params& r, const ConvProblem& p, index_t compute_units)
    {
        if constexpr(Kernel::fills_zeros)
        {
            const index_t phases = r.transform.phase_count() - r.tiles.phases.value;
            const index_t workgroups =
                math::max(1, blocks(r, static_cast<index_t>(r.tiles.size()), compute_units));
            const double batches    = double{1} * phases * zero_batches(r),
                         row_stores = static_cast<double>(Direction::columns(p)) / Kernel::c_vector;
            return std::ceil(batches / (workgroups * Kernel::other_warps)) *
                   zero_batch_cycles(row_stores);
        }
        return 0;
    }
};

} // namespace ck::tensor_operation::device
