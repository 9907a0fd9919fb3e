#pragma once
// Launches of conv/kernels/implicit_gemm/kernel.hpp, which computes every problem.
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/dot_product_cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/launch_shape.hpp"
#include "ck/tensor_operation/gpu/conv/model/weight_time.hpp"

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvGemm
    : public Launcher<Direction, Types, tuning, grid::GridwiseConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseConv<Transform, Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    static double predict(const Plan& plan, double bytes, double more_bytes)
    {
        LaunchShape shape =
            launch_shape(tuning, plan.params, plan.argument.split.partial_sums, bytes, more_bytes);
        shape.by_pixels   = Direction::c == Role::filter;
        shape.cache_bytes = cache_bytes(plan);
        shape.written_bytes =
            static_cast<double>(element_count(lengths_of(plan.argument.problem, Direction::c))) *
            sizeof(typename Types::C);
        shape.lds_bytes    = arch::shared_bytes<Kernel>;
        const double apart = has_channels_apart(plan.argument.problem) ? channels_apart_factor : 1;
        if constexpr(is_dot_product_of_floats(tuning))
            return has_dot_product_model()
                       ? apart * predicted_dot_product_time(tuning, shape, plan.compute_units)
                       : 0;
        else if constexpr(Direction::c == Role::filter && has_weight_times(tuning))
            return apart *
                   predicted_weight_time(tuning, shape, plan.compute_units, current_target());
        else if constexpr(is_mfma(tuning))
            return apart * predicted_mfma_time(tuning, shape, plan.compute_units, current_target());
        else if constexpr(is_wmma(tuning))
            return apart * predicted_wmma_time(tuning, shape, plan.compute_units);
        else
            return apart * copied_by_threads(tuning,
                                             predicted_time(tuning, shape, plan.compute_units),
                                             shape.by_pixels,
                                             has_single_vectors(plan.argument.problem));
    }

private:
    /// Bytes of a slice in whole lines, by tap; the last tile of columns has fewer.
    static double cache_bytes(const Plan& plan)
    {
        if constexpr(tuning.reduction == Reduction::merged || Direction::c == Role::filter)
            return 0;
        else
        {
            const auto [m, n, k] = tuning.block_tile;
            const ConvProblem& p = plan.argument.problem;
            const auto average   = [](double all, double tile) {
                return all == 0 ? tile : all / std::ceil(all / tile);
            };
            const auto in_lines = [](double rows, double along) {
                constexpr double bytes = sizeof(typename Kernel::Params::SourceB::Element);
                return rows * std::max(machine::gfx942::cache::line, bytes * along);
            };
            const double depth = average(static_cast<double>(Direction::reduction_channels(p)), k),
                         width = average(static_cast<double>(Direction::columns(p)), n);
            return in_lines(m, depth) +
                   (Transform::b_along_k ? in_lines(width, depth) : in_lines(depth, width));
        }
    }
    /// Whether pixels of X have one vector of channels each; of wgmma, which was measured.
    static constexpr bool has_single_vectors(const ConvProblem& p)
    {
        return arch::takes_shared(tuning.instruction) && p.groups == 1 &&
               p.in_channels <= tuning.b_vector;
    }
    /// Whether the model of dot products is for the device: it was fitted to an H200, and orders
    /// kernels of forward and backward data as the emulator's timing model does for gfx1100
    /// (docs/notes/amd_predicted_times.md).
    static bool has_dot_product_model()
    {
        const arch::Target target = current_target();
        return arch::is_amd(target) ? arch::is_rdna(target) && Direction::c != Role::filter
                                    : target != arch::Target::host;
    }
    /// Whether neighbouring channels of X or Y are not contiguous: threads then load from separate
    /// sectors, which the model does not know. Measured on an H100, bf16: 0.46 ms, predicted 0.19
    /// (1x1, 64 to 64 channels at 56x56, channels first).
    static bool has_channels_apart(const ConvProblem& p)
    {
        return (p.in_channels > 1 && p.input_strides[2] != 1) ||
               (p.out_channels > 1 && p.output_strides[2] != 1);
    }
    static constexpr double channels_apart_factor = 2.4;
};

template <Pipeline pipeline, class Direction, class Transform, class Types, GemmTuning tuning>
requires(
    pipeline == Pipeline::single_buffer || pipeline == Pipeline::double_buffer ||
    pipeline ==
        Pipeline::async_copies) struct LauncherOf<pipeline, Direction, Transform, Types, tuning>
{
    using type = ConvGemm<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_gemm<Transform>(tuning); }
};

} // namespace ck::tensor_operation::device
