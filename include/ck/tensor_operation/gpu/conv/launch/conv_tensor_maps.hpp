#pragma once
// The tensor maps of a launch (grid/gridwise_tensor_map_conv.hpp): which problems have them, and
// what they say.
#include "ck/tensor_operation/gpu/conv/launch/transposed_ahead.hpp"
#include "ck/tensor_operation/gpu/conv/model/class_sums.hpp"
#include "ck/tensor_operation/gpu/conv/plan/remainder_plan.hpp"
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_tensor_map_conv.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace ck::tensor_operation::device {

template <class Direction, class Kernel>
struct ConvTensorMaps
{
    using Params    = typename Kernel::Params;
    using Transform = decltype(Params::transform);
    using ZeroRows  = decltype(Params::zeros);

    static constexpr bool by_pixels = Kernel::by_pixels;
    /// Which operand is transposed ahead.
    static constexpr bool a_ahead = Kernel::a_along_k != Transform::a_along_k,
                          b_ahead = Kernel::b_along_k != Transform::b_along_k;
    using Ahead                   = TransposedAhead<Direction, Kernel::input_bytes>;

    /// Whether there are maps of a problem whose tensors can be accessed in vectors of 16 bytes.
    /// chunks: of the batch.
    static Support check(const ConvProblem& p, index_t chunks)
    {
        const auto text = [](auto n) { return std::to_string(n); };
        if(const Support s = check_one_group(p, 1, "tensor maps"); !s)
            return s;
        if(by_pixels && chunks > 1)
            return refused("32-bit offsets cut the batch into " + text(chunks) +
                           " chunks, but this kernel's reduction runs through all images");
        if(by_pixels && p.in_channels % Kernel::line != 0 && p.filter != Spatial{1, 1, 1})
            return refused("C is " + text(p.in_channels) + ", not a multiple of the " +
                           text(Kernel::line) +
                           " channels of X that one of this kernel's copies takes, which must "
                           "not reach into those of the next filter tap");
        if(const Support s = check_classes<Direction>(p, Kernel::most_classes, "tensor maps"); !s)
            return s;
        const Transform transform = Transform::make(p, 1);
        if constexpr(Kernel::kept_slices > 0)
            if(const Support s = check_kept(transform, Direction::reduction_channels(p)); !s)
                return s;
        if constexpr(a_ahead || b_ahead)
            if(const Support s = Ahead::check(p); !s)
                return s;
        for(index_t i = 0; i < transform.class_count(); ++i)
            if(const Support s = check_windows(p, Direction::a, a_windows(transform, i)); !s)
                return s;
        if constexpr(by_pixels)
            return check_windows(p, Direction::b, input_windows(transform.views));
        return {};
    }

    /// Of a launch: the classes with tiles, when the batch is in so many chunks. The rows of the
    /// others are filled with zeros.
    static index_t tile_classes(const Transform& transform, index_t chunks)
    {
        index_t count = 0;
        for(index_t i = 0; i < transform.class_count(); ++i)
            count += has_tiles(transform, i, chunks);
        return count;
    }

    /// Whether the last slice of each tap, of so many channels, is multiplied by half.
    static constexpr bool has_half_slices(long_index_t reduction)
    {
        return Kernel::has_half_slices && (reduction - 1) % Kernel::shape.k < Kernel::half_k;
    }

    /// Whether the tiles, for so many workgroups or clusters, are taken in a balanced order: where
    /// these have few, of sums of different lengths.
    static bool is_balanced(const Params& r, index_t groups)
    {
        constexpr long_index_t few_tiles = 8; // of a workgroup
        return Kernel::balances && r.tiles.size() < few_tiles * groups && !equal(classes(r));
    }

    /// Of several residue classes: how many tiles of average sums are what the workgroup, or
    /// cluster, of so many has to do that has the most. 0 where it is not counted: all have nearly
    /// the same, or the batch is in chunks.
    static double longest_share(const Params& r, index_t groups)
    {
        return share(r, r.tiles, groups, is_balanced(r, groups));
    }
    /// The same of the first rows of tiles alone, whose order is that of neighbours.
    static double whole_share(const Params& r, index_t groups, index_t row_tiles)
    {
        grid::TileMap tiles = r.tiles;
        tiles.row_tiles     = make_divisor(row_tiles);
        return share(r, tiles, groups, false);
    }

    /// Of so many workgroups, or clusters, that a device holds at a time, those that have tiles:
    /// where filters are kept, as many for each column of tiles.
    static index_t places(const Params& r, index_t all)
    {
        const index_t multiple_of = Kernel::kept_slices > 0 ? r.tiles.column_tiles.value : 1;
        return math::max(1, all / multiple_of) * multiple_of;
    }

    /// How a launch ends; of backward weight, into what parts all sums are cut.
    using Plan = std::conditional_t<by_pixels, SplitPlan, RemainderPlan>;

    /// Of backward weight: the slices of a tile's sum.
    static index_t reduction_slices(const Params& r)
    {
        return math::integer_divide_ceil(r.transform.max_reduction(), Kernel::shape.k);
    }

    /// The parts of backward weight.
    static grid::SplitTiles split_tiles(const Params& r, const SplitPlan& plan)
    {
        return grid::SplitTiles::make(static_cast<index_t>(r.tiles.size()),
                                      reduction_slices(r),
                                      plan.parts,
                                      plan.last_tiles,
                                      plan.last_parts,
                                      plan.whole);
    }

    /// Completes the parameters of a launch on a device of `units` compute units. Throws
    /// std::runtime_error if the driver makes no maps.
    static void complete(Params& r, const ConvProblem& p, index_t units, const Plan& plan = {})
    {
        r.window_rank   = p.rank + 2;
        r.columns       = static_cast<index_t>(Direction::columns(p));
        r.reduction     = reduction(r, p);
        r.items         = items(r, plan);
        r.blocks        = blocks(r, r.items.size(), units);
        r.zeros.classes = 0;
        for(index_t i = 0, at = 0; i < r.transform.class_count(); ++i)
            if(has_tiles(r.transform, i, r.tiles.chunks))
                r.tile_class[at++] = i;
            else
                r.zeros.class_index[r.zeros.classes++] = i;
        r.row_stride = by_pixels || r.transform.class_count() > 1
                           ? 0
                           : pixel_stride(p, Direction::c, Kernel::c_bytes);
        for(index_t i = 0; i < r.transform.class_count(); ++i)
        {
            const PixelWindows w = a_windows(r.transform, i);
            const auto box       = [&] {
                if constexpr(a_ahead)
                    return Ahead::box(p, r.a, Kernel::a_lines);
                else
                    return windows(p, Direction::a, r.a, w, Kernel::a_lines);
            };
            if(has_pixels(w))
                make_map(r.a_map[i], box());
            const index_t depth = math::integer_divide_ceil(r.reduction, Kernel::shape.k);
            r.tap_slices        = make_divisor(depth);
            r.slices[i]         = by_pixels ? depth : w.tap_count() * depth;
            r.image_rows[i]     = by_pixels ? r.transform.max_rows() : rows(w);
        }
        if constexpr(Kernel::balances)
            complete_order(r);
        if constexpr(Kernel::fills_zeros)
            complete_zeros(r);
        if constexpr(by_pixels)
        {
            const PixelWindows w = input_windows(r.transform.views);
            if(has_pixels(w)) // else there is nothing to copy, and the driver makes no map
                make_map(r.b_map, windows(p, Direction::b, r.b, w, Kernel::b_lines));
        }
        else
        {
            const auto make = [&](arch::TensorMap& map, index_t lines) {
                if constexpr(b_ahead)
                    make_map(map, Ahead::box(p, r.b, lines));
                else
                    make_map(map, filter_box(p, r.b, Kernel::line, lines, Kernel::input_bytes));
            };
            make(r.b_map, Kernel::b_lines);
            const index_t rest = r.columns % Kernel::b_lines, half = Kernel::half_k;
            r.half_slices = has_half_slices(r.reduction);
            if(Kernel::b_along_k ? rest > 0 : r.half_slices)
                make(r.b_last, Kernel::b_along_k ? rest : half);
        }
    }

    /// Clock cycles that the copies of a slice take.
    static double copying_cycles(const ConvProblem& p, const Params& r)
    {
        const auto line_of = [&](Role role) {
            constexpr long_index_t bytes = Kernel::input_bytes;
            if(role == Direction::a ? a_ahead : b_ahead)
                return line_cycles(0, 0, false);
            return line_cycles(strides_of(p, role)[5] * bytes,
                               lengths_of(p, role)[2] * bytes,
                               p.filter != Spatial{1, 1, 1});
        };
        const double columns =
            static_cast<double>(Direction::columns(p)) / r.tiles.column_tiles.value;
        const double lines_of_b = Kernel::kept_slices > 0 ? 0
                                  : by_pixels             ? Kernel::shape.n
                                                          : columns;
        return Kernel::shape.m * line_of(Direction::a) +
               lines_of_b / Kernel::cluster_size * line_of(Direction::b);
    }

    /// Clock cycles that the warp with the most zeros to store takes.
    static double zero_cycles(const Params& r, const ConvProblem& p, index_t units)
    {
        if constexpr(Kernel::fills_zeros)
        {
            const index_t classes = r.transform.class_count() - r.tiles.classes.value;
            const index_t workgroups =
                math::max(1, blocks(r, static_cast<index_t>(r.tiles.size()), units));
            const double batches    = double{1} * classes * zero_batches(r),
                         row_stores = static_cast<double>(Direction::columns(p)) / Kernel::c_vector;
            return std::ceil(batches / (workgroups * Kernel::other_warps)) *
                   zero_batch_cycles(row_stores);
        }
        return 0;
    }

private:
    /// Workgroups of a launch of so many items.
    static index_t blocks(const Params& r, index_t items, index_t units)
    {
        return Kernel::cluster_size *
               math::min(items,
                         places(r, units * Kernel::min_blocks_per_unit / Kernel::cluster_size));
    }

    /// Of a class without taps.
    static index_t zero_batches(const Params& r)
    {
        return math::integer_divide_ceil(r.transform.max_rows(), ZeroRows::batch);
    }

    static auto items(const Params& r, const Plan& plan)
    {
        if constexpr(by_pixels)
            return split_tiles(r, plan);
        else
        {
            const index_t whole = r.tiles.row_tiles.value - plan.rows; // rows of tiles
            const auto tiles    = static_cast<index_t>(r.tiles.size()),
                       in_parts = tiles / r.tiles.row_tiles.value * plan.rows;
            return grid::Remainder{tiles - in_parts,
                                   whole * Kernel::tile_rows,
                                   make_divisor(math::max(in_parts, 1)),
                                   make_divisor(in_parts > 0 ? plan.parts : 0)};
        }
    }

    static bool has_tiles([[maybe_unused]] const Transform& transform,
                          [[maybe_unused]] index_t number,
                          [[maybe_unused]] index_t chunks)
    {
        if constexpr(Kernel::fills_zeros)
            return chunks > 1 || transform.residues(number).tap_count() > 0;
        else
            return true;
    }

    /// Those with tiles, in the order of their numbers.
    static std::vector<ClassSums> classes(const Params& r)
    {
        std::vector<ClassSums> of;
        for(index_t i = 0; i < r.transform.class_count(); ++i)
            if(has_tiles(r.transform, i, r.tiles.chunks))
            {
                const PixelWindows w = a_windows(r.transform, i);
                of.push_back({w.tap_count(), long_index_t{rows(w)} * r.batch});
            }
        return of;
    }
    /// longest_share() of some tiles.
    static double share(const Params& r, const grid::TileMap& tiles, index_t groups, bool balanced)
    {
        constexpr long_index_t many_tiles = 12; // of a workgroup
        if(r.tiles.chunks > 1 || tiles.size() == 0 || tiles.size() >= many_tiles * groups)
            return 0;
        std::vector<ClassSums> of = classes(r);
        if(equal(of))
            return 0;
        if(Kernel::balances)
            sort(of.begin(), of.end(), [](const ClassSums& c) { return c.taps; });
        const auto order =
            balanced ? grid::ClassOrder::balanced(tiles, groups)
                     : grid::ClassOrder::of_neighbours(static_cast<index_t>(tiles.size()));
        return device::longest_share(tiles, order, of, Kernel::tile_rows, groups);
    }
    /// Whether all sums have the same length.
    static bool equal(const std::vector<ClassSums>& of)
    {
        return std::adjacent_find(of.begin(), of.end(), [](const ClassSums& a, const ClassSums& b) {
                   return a.taps != b.taps;
               }) == of.end();
    }
    /// Those of the longest sums first.
    template <class It, class Length>
    static void sort(It first, It last, Length length)
    {
        std::stable_sort(
            first, last, [&](const auto& a, const auto& b) { return length(a) > length(b); });
    }

    /// Of one image.
    static index_t rows(const PixelWindows& w)
    {
        return w.dimension[0].count.value * w.dimension[1].count.value * w.dimension[2].count.value;
    }

    /// A balanced one is of whole tiles alone.
    static void complete_order(Params& r)
    {
        const index_t groups = r.blocks / Kernel::cluster_size;
        sort(r.tile_class, r.tile_class + r.tiles.classes.value, [&](index_t number) {
            return r.slices[number];
        });
        r.order = is_balanced(r, groups) && r.items.whole_tiles == r.tiles.size()
                      ? grid::ClassOrder::balanced(r.tiles, groups)
                      : grid::ClassOrder::of_neighbours(r.items.size());
    }

    /// What is stored at a pace that ends shortly before the launch does.
    static void complete_zeros(Params& r)
    {
        constexpr double part = 0.9; // of the slices
        double slices         = 0;
        for(index_t i = 0; i < r.tiles.classes.value; ++i)
            slices += r.slices[r.tile_class[i]];
        slices *= static_cast<double>(r.tiles.size()) / r.tiles.classes.value;
        r.zeros.block_slices =
            static_cast<index_t>(part * slices * Kernel::cluster_size / r.blocks);
        r.zeros.batches     = make_divisor(zero_batches(r));
        r.zeros.row_vectors = make_divisor(r.columns / Kernel::c_vector);
    }

    /// Channels of a tap, or output pixels.
    static index_t reduction(const Params& r, [[maybe_unused]] const ConvProblem& p)
    {
        if constexpr(by_pixels)
            return r.transform.max_reduction();
        else
            return static_cast<index_t>(Direction::reduction_channels(p));
    }

    /// Whether a workgroup can keep the filters of all its tiles: one residue class has taps.
    static Support check_kept(const Transform& transform, long_index_t channels)
    {
        index_t classes = 0, taps = 0;
        for(index_t i = 0; i < transform.class_count(); ++i)
        {
            const index_t of_class = a_windows(transform, i).tap_count();
            classes += of_class > 0;
            taps = math::max(taps, of_class);
        }
        const long_index_t slices =
            taps * math::integer_divide_ceil(channels, long_index_t{Kernel::shape.k});
        if(classes <= 1 && slices <= Kernel::kept_slices)
            return {};
        return refused(
            "filters are " + std::to_string(slices) + " slices of " +
            std::to_string(Kernel::shape.k) + " channels at a tap, of " + std::to_string(classes) +
            " residue classes, but this kernel's tensor maps bring those of one class and at "
            "most " +
            std::to_string(Kernel::kept_slices) + " slices, which it keeps");
    }

    /// H200: pairs of lines take 3 % less time where a pixel has one, backward data of 1x1 256 to
    /// 128 channels; 2 to 5 % more in backward weight of 1x1, which reads each line once, and 10 %
    /// more where they are not aligned, 3x1x1 with 144 channels; else they do not matter.
    static arch::TensorBox
    windows(const ConvProblem& p, Role role, const void* base, const PixelWindows& w, index_t lines)
    {
        arch::TensorBox b = window_box(p, role, base, w, Kernel::line, lines, Kernel::input_bytes);
        b.pairs           = !by_pixels && b.stride[1] * Kernel::input_bytes % 256 == 0;
        return b;
    }
};

} // namespace ck::tensor_operation::device
