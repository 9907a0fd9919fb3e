#pragma once
// The phases of a launch of conv/kernels/tensor_map/kernel.hpp: which have tiles, the order of
// these, and the resulting load imbalance.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/phases_cost.hpp"

#include <algorithm>
#include <vector>

namespace ck::tensor_operation::device {

template <class Kernel>
struct TensorMapPhases
{
    using Params    = typename Kernel::Params;
    using Transform = decltype(Params::transform);

    /// Whether phase `number` has tiles when the batch is in `sub_batches` sub-batches. The rows of
    /// a phase without tiles are filled with zeros.
    static bool has_tiles([[maybe_unused]] const Transform& transform,
                          [[maybe_unused]] index_t number,
                          [[maybe_unused]] index_t sub_batches)
    {
        if constexpr(Kernel::fills_zeros)
            return sub_batches > 1 || transform.residues(number).tap_count() > 0;
        else
            return true;
    }
    static index_t count_with_tiles(const Transform& transform, index_t sub_batches)
    {
        index_t count = 0;
        for(index_t i = 0; i < transform.phase_count(); ++i)
            count += has_tiles(transform, i, sub_batches);
        return count;
    }

    /// Rows of one image.
    static index_t rows(const PixelWindows& w)
    {
        return w.dimension[0].count.value * w.dimension[1].count.value * w.dimension[2].count.value;
    }
    /// Returns the slices of the sums of a phase whose sums at one tap have `of_tap` slices.
    static index_t slices(const PixelWindows& w, index_t of_tap)
    {
        return Kernel::by_pixels ? of_tap : w.tap_count() * of_tap;
    }

    /// Whether `groups` workgroups or clusters take the tiles in a balanced order. They do where
    /// each has few tiles, and the tiles' sums are of different lengths.
    static bool is_balanced(const Params& r, index_t groups)
    {
        constexpr long_index_t few_tiles = 8; // tiles of a workgroup
        return Kernel::balances && r.tiles.size() < few_tiles * groups && !equal(with_tiles(r));
    }

    /// Returns the work of the busiest of `groups` workgroups or clusters, in tiles with sums of
    /// average length. 0 where it is not counted: all have nearly the same work, or the batch is in
    /// sub-batches.
    static double longest_share(const Params& r, index_t groups)
    {
        if(r.tiles.phases.value <= 1)
            return 0;
        return share(r, r.tiles, groups, is_balanced(r, groups));
    }
    /// Returns the longest share of the first `row_tiles` rows of tiles, which are taken in the
    /// order of neighbours.
    static double whole_share(const Params& r, index_t groups, index_t row_tiles)
    {
        grid::TileMap tiles = r.tiles;
        tiles.row_tiles     = make_divisor(row_tiles);
        return share(r, tiles, groups, false);
    }

    /// Sets the order of a launch whose phases' slices are known: the longest sums first. A
    /// balanced order has only whole tiles.
    static void complete_order(Params& r)
    {
        const index_t groups = r.blocks / Kernel::cluster_size;
        sort(r.tile_phase, r.tile_phase + r.tiles.phases.value, [&](index_t number) {
            return r.slices[number];
        });
        r.order = is_balanced(r, groups) && r.items.whole_tiles == r.tiles.size()
                      ? grid::PhaseOrder::balanced(r.tiles, groups)
                      : grid::PhaseOrder::of_neighbours(r.items.size());
    }

private:
    /// In the order of their numbers.
    static std::vector<PhaseSums> with_tiles(const Params& r)
    {
        std::vector<PhaseSums> of;
        for(index_t i = 0; i < r.transform.phase_count(); ++i)
            if(has_tiles(r.transform, i, r.tiles.sub_batches))
            {
                const PixelWindows w = a_windows(r.transform, i);
                of.push_back({w.tap_count(), long_index_t{rows(w)} * r.batch});
            }
        return of;
    }
    /// longest_share() of some tiles.
    static double share(const Params& r, const grid::TileMap& tiles, index_t groups, bool balanced)
    {
        constexpr long_index_t many_tiles = 12; // tiles of a workgroup
        if(r.tiles.sub_batches > 1 || tiles.size() == 0 || tiles.size() >= many_tiles * groups)
            return 0;
        std::vector<PhaseSums> of = with_tiles(r);
        if(equal(of))
            return 0;
        if(Kernel::balances)
            sort(of.begin(), of.end(), [](const PhaseSums& c) { return c.taps; });
        const auto order =
            balanced ? grid::PhaseOrder::balanced(tiles, groups)
                     : grid::PhaseOrder::of_neighbours(static_cast<index_t>(tiles.size()));
        return device::longest_share(tiles, order, of, Kernel::tile_rows, groups);
    }
    /// Whether all sums have the same length.
    static bool equal(const std::vector<PhaseSums>& of)
    {
        return std::adjacent_find(of.begin(), of.end(), [](const PhaseSums& a, const PhaseSums& b) {
                   return a.taps != b.taps;
               }) == of.end();
    }
    /// Sorts phases, those of the longest sums first.
    template <class It, class Length>
    static void sort(It first, It last, Length length)
    {
        std::stable_sort(
            first, last, [&](const auto& a, const auto& b) { return length(a) > length(b); });
    }
};

} // namespace ck::tensor_operation::device
