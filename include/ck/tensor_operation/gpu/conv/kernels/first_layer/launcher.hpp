#pragma once
// Launches of conv/kernels/first_layer/kernel.hpp: forward, for images of few channels.
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/tiles_plan.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/conv/model/wmma_time.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvFirstLayer : public Launcher<Direction,
                                        Types,
                                        tuning,
                                        grid::GridwiseFirstLayerConv<Transform, Types, tuning>>
{
    using Kernel = grid::GridwiseFirstLayerConv<Transform, Types, tuning>;
    using Plan   = LaunchPlan<ConvArgument<Types>, typename Kernel::Params>;

    static_assert(Direction::c == Role::output, "dX of strides has several kinds of rows");

    /// Takes one group of channels, and filters that fit LDS.
    static Support check(const ConvProblem& p, index_t /*sub_batches*/)
    {
        return check_all([&] { return check_image_channels(p, Kernel::pixel_channels); },
                         [&] { return check_row(p); },
                         [&] { return check_filter(p); },
                         [&] { return check_halo(best_shape(p), tuning.window.columns); });
    }

    static void complete(Plan& plan)
    {
        const ConvProblem& p  = plan.argument.problem;
        auto& r               = plan.params;
        const TileShape shape = best_shape(p);
        r.halo                = first_layer_halo(
            p, r.transform.views, shape, sizeof(typename Kernel::A), sizeof(typename Kernel::C));
        if constexpr(Kernel::whole_rows)
            r.rows = {row_elements(r.halo), make_divisor(math::max(r.halo.channels, index_t{1}))};
        r.columns         = static_cast<index_t>(p.out_channels);
        r.b_column        = static_cast<arch::offset_t>(p.filter_strides[1]);
        r.b_channel       = static_cast<arch::offset_t>(p.filter_strides[2]);
        r.sub_tiles_x     = shape.width / Kernel::rows_of_sub_tile;
        r.work            = static_cast<index_t>(work(plan, shape));
        r.tiles.row_tiles = make_divisor(static_cast<index_t>(blocks(plan, r.work)));
    }

    static double predict(const Plan& plan, double bytes, double)
    {
        const ConvProblem& p   = plan.argument.problem;
        const TileShape shape  = best_shape(p);
        const double of_blocks = static_cast<double>(blocks(plan, work(plan, shape))),
                     tiles     = static_cast<double>(work(plan, shape)),
                     all       = static_cast<double>(others(plan)),
                     rounds    = std::ceil(tiles / std::max(1., of_blocks)),
                     rows      = static_cast<double>(groups_of_taps(p)),
                     halo      = static_cast<double>(shape.pixels());
        if constexpr(is_mfma(tuning) || is_wmma(tuning))
        {
            const double at_a_time = std::clamp(std::ceil(of_blocks * all / plan.compute_units),
                                                1.,
                                                double{1} * Kernel::min_blocks_per_cu);
            const FirstLayerLaunch launch{tiles * all, rounds, at_a_time, rows, halo, bytes};
            if constexpr(is_mfma(tuning))
                return predicted_mfma_time(tuning, launch, plan.compute_units);
            else
                return predicted_wmma_time(tuning, launch, plan.compute_units);
        }
        else
            return predicted_first_layer_time(
                tuning, tiles * all, rounds, rows, halo, bytes, plan.compute_units);
    }

private:
    static std::string text(long_index_t n) { return std::to_string(n); }

    /// Whether a pixel in LDS has the elements of a filter's row, if it is to have them.
    static Support check_row(const ConvProblem& p)
    {
        return !Kernel::whole_rows || p.in_channels * p.filter[2] <= Kernel::pixel_channels
                   ? Support{}
                   : refused([&] {
                         return "a filter's row has " + text(p.filter[2]) + " taps of " +
                                text(p.in_channels) + " channels, but this kernel is for at most " +
                                text(Kernel::pixel_channels) + " elements";
                     });
    }
    static Support check_filter(const ConvProblem& p)
    {
        const long_index_t taps = p.filter[Kernel::whole_rows ? 1 : 2];
        return taps * Kernel::pixel_channels <= tuning.block_tile.k &&
                       groups_of_taps(p) <= tuning.window.y
                   ? Support{}
                   : refused([&] {
                         const std::string of = Kernel::whole_rows ? " planes of " : " rows of ";
                         return "the filter has " + text(groups_of_taps(p)) + of + text(taps) +
                                (Kernel::whole_rows ? " rows" : " taps") +
                                ", but this kernel has room for " + text(tuning.window.y) + " of " +
                                text(tuning.block_tile.k / Kernel::pixel_channels);
                     });
    }
    /// Taps that are multiplied together are those of a row, or if pixels have whole rows, of a
    /// column.
    static long_index_t groups_of_taps(const ConvProblem& p)
    {
        return p.filter[0] * (Kernel::whole_rows ? 1 : p.filter[1]);
    }
    static grid::RowElements<Kernel::pixel_channels> row_elements(const grid::FirstLayerHalo& h)
    {
        grid::RowElements<Kernel::pixel_channels> r{};
        const index_t channels = math::max(h.channels, index_t{1});
        for(index_t e = 0; e < Kernel::pixel_channels; ++e)
        {
            const index_t x = e / channels, channel = e % channels;
            r.column[e] = x < h.x.taps ? x * h.x.dilation : r.nowhere;
            r.bytes[e]  = x < h.x.taps
                              ? grid::window_bytes(x * h.x.dilation, h.geometry.a.column_bytes) +
                                   grid::window_bytes(channel, h.geometry.a.channel_bytes)
                              : 0;
        }
        return r;
    }
    /// Tiles of a group, sub-batch and column tile.
    static long_index_t work(const Plan& plan, const TileShape& shape)
    {
        return tiles_of_sub_batch(shape, plan.params.sub_batch_size, plan.params.batch);
    }
    /// Groups, sub-batches and column tiles together.
    static long_index_t others(const Plan& plan)
    {
        grid::TileMap tiles = plan.params.tiles;
        tiles.row_tiles     = make_divisor(1);
        return tiles.size();
    }
    /// Blocks of each of these: as many as the device holds at a time, or have a tile.
    static long_index_t blocks(const Plan& plan, long_index_t work)
    {
        const long_index_t room = long_index_t{plan.compute_units} * Kernel::min_blocks_per_cu;
        return math::min(
            work, math::max(room / math::max(others(plan), long_index_t{1}), long_index_t{1}));
    }
    /// The shape of the problem's tiles, at least as wide as the pixels of a matrix instruction,
    /// which lie side by side.
    static TileShape best_shape(const ConvProblem& p)
    {
        ConvProblem of_pixels = p;
        if(Kernel::whole_rows) // there are as many pixels as windows side by side
            of_pixels.filter[2] = of_pixels.stride[2] = 1;
        return best_tile_shape(of_pixels,
                               p.output_lengths(),
                               tuning.block_tile.m,
                               Kernel::rows_of_sub_tile,
                               tuning.window.columns);
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::first_layer, Direction, Transform, Types, tuning>
{
    using type = ConvFirstLayer<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_first_layer(tuning); }
};

} // namespace ck::tensor_operation::device
