#pragma once
// Launches of conv/kernels/pointwise/kernel.hpp: forward and backward data of 1x1 with few
// channels.
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/pointwise/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/conv/model/wmma_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/pixel_matrix.hpp"

#include <cmath>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvPointwise : public Launcher<Direction,
                                       Types,
                                       tuning,
                                       grid::GridwisePointwiseConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwisePointwiseConv<Transform, Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    /// Takes filters of one tap, applied at every pixel, and as many channels as the kernel holds.
    static Support check(const ConvProblem& p, index_t /*sub_batches*/)
    {
        return check_all([&] { return check_one_tap(p); },
                         [&] { return check_depth<Direction>(p, tuning.block_tile.k); },
                         [&] { return check_even_pixels<Direction>(p); });
    }

    static constexpr index_t tile_rows(index_t /*columns*/) { return Kernel::tile_rows; }

    static void complete(Plan& plan)
    {
        const ConvProblem& p   = plan.argument.problem;
        auto& r                = plan.params;
        r.depth                = static_cast<index_t>(Direction::reduction_channels(p));
        r.a_row                = row_bytes(p, Direction::a, sizeof(typename Kernel::A));
        r.c_row                = row_bytes(p, Direction::c, sizeof(typename Kernel::C));
        const TensorStrides& w = strides_of(p, Direction::b); // g k c z y x
        constexpr bool forward = Direction::c == Role::output;
        r.b_column             = static_cast<index_t>(w[forward ? 1 : 2]);
        r.b_channel            = static_cast<index_t>(w[forward ? 2 : 1]);
        keep_blocks(r.tiles, plan.compute_units * Kernel::min_blocks_per_cu);
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        const auto& tiles    = plan.params.tiles;
        const ConvProblem& p = plan.argument.problem;
        if constexpr(is_mfma(tuning) || is_wmma(tuning))
        {
            const PointwiseLaunch launch = seen_by_model(p, tiles.column_tiles.value, bytes);
            if constexpr(is_mfma(tuning))
                return predicted_mfma_time(tuning, launch, plan.compute_units, current_target());
            else
                return predicted_wmma_time(tuning, launch, plan.compute_units);
        }
        else
            return predicted_pointwise_time(
                tuning,
                static_cast<double>(tiles.size()),
                tiles.column_tiles.value,
                row_bytes(p, Direction::c, sizeof(typename Kernel::C)) % 32 == 0,
                bytes,
                plan.compute_units);
    }

private:
    /// Returns the launch with the tiles of all rounds, which fewer blocks go through.
    static PointwiseLaunch seen_by_model(const ConvProblem& p, index_t column_tiles, double bytes)
    {
        const auto elements = [&](Role role) {
            return static_cast<double>(element_count(lengths_of(p, role)));
        };
        const double columns = static_cast<double>(
            p.groups * (Direction::c == Role::output ? p.out_channels : p.in_channels));
        return {std::ceil(elements(Direction::c) / columns / Kernel::tile_rows) *
                    static_cast<double>(p.groups) * column_tiles,
                static_cast<double>(column_tiles),
                bytes,
                elements(Direction::a) * sizeof(typename Kernel::A)};
    }

    /// Returns the bytes between pixels; 0 for a single pixel, or if they are not evenly spaced.
    static arch::offset_t row_bytes(const ConvProblem& p, Role role, index_t element_bytes)
    {
        return static_cast<arch::offset_t>(pixel_stride(p, role, element_bytes));
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::pointwise, Direction, Transform, Types, tuning>
{
    using type = ConvPointwise<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_pointwise(tuning); }
};

} // namespace ck::tensor_operation::device
