#pragma once
// Launches of conv/kernels/sliding_window/weight_kernel.hpp: backward weight, for groups of one
// channel and filters of one size.
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window/weight_kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/window_plan.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

namespace ck::tensor_operation::device {

template <class Types, GemmTuning tuning>
struct ConvWeightWindows : public Launcher<BackwardWeightDirection,
                                           Types,
                                           tuning,
                                           grid::GridwiseWindowWeightConv<Types, tuning>>
{
    using Kernel   = grid::GridwiseWindowWeightConv<Types, tuning>;
    using Argument = ConvArgument<Types>;
    using Plan     = LaunchPlan<Argument, typename Kernel::Params>;

    static constexpr bool takes_groups = true;

    static Support check_groups(const ConvProblem& p) { return check_window(p, tuning.window); }

    /// Whether the groups' channels can be accessed in the kernel's vectors.
    static Support check_tensors(const Argument& a)
    {
        const ConvProblem whole = merge_groups(a.problem, a.problem.groups);
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

    /// Sums consist of whole segments.
    static long_index_t
    products_of_sum(const ConvProblem& p, index_t images, index_t units, const SplitPlan& split)
    {
        const WindowSegments s = choose(p, images, units, split.partial_sums).segments;
        return math::integer_divide_ceil(segments(p, images, s), long_index_t{split.partial_sums}) *
               Kernel::columns * s.length;
    }

    /// Returns the parts for which a launch ends first.
    static SplitPlan split(const ConvProblem& p, index_t sub_batch_size, index_t units, bool whole)
    {
        const Cut cut = choose(p, sub_batch_size, units, 0);
        return {.partial_sums = cut.parts, .whole = whole};
    }

    static void complete(Plan& plan)
    {
        const ConvProblem& p = plan.problem;
        auto& r              = plan.params;
        r.geometry           = window_geometry(merge_groups(p, p.groups),
                                     window_axes(p),
                                     input_windows(r.transform.views),
                                     p.filter_strides,
                                     Role::input,
                                     sizeof(typename Kernel::B),
                                     Role::output,
                                     sizeof(typename Kernel::A));
        const Cut cut = choose(p, r.sub_batch_size, plan.compute_units, r.tiles.splits.value);
        cut.segments.set(r.geometry);
        r.geometry.groups    = groups_of_block(p);
        r.all_groups         = static_cast<index_t>(p.groups);
        r.segments_of_image  = static_cast<index_t>(cut.segments.of_image());
        r.part_segments      = static_cast<index_t>(math::integer_divide_ceil(
            segments(p, r.sub_batch_size, cut.segments), long_index_t{r.tiles.splits.value}));
        r.tiles.column_tiles = make_divisor(group_blocks(p));
        r.tiles.row_tiles    = make_divisor(1);
        r.tiles.groups       = make_divisor(1);
    }

    static double predict(const Plan& plan, double bytes, double more_bytes)
    {
        const Cut cut = choose(plan.problem,
                               plan.params.sub_batch_size,
                               plan.compute_units,
                               plan.params.tiles.splits.value);
        return predicted_window_time(tuning,
                                     cut.rows * plan.params.tiles.sub_batches * plan.compute_units *
                                         Kernel::min_blocks_per_cu * Kernel::block_size *
                                         weight_windows_longer_for<typename Kernel::A>(tuning),
                                     bytes,
                                     plan.compute_units) +
               Memory{}.more(more_bytes);
    }

private:
    /// How the sum is cut.
    struct Cut
    {
        WindowSegments segments;
        index_t parts = 1;
        double rows   = 0; ///< rows that the threads of one place compute
    };

    /// Groups are shared among as few blocks as can be, in equal numbers.
    static index_t group_blocks(const ConvProblem& p)
    {
        return math::max(
            1, math::integer_divide_ceil(static_cast<index_t>(p.groups), Kernel::most_groups));
    }
    static index_t groups_of_block(const ConvProblem& p)
    {
        return math::max(
            Kernel::vector,
            math::integer_least_multiple(
                math::integer_divide_ceil(static_cast<index_t>(p.groups), group_blocks(p)),
                Kernel::vector));
    }
    /// Segments of a sub-batch's images.
    static long_index_t
    segments(const ConvProblem& p, index_t sub_batch_size, const WindowSegments& segments)
    {
        return segments.of_image() * std::min<long_index_t>(p.batch, sub_batch_size);
    }

    /// parts: 0: to be chosen.
    static Cut choose(const ConvProblem& p, index_t sub_batch_size, index_t units, index_t parts)
    {
        constexpr double end_rows     = 16; // in rows: a block adds up and stores its sums
        const double places           = double{1} * units * Kernel::min_blocks_per_cu,
                     blocks           = group_blocks(p);
        const index_t segment_threads = Kernel::segment_threads(groups_of_block(p));
        const auto rows               = [&](const WindowSegments& s, double parts_) {
            const double of_thread =
                std::ceil(std::ceil(static_cast<double>(segments(p, sub_batch_size, s)) / parts_) /
                          segment_threads);
            return std::ceil(blocks * parts_ / places) *
                   (of_thread * (s.length + Kernel::live) + end_rows);
        };
        const auto cut = [&](const WindowSegments& s) {
            if(parts > 0)
                return Cut{s, parts, rows(s, parts)};
            const double most = std::max(
                1.,
                std::ceil(static_cast<double>(segments(p, sub_batch_size, s)) / segment_threads));
            const auto best = plan_rounds({blocks, places, most, 4, true},
                                          [&](index_t count) { return rows(s, count); });
            return Cut{s, best.plan().partial_sums, best.time()};
        };
        const double images = static_cast<double>(std::min<long_index_t>(p.batch, sub_batch_size));
        const WindowSegments s =
            cheapest_segments(p,
                              Role::output,
                              Kernel::columns,
                              [&](const WindowSegments& segments) { return cut(segments).rows; },
                              {images / segment_threads * blocks / places, Kernel::live});
        return cut(s);
    }
};

template <class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::sliding_window, BackwardWeightDirection, Transform, Types, tuning>
{
    using type = ConvWeightWindows<Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_weight_window(tuning); }
};

} // namespace ck::tensor_operation::device
