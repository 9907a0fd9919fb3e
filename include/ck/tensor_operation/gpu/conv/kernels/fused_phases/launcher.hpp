#pragma once
// Launches of fused phases (conv/kernels/fused_phases/kernel.hpp): which problems it takes, and its
// tensor maps.
#include "ck/tensor_operation/gpu/conv/kernels/fused_phases/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"

#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Types, GemmTuning tuning>
struct ConvFusedPhases
    : public Launcher<Direction, Types, tuning, grid::GridwiseFusedPhasesConv<Types, tuning>>
{
    using Kernel    = grid::GridwiseFusedPhasesConv<Types, tuning>;
    using Params    = typename Kernel::Params;
    using Plan      = LaunchPlan<ConvArgument<Types>, Params>;
    using Transform = BackwardData;

    /// Whether tensor maps exist for a problem whose tensors can be accessed in vectors of 16
    /// bytes. sub_batches: of the batch.
    static Support check(const ConvProblem& p, index_t sub_batches)
    {
        const auto text = [](auto n) { return std::to_string(n); };
        if(const Support s = check_boxes(p, sub_batches, "tensor maps"); !s)
            return s;
        if(const char* reason = PhaseGrid::why_not(p, Kernel::bits))
            return refused([&] {
                return std::string(reason) + ", but this kernel fuses " + text(Kernel::phases) +
                       " phases of strides of 2";
            });
        constexpr long_index_t room = Kernel::pool_bytes - Kernel::slice_bytes * fewest_stages;
        if(const long_index_t bytes = filter_bytes(p); bytes > room)
            return refused([&] {
                return "the filters of this kernel's " + text(Kernel::columns) + " columns are " +
                       text(bytes) + " bytes, but beside its slices there are " + text(room) +
                       " of shared memory";
            });
        return check_windows(p, Direction::a, PhaseGrid::make(Transform::make(p, 1)).windows());
    }

    /// Each tile has all phases.
    static index_t tile_phases(const Transform&, index_t) { return 1; }
    /// Returns the rows of one phase in all images.
    static index_t rows(const Transform& transform)
    {
        return PhaseGrid::make(transform).positions() * transform.batch;
    }

    static void complete(Plan& plan)
    {
        Params& r                  = plan.params;
        const ConvProblem& p       = plan.argument.problem;
        r.grid                     = PhaseGrid::make(r.transform);
        r.window_rank              = p.rank + 2;
        const index_t column_tiles = r.tiles.column_tiles.value;
        r.blocks                   = column_tiles * math::min(r.tiles.row_tiles.value,
                                            math::max(1, plan.compute_units / column_tiles));
        r.filter_bytes             = static_cast<index_t>(filter_bytes(p));
        r.stages                   = math::min(Kernel::most_stages,
                             (Kernel::pool_bytes - r.filter_bytes) / Kernel::slice_bytes) /
                   Kernel::warpgroups * Kernel::warpgroups;
        r.reduction          = static_cast<index_t>(Direction::reduction_channels(p));
        const PixelWindows w = r.grid.windows();
        if(!has_pixels(w))
            return;
        make_map(r.a_map,
                 window_box(p, Direction::a, r.a, w, Kernel::channels, Kernel::warpgroup_rows));
        make_map(r.b_map, filter_box(p, r.b, Kernel::b_line, Kernel::channels));
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        return predicted_time(tuning, launch(plan.problem, plan.params, bytes), plan.compute_units);
    }

    /// Returns the model's launch for a supported problem; `bytes`: all bytes that it moves.
    static FusedLaunch launch(const ConvProblem& p, const Params& r, double bytes)
    {
        const double multiplications =
            double{1} * taps(p) * depth(p) * Kernel::steps * Kernel::sub_tiles * Kernel::warpgroups;
        return {double{1} * r.tiles.size(),
                multiplications * wgmma_cycles_of_registers(Kernel::columns),
                bytes};
    }

private:
    static constexpr index_t fewest_stages = 3 * Kernel::warpgroups;

    static long_index_t taps(const ConvProblem& p)
    {
        return p.filter[0] * p.filter[1] * p.filter[2];
    }
    /// Slices at a shift.
    static long_index_t depth(const ConvProblem& p)
    {
        return math::integer_divide_ceil(Direction::reduction_channels(p),
                                         long_index_t{Kernel::channels});
    }
    static long_index_t filter_bytes(const ConvProblem& p)
    {
        return taps(p) * depth(p) * Kernel::b_boxes * Kernel::box_bytes;
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::fused_phases, Direction, Transform, Types, tuning>
{
    using type = ConvFusedPhases<Direction, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_fused_phases<Transform>(tuning); }
};

} // namespace ck::tensor_operation::device
