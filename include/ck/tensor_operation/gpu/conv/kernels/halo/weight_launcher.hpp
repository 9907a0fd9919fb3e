#pragma once
// Launches of conv/kernels/halo/weight_kernel.hpp (backward weight): which problems it takes, and
// their halo tiles.
#include "ck/tensor_operation/gpu/conv/kernels/halo/weight_kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"

#include <string>

namespace ck::tensor_operation::device {

template <class Types, GemmTuning tuning>
struct ConvWeightHaloTiles : public Launcher<BackwardWeightDirection,
                                             Types,
                                             tuning,
                                             grid::GridwiseHaloWeightConv<Types, tuning>>
{
    using Kernel    = grid::GridwiseHaloWeightConv<Types, tuning>;
    using Params    = typename Kernel::Params;
    using Plan      = LaunchPlan<ConvArgument<Types>, Params>;
    using Direction = BackwardWeightDirection;

    /// Whether halo tiles exist for a problem whose tensors can be accessed in vectors of 16 bytes.
    /// sub_batches: of the batch.
    static Support check(const ConvProblem& p, index_t sub_batches)
    {
        const auto text = [](auto n) { return std::to_string(n); };
        if(const Support s = check_boxes(p, sub_batches, "halo tiles"); !s)
            return s;
        for(const long_index_t stride : p.stride)
            if(stride != 1)
                return refused([&] {
                    return "a stride is " + text(stride) +
                           ", but this kernel's halo tiles are of neighbouring pixels";
                });
        HaloTiles halo_tiles;
        if(const char* reason = make(halo_tiles, p, BackwardWeight::make(p, 1)))
            return refused([&] { return std::string(reason) + ", for this kernel's halo tiles"; });
        return {};
    }

    static void complete(Plan& plan)
    {
        Params& r            = plan.params;
        const ConvProblem& p = plan.argument.problem;
        make(r.halo_tiles, p, r.transform);
        r.weight_tiles = weight_tiles(p);
        r.halo_bytes   = math::integer_least_multiple(r.halo_tiles.lines() * Kernel::b_bytes, 1024);
        r.stage_bytes  = Kernel::own_bytes + r.halo_bytes;
        r.stages       = math::min(Kernel::most_stages, Kernel::pool_bytes / r.stage_bytes);
        for(int i = 0; i < 3; ++i)
            r.dilation[i] = static_cast<index_t>(p.dilation[static_cast<std::size_t>(2 - i)]);
        arch::TensorBox own = whole_tensor(p, Direction::a, r.a, 3, Kernel::rows),
                        box = whole_tensor(p, Direction::b, r.b, 3, Kernel::line);
        for(int i = 0; i < 4; ++i)
        {
            own.box[i] = r.halo_tiles.extent[i];
            box.box[i] = r.halo_tiles.halo[i];
        }
        make_map(r.a_map, own);
        make_map(r.b_map, box);
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
        const double splits    = r.tiles.splits.value,
                     tiles     = std::ceil(r.halo_tiles.tile_count / splits), // tiles of a block
            blocks             = static_cast<double>(weight_tiles(p).size());
        constexpr double steps = Kernel::sub_tiles * HaloTiles::sub_tile / Kernel::k_per_step;
        // Fitted: three warpgroups take less than three times the cycles of one, a line of 64 bytes
        // less than half of the copying engine's of 128.
        constexpr double together = 0.84, of_line = Kernel::b_bytes < 128 ? 0.4 : 1;
        return {blocks * splits,
                tiles * steps * Kernel::warpgroups * together *
                    wgmma_cycles(Kernel::taps * Kernel::line, true),
                0,
                tiles * copy_line_cycles *
                    (Kernel::sub_tiles * HaloTiles::sub_tile + of_line * r.halo_tiles.lines()),
                0,
                false,
                bytes,
                more_bytes,
                true};
    }

private:
    static grid::WeightTiles weight_tiles(const ConvProblem& p)
    {
        return grid::WeightTiles::make(
            p, Kernel::rows, Kernel::line, Kernel::taps, Kernel::warpgroups, 1);
    }
    static const char* make(HaloTiles& r, const ConvProblem& p, const BackwardWeight& transform)
    {
        // X's windows have the taps that one workgroup computes.
        const auto windows = [&](index_t) {
            PixelWindows w      = input_windows(transform.views);
            w.dimension[0].taps = make_divisor(Kernel::taps);
            w.dimension[1].taps = make_divisor(Kernel::warpgroups);
            w.dimension[2].taps = make_divisor(1);
            return w;
        };
        const index_t filter[3] = {Kernel::taps, Kernel::warpgroups, 1};
        constexpr index_t room =
            Kernel::pool_bytes / 2 / 1024 * 1024 - Kernel::own_bytes; // two stages
        return HaloTiles::make(r,
                               1,
                               windows,
                               filter,
                               p.rank,
                               static_cast<index_t>(p.batch),
                               Kernel::sub_tiles,
                               room / Kernel::b_bytes);
    }
};

template <class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::halo_tiles, BackwardWeightDirection, BackwardWeight, Types, tuning>
{
    using type = ConvWeightHaloTiles<Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_weight_halo_tiles(tuning); }
};

} // namespace ck::tensor_operation::device
