#pragma once
// Launches of conv/kernels/filter_row/kernel.hpp: which problems it takes, and its tensor
// maps.
#include "ck/tensor_operation/gpu/conv/kernels/filter_row/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"

#include <string>

namespace ck::tensor_operation::device {

template <class Types, GemmTuning tuning>
struct ConvFilterRows : public Launcher<BackwardWeightDirection,
                                        Types,
                                        tuning,
                                        grid::GridwiseFilterRowConv<Types, tuning>>
{
    using Kernel    = grid::GridwiseFilterRowConv<Types, tuning>;
    using Params    = typename Kernel::Params;
    using Plan      = LaunchPlan<ConvArgument<Types>, Params>;
    using Direction = BackwardWeightDirection;

    /// Whether there are maps of a problem whose tensors can be accessed in vectors of 16 bytes.
    /// sub_batches: of the batch.
    static Support check(const ConvProblem& p, index_t sub_batches)
    {
        const auto text = [](auto n) { return std::to_string(n); };
        if(const Support s = check_boxes(p, sub_batches, "filter rows"); !s)
            return s;
        const long_index_t width = p.output()[2];
        const auto need = [&](bool has, const char* name, long_index_t value, const char* what) {
            return has ? Support{} : refused([&] {
                return std::string(name) + " is " + text(value) + ", but this kernel needs " + what;
            });
        };
        static_assert(FilterRowLines::longest_row == 32768);
        if(const Support s = check_all(
               [&] {
                   return need(p.filter[2] > 1, "the filter's length in x", p.filter[2], "more");
               },
               [&] { return need(p.stride[2] == 1, "the stride in x", p.stride[2], "1"); },
               [&] { return need(p.dilation[2] == 1, "the dilation in x", p.dilation[2], "1"); },
               [&] { return need(width % 2 == 0, "Wo", width, "an even Wo"); },
               [&] { return need(width <= 32768, "Wo", width, "at most 32768"); });
           !s)
            return s;
        const BackwardWeight transform = BackwardWeight::make(p, 1);
        if(const Support s = check_windows(p, Direction::a, a_windows(transform, 0)); !s)
            return s;
        const long_index_t lines =
            p.batch * p.output()[0] * p.output()[1] * (width + Kernel::taps - 1);
        if(lines > ck::detail::index_limit)
            return refused([&] {
                return "filter rows meet " + text(lines) +
                       " pixels of X, but this kernel counts fewer than 2^31";
            });
        if(const Support s = check_windows(p, Direction::b, windows(transform)); !s)
            return s;
        return {};
    }

    static void complete(Plan& plan)
    {
        Params& r            = plan.params;
        const ConvProblem& p = plan.argument.problem;
        r.x                  = FilterRowLines::make(p.output()[2]);
        r.windows            = windows(r.transform);
        r.weight_tiles       = weight_tiles(p);
        r.rank               = p.rank + 2;
        r.slices      = math::integer_divide_ceil(r.transform.max_reduction(), Kernel::pixels);
        r.stages      = stages_of(r.x.lines);
        r.stage_bytes = bytes_of_stage(r.x.lines);
        constexpr index_t channels = Kernel::Fragment::channels;
        make_map(r.a_map,
                 window_box(
                     p, Direction::a, r.a, a_windows(r.transform, 0), channels, Kernel::pixels, 4));
        make_map(r.b_map, window_box(p, Direction::b, r.b, r.windows, channels, r.x.lines, 4));
    }

    static double predict(const Plan& plan, double bytes, double more_bytes)
    {
        return predicted_time(
            tuning, launch(plan.problem, plan.params, bytes, more_bytes), plan.compute_units);
    }

    /// Returns what predicts the time of a supported problem of `bytes` bytes in all.
    static HaloLaunch launch(const ConvProblem& p, const Params& r, double bytes, double more_bytes)
    {
        const auto count = [](long_index_t length, index_t of_tile) {
            return static_cast<double>(math::integer_divide_ceil(length, long_index_t{of_tile}));
        };
        const double splits = r.tiles.splits.value,
                     slices =
                         std::ceil(count(r.transform.max_reduction(), Kernel::pixels) / splits),
                     tiles      = static_cast<double>(weight_tiles(p).size());
        constexpr double steps  = Kernel::pixels / 8 * Kernel::taps * Kernel::waves / 4;
        constexpr double cycles = 86.5; // for one slice: LDS limits, fitted
        return {tiles * splits,
                slices * steps * cycles,
                0,
                slices * copy_line_cycles *
                    (Kernel::rows + Kernel::b_boxes * FilterRowLines::make(p.output()[2]).lines),
                0,
                false,
                bytes,
                more_bytes,
                true};
    }

private:
    static grid::WeightTiles weight_tiles(const ConvProblem& p)
    {
        return grid::WeightTiles::make(p, Kernel::rows, Kernel::channels, Kernel::taps, 1, 1);
    }
    static index_t bytes_of_stage(index_t lines)
    {
        return Kernel::a_bytes + Kernel::b_boxes * lines * Kernel::line_bytes;
    }
    static index_t stages_of(index_t lines)
    {
        return math::min(Kernel::most_stages, Kernel::pool_bytes / bytes_of_stage(lines));
    }
    /// X's, with all lines of a row and groups of taps in x.
    static PixelWindows windows(const BackwardWeight& transform)
    {
        PixelWindows w             = input_windows(transform.views);
        PixelWindows::Dimension& x = w.dimension[0];
        x.count                    = make_divisor(FilterRowLines::make(x.count.value).span());
        x.taps        = make_divisor(math::integer_divide_ceil(x.taps.value, Kernel::taps));
        x.offset_step = Kernel::taps;
        return w;
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::filter_rows, Direction, Transform, Types, tuning>
{
    using type = ConvFilterRows<Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_filter_rows<Transform>(tuning); }
};

} // namespace ck::tensor_operation::device
