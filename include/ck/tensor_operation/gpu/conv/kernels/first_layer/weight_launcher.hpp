#pragma once
// Launches of conv/kernels/first_layer/weight_kernel.hpp: backward weight, for images of few
// channels.
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/weight_cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/weight_kernel.hpp"

namespace ck::tensor_operation::device {

template <class Types, GemmTuning tuning>
struct ConvWeightFirstLayer : public Launcher<BackwardWeightDirection,
                                              Types,
                                              tuning,
                                              grid::GridwiseFirstLayerWeightConv<Types, tuning>>
{
    using Kernel = grid::GridwiseFirstLayerWeightConv<Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    /// Takes one group of channels, and taps that are neighbours where a pack has two.
    static Support check(const ConvProblem& p, index_t /*sub_batches*/)
    {
        return check_all([&] { return check_image_channels(p, Kernel::pixel_channels); },
                         [&] { return check_packs(p); },
                         [&] { return check_halo(best_shape(p), tuning.window.columns); });
    }

    /// Elements of all packs.
    static long_index_t columns(const ConvProblem& p) { return packs(p) * Kernel::pack; }

    static void complete(Plan& plan)
    {
        const ConvProblem& p  = plan.argument.problem;
        auto& r               = plan.params;
        const TileShape shape = best_shape(p);
        r.halo                = first_layer_halo(
            p, r.transform.views, shape, sizeof(typename Kernel::B), sizeof(typename Kernel::A));
        r.dw             = filter_distances(p, image_axes);
        r.partial        = partial_distances(p, image_axes, r.partial_sums);
        r.out_channels   = static_cast<index_t>(p.out_channels);
        r.packs_of_row   = make_divisor(static_cast<index_t>(packs_of_row(p)));
        r.filter_rows    = make_divisor(static_cast<index_t>(p.filter[1]));
        r.packs          = static_cast<index_t>(packs(p));
        r.steps_x        = make_divisor(shape.width / Kernel::width);
        r.tiles_of_image = static_cast<index_t>(shape.segments.of_image());
        r.part_tiles     = static_cast<index_t>(part_tiles(plan, shape));
    }

    static double predict(const Plan& plan, double bytes, double more_bytes)
    {
        const TileShape shape      = best_shape(plan.argument.problem);
        const grid::TileMap& tiles = plan.params.tiles;
        return predicted_time(
            tuning,
            FirstLayerWeightLaunch{static_cast<double>(tiles.size()),
                                   static_cast<double>(part_tiles(plan, shape)),
                                   static_cast<double>(shape.pixels()),
                                   double{1} * tiles.row_tiles.value * tiles.column_tiles.value,
                                   bytes,
                                   more_bytes},
            plan.compute_units);
    }

private:
    static long_index_t packs_of_row(const ConvProblem& p)
    {
        return math::integer_divide_ceil(p.filter[2], long_index_t{Kernel::taps});
    }
    static long_index_t packs(const ConvProblem& p)
    {
        return p.filter[0] * p.filter[1] * packs_of_row(p);
    }

    /// Whether packs lie in LDS at multiples of 16 bytes, and their taps side by side.
    static Support check_packs(const ConvProblem& p)
    {
        const auto text = [](auto n) { return std::to_string(n); };
        if(Kernel::taps > 1 && (p.stride[2] % Kernel::taps != 0 || p.dilation[2] != 1))
            return refused([&] {
                return "along W the stride is " + text(p.stride[2]) + " and the dilation " +
                       text(p.dilation[2]) + ", but this kernel is for multiples of " +
                       text(Kernel::taps) + " and for 1";
            });
        return {};
    }

    /// Tiles of each part of the sum.
    static long_index_t part_tiles(const Plan& plan, const TileShape& shape)
    {
        return math::integer_divide_ceil(
            tiles_of_sub_batch(shape, plan.params.sub_batch_size, plan.params.batch),
            long_index_t{plan.params.tiles.splits.value});
    }

    /// Tiles are at least as wide as a step's pixels; their rows of X begin with whole packs.
    static TileShape best_shape(const ConvProblem& p)
    {
        return best_tile_shape(p,
                               p.output_lengths(),
                               tuning.block_tile.k,
                               Kernel::width,
                               tuning.window.columns,
                               Kernel::taps);
    }
};

template <class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::first_layer, BackwardWeightDirection, Transform, Types, tuning>
{
    using type = ConvWeightFirstLayer<Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_first_layer_weight(tuning); }
};

} // namespace ck::tensor_operation::device
