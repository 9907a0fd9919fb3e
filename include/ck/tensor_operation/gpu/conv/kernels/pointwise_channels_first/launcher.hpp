#pragma once
// Launches of conv/kernels/pointwise_channels_first/kernel.hpp: forward and backward data of 1x1
// with few channels, channels first.
#include "ck/tensor_operation/gpu/conv/kernels/pointwise_channels_first/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/pointwise_channels_first/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/plan/pixel_matrix.hpp"

#include <cmath>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvPointwiseChannelsFirst
    : public Launcher<Direction,
                      Types,
                      tuning,
                      grid::GridwisePointwiseChannelsFirstConv<Transform, Types, tuning>>
{
    using Kernel   = grid::GridwisePointwiseChannelsFirstConv<Transform, Types, tuning>;
    using Argument = ConvArgument<Types>;
    using Plan     = LaunchPlan<Argument, typename Kernel::Params>;

    /// Takes filters of one tap, applied at every pixel, and whole vectors of pixels.
    static Support check_tensors(const Argument& a)
    {
        const ConvProblem& p = a.problem;
        return check_all([&] { return check_one_tap(p); },
                         [&] { return check_channels_first<Direction>(p); },
                         [&] { return check_pixels(p, Direction::a, Direction::a_name, a.a); },
                         [&] { return check_pixels(p, Direction::c, Direction::c_name, a.c); });
    }

    static Support check(const ConvProblem& p, index_t /*sub_batches*/)
    {
        return check_depth<Direction>(p, tuning.block_tile.k);
    }

    static void complete(Plan& plan)
    {
        const ConvProblem& p = plan.argument.problem;
        auto& r              = plan.params;
        r.depth              = static_cast<index_t>(Direction::reduction_channels(p));
        r.columns            = static_cast<index_t>(Direction::columns(p));
        r.image_vectors = make_divisor(static_cast<index_t>(pixels_of_image(p) / Kernel::vector));
        r.a_image       = image(p, Direction::a, sizeof(typename Kernel::A));
        r.c_image       = image(p, Direction::c, sizeof(typename Kernel::C));
        const TensorStrides& w = strides_of(p, Direction::b); // g k c z y x
        constexpr bool forward = Direction::c == Role::output;
        r.b_column             = static_cast<index_t>(w[forward ? 1 : 2]);
        r.b_channel            = static_cast<index_t>(w[forward ? 2 : 1]);
        keep_blocks(r.tiles, plan.compute_units * Kernel::min_blocks_per_cu);
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        const ConvProblem& p = plan.argument.problem;
        const auto columns   = static_cast<index_t>(Direction::columns(p));
        return predicted_time(
            tuning,
            ChannelsFirstLaunch{
                std::ceil(static_cast<double>(p.batch * pixels_of_image(p)) / tuning.wave_m) *
                    static_cast<double>(p.groups),
                double{1} * math::integer_divide_ceil(columns, Kernel::Lanes::rows),
                double{1} * plan.params.tiles.column_tiles.value,
                bytes,
                static_cast<double>(element_count(lengths_of(p, Direction::a))) *
                    sizeof(typename Kernel::A)},
            plan.compute_units);
    }

private:
    static Support
    check_pixels(const ConvProblem& p, Role role, const char* name, const void* address)
    {
        return check_pixel_vectors(
            p, role, name, address, Kernel::vector, sizeof(typename Kernel::A));
    }

    static typename Kernel::Image image(const ConvProblem& p, Role role, index_t element_bytes)
    {
        const TensorStrides& strides = strides_of(p, role); // g n c d h w
        return {static_cast<arch::offset_t>(strides[1] * element_bytes),
                static_cast<arch::offset_t>(strides[2] * element_bytes)};
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::pointwise_channels_first, Direction, Transform, Types, tuning>
{
    using type = ConvPointwiseChannelsFirst<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_pointwise_channels_first(tuning); }
};

} // namespace ck::tensor_operation::device
