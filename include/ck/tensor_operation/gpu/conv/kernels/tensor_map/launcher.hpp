#pragma once
// Launches of conv/kernels/tensor_map/kernel.hpp: which problems have tensor maps, what these
// contain, and the launches before and after the kernel.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/cost.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/launch/reduce_launch.hpp"
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"

#include <limits>
#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Transform_, class Types, GemmTuning tuning>
struct ConvTensorMaps : public Launcher<Direction,
                                        Types,
                                        tuning,
                                        grid::GridwiseTensorMapConv<Transform_, Types, tuning>>
{
    using Kernel     = grid::GridwiseTensorMapConv<Transform_, Types, tuning>;
    using Params     = typename Kernel::Params;
    using Plan       = LaunchPlan<ConvArgument<Types>, Params>;
    using Transform  = Transform_;
    using Phases     = TensorMapPhases<Kernel>;
    using Time       = TensorMapTime<Direction, Kernel, Plan, tuning>;
    using Transposed = typename Time::Transposed;

    static constexpr bool by_pixels          = Kernel::by_pixels;
    static constexpr bool a_transposed_first = Time::a_transposed_first,
                          b_transposed_first = Time::b_transposed_first;
    static constexpr bool has_stream_k_tail  = Kernel::has_stream_k_tail;
    static constexpr bool splits_tiles       = !has_stream_k_tail;

    static Support check(const ConvProblem& p, index_t sub_batches)
    {
        const auto text = [](auto n) { return std::to_string(n); };
        // Backward weight stores zeros where Y is empty.
        if(const Support s = check_elements(p, !by_pixels); !s)
            return s;
        if(const Support s = check_several_groups(p); !s)
            return s;
        if(by_pixels && sub_batches > 1)
            return refused([&] {
                return "32-bit offsets cut the batch into " + text(sub_batches) +
                       " sub-batches, but this kernel's reduction runs through all images";
            });
        if(by_pixels && p.in_channels % Kernel::line != 0 && p.filter != Spatial{1, 1, 1})
            return refused([&] {
                return "C is " + text(p.in_channels) + ", not a multiple of the " +
                       text(Kernel::line) +
                       " channels of X that one of this kernel's copies takes, which must "
                       "not reach into those of the next filter tap";
            });
        if(const Support s = check_phases<Direction>(p, Kernel::most_phases, "tensor maps"); !s)
            return s;
        if constexpr(tuning.maps.transposed_first)
            return Transposed::check(p);
        return {};
    }
    static Support check_transform(const ConvProblem& p, const Transform& transform)
    {
        if constexpr(Kernel::resident_filters > 0)
            if(const Support s = check_resident(transform, Direction::reduction_channels(p)); !s)
                return s;
        for(index_t i = 0; i < transform.phase_count(); ++i)
            if(const Support s = check_windows(of_images(p), Direction::a, a_windows(transform, i));
               !s)
                return s;
        if constexpr(by_pixels)
            return check_windows(p, Direction::b, input_windows(transform.views));
        return {};
    }

    static index_t tile_phases(const Transform& transform, index_t sub_batches)
    {
        return Phases::count_with_tiles(transform, sub_batches);
    }

    static std::size_t prologue_bytes(const ConvProblem& p) { return Time::prologue_bytes(p); }

    /// The partial sums of backward weight.
    static grid::SplitTiles split_tiles(const Params& r, const SplitPlan& plan)
    {
        return grid::SplitTiles::make(static_cast<index_t>(r.tiles.size()),
                                      Time::reduction_slices(r),
                                      plan.partial_sums,
                                      plan.last_tiles,
                                      plan.last_partial_sums,
                                      plan.whole);
    }

    static SplitPlan tail(const Plan& plan, double bytes) { return Time::tail(plan, bytes); }

    /// The partial sums of a plan's stream-K tail: of the last rows of all phases.
    static PartialRows<typename Kernel::Accumulator> tail_partial_sums(const Plan& plan)
    {
        const Params& r = plan.params;
        return {r.transform.max_rows() - whole_rows(plan) * Kernel::tile_rows,
                static_cast<index_t>(Direction::columns(plan.problem)),
                r.transform.phase_count(),
                plan.tail.last_partial_sums};
    }

    static void complete(Plan& plan)
    {
        Params& r            = plan.params;
        const ConvProblem& p = plan.argument.problem;
        if constexpr(a_transposed_first)
            r.a = static_cast<decltype(r.a)>(plan.argument.transposed);
        if constexpr(b_transposed_first)
            r.b = static_cast<decltype(r.b)>(plan.argument.transposed);
        r.window_rank       = of_images(p).rank + 2;
        r.columns           = static_cast<index_t>(Direction::columns(p));
        r.a_group           = between_groups(p, Direction::a);
        r.b_group           = between_groups(p, Direction::b);
        r.planes_are_images = planes_are_images(p);
        r.reduction         = reduction(r, p);
        r.items             = items(plan);
        r.blocks            = Time::blocks(r, r.items.size(), plan.compute_units);
        r.zeros.phases      = 0;
        for(index_t i = 0, at = 0; i < r.transform.phase_count(); ++i)
            if(Phases::has_tiles(r.transform, i, r.tiles.sub_batches))
                r.tile_phase[at++] = i;
            else
                r.zeros.phase_index[r.zeros.phases++] = i;
        r.row_stride        = by_pixels || r.transform.phase_count() > 1
                                  ? 0
                                  : pixel_stride(p, Direction::c, Kernel::c_bytes);
        const index_t depth = math::integer_divide_ceil(r.reduction, Kernel::shape.k);
        r.tap_slices        = make_divisor(depth);
        for(index_t i = 0; i < r.transform.phase_count(); ++i)
        {
            const PixelWindows w = a_windows(r.transform, i);
            const auto box       = [&] {
                if constexpr(a_transposed_first)
                    return Transposed::box(p, r.a, Kernel::a_lines);
                else
                    return of_groups(p,
                                     Direction::a,
                                     windows(of_images(p), Direction::a, r.a, w, Kernel::a_lines));
            };
            if(has_pixels(w))
                make_map(r.a_map[i], box());
            r.slices[i]     = Phases::slices(w, depth);
            r.image_rows[i] = by_pixels ? r.transform.max_rows() : Phases::rows(w);
        }
        if constexpr(Kernel::balances)
            Phases::complete_order(r);
        if constexpr(Kernel::fills_zeros)
            complete_zeros(r);
        complete_b(r, p, plan.compute_units);
    }

    /// What transposes an operand, the kernel, and what adds up the partial sums of a tail.
    static void add(LaunchList& list, const Plan& plan)
    {
        if constexpr(a_transposed_first)
            Transposed::add(list, plan.problem, plan.argument.a, plan.argument.transposed);
        else if constexpr(b_transposed_first)
            Transposed::add(list, plan.problem, plan.argument.b, plan.argument.transposed);
        Launcher<Direction, Types, tuning, Kernel>::add(list, plan);
        if constexpr(has_stream_k_tail)
            if(plan.tail.has_partial_sums())
                add_tail(list, plan);
    }
    static double predict(const Plan& plan, double bytes, double more_bytes)
    {
        return Time::time(plan, bytes, more_bytes);
    }

private:
    /// Adds up the partial sums of a tail.
    static void add_tail(LaunchList& list, const Plan& plan)
    {
        using Sum       = grid::ReducePartialSums<Transform,
                                            typename Types::C,
                                            typename Types::OperationC,
                                            typename Types::Ds,
                                            typename Kernel::Accumulator,
                                            typename Kernel::Accumulator,
                                            ConvTensorMaps::epilogue.any>;
        const Params& r = plan.params;
        typename Sum::Params s{};
        s.c         = r.c;
        s.operation = r.operation_c;
        if constexpr(ConvTensorMaps::epilogue.any)
            s.epilogue = r.epilogue;
        s.transform  = r.transform;
        s.images     = r.batch;
        s.first_row  = r.items.first_row;
        s.whole_runs = tuning.c_vector % Sum::vector == 0;
        s.channels   = make_divisor(static_cast<index_t>(plan.problem.in_channels));
        std::copy(std::begin(r.d), std::end(r.d), s.d);
        for(grid::DTensor& d : s.d)
            d.group = 0; // the sum's groups are phases
        tail_partial_sums(plan).template add<Sum>(list, s, r.partial_sums.base);
    }

    /// Rows of tiles without partial sums.
    static index_t whole_rows(const Plan& plan)
    {
        const grid::TileMap& tiles = plan.params.tiles;
        const auto all             = static_cast<index_t>(tiles.size());
        return plan.tail.last_tiles == 0
                   ? tiles.row_tiles.value
                   : (all - plan.tail.last_tiles) / (all / tiles.row_tiles.value);
    }

    static auto items(const Plan& plan)
    {
        const Params& r = plan.params;
        if constexpr(by_pixels)
            return split_tiles(r, plan.argument.split);
        else
        {
            const index_t split_tiles = plan.tail.last_tiles;
            return grid::StreamKTail{
                static_cast<index_t>(r.tiles.size()) - split_tiles,
                whole_rows(plan) * Kernel::tile_rows,
                make_divisor(math::max(split_tiles, 1)),
                make_divisor(split_tiles > 0 ? plan.tail.last_partial_sums : 0)};
        }
    }

    /// Sets the rate at which zeros are stored, so that this ends shortly before the launch does.
    static void complete_zeros(Params& r)
    {
        constexpr double part = 0.9; // part of the slices
        double slices         = 0;
        for(index_t i = 0; i < r.tiles.phases.value; ++i)
            slices += r.slices[r.tile_phase[i]];
        slices *= static_cast<double>(r.tiles.size()) / r.tiles.phases.value;
        r.zeros.block_slices =
            static_cast<index_t>(part * slices * Kernel::cluster_size / r.blocks);
        r.zeros.batches     = make_divisor(Time::zero_batches(r));
        r.zeros.row_vectors = make_divisor(r.columns / Kernel::c_vector);
    }

    /// Makes the maps of B and sets what follows from their boxes.
    static void complete_b(Params& r, const ConvProblem& p, index_t compute_units)
    {
        if constexpr(by_pixels)
        {
            const PixelWindows w = input_windows(r.transform.views);
            if(has_pixels(w)) // without pixels there is nothing to copy, and no map
                make_map(
                    r.b_map,
                    of_groups(p, Direction::b, windows(p, Direction::b, r.b, w, Kernel::b_lines)));
        }
        else
        {
            const auto make = [&](arch::TensorMap& map, index_t lines) {
                if constexpr(b_transposed_first)
                    make_map(map, Transposed::box(p, r.b, lines));
                else
                {
                    arch::TensorBox box =
                        filter_box(p, r.b, Kernel::line, lines, Kernel::input_bytes);
                    if(p.groups > 1) // the filters' only plane
                    {
                        box.length[3] = p.groups;
                        box.stride[3] = p.filter_strides[0];
                    }
                    make_map(map, box);
                }
            };
            make(r.b_map, Kernel::b_lines);
            const index_t rest = r.columns % Kernel::b_lines, half = Kernel::half_k;
            r.half_slices = Time::has_half_slices(r.reduction);
            r.taps_inside =
                Kernel::resident_filters == 0 && !r.half_slices && exceeds_l2(r, p, compute_units);
            if(Kernel::b_along_k ? rest > 0 : r.half_slices)
                make(r.b_last, Kernel::b_along_k ? rest : half);
        }
    }

    /// Whether the tiles in progress read much more of A than the L2 cache holds, so that it would
    /// be read from memory again for each tap. H200, f16, 384 to 64 channels at 80x80, stride 2,
    /// 128 images (104 MB): 317 us, with taps inside 231 us. Tiles that read 49 to 52 MB are 0.95
    /// to 1.07 times as fast with taps inside, others 0.67 to 1.10: their lines are not adjacent in
    /// memory.
    static bool exceeds_l2(const Params& r, const ConvProblem& p, index_t compute_units)
    {
        constexpr double l2_of_unit = 460 << 10; // 62 MB of 132
        const double rows           = double{1} * r.blocks * Kernel::shape.m /
                            (r.tiles.column_tiles.value * r.tiles.phases.value),
                     taps   = double{1} * p.filter[0] * p.filter[1] * p.filter[2],
                     pixels = // pixels of A for a row of C
                     Direction::c == Role::input
                         ? 1
                         : std::min(taps, double{1} * p.stride[0] * p.stride[1] * p.stride[2]);
        return taps > 1 &&
               rows * pixels * r.reduction * Kernel::input_bytes > l2_of_unit * compute_units;
    }

    /// Whether the kernel takes the problem's groups, if there are several.
    static Support check_several_groups(const ConvProblem& p)
    {
        if(p.groups == 1)
            return {};
        if constexpr(Kernel::resident_filters > 0 || tuning.maps.transposed_first)
            return check_one_group(p, 1, "tensor maps");
        else if constexpr(by_pixels)
            return check_all([&] { return check_distance(p, Direction::a, Direction::a_name); },
                             [&] { return check_distance(p, Direction::b, Direction::b_name); });
        else
            return check_all([&] { return check_taps_of_groups(p); },
                             [&] { return check_distance(p, Direction::a, Direction::a_name); });
    }
    static Support check_distance(const ConvProblem& p, Role role, const char* name)
    {
        constexpr long_index_t most = std::numeric_limits<index_t>::max();
        const long_index_t distance = strides_of(p, role)[0];
        if(distance >= 0 && distance <= most / p.groups)
            return {};
        return refused([&] {
            return std::string("the groups of ") + name + " are " + std::to_string(distance) +
                   " elements apart, but all of them must begin within " + std::to_string(most);
        });
    }
    /// Whether forward or backward data is for several groups: what their taps and channels are.
    static Support check_taps_of_groups(const ConvProblem& p)
    {
        const auto groups = [&] { return std::to_string(p.groups) + " groups"; };
        if(p.filter[0] > 1)
            return refused([&] {
                return "the filters of " + groups() + " have " + std::to_string(p.filter[0]) +
                       " planes, but this kernel's tensor maps have those of several groups "
                       "in their place";
            });
        if(Direction::c == Role::input && p.stride != Spatial{1, 1, 1})
            return refused([&] {
                return "there are " + groups() +
                       " and several phases, but this kernel's tensor maps are of one of "
                       "either";
            });
        const long_index_t reduction = Direction::reduction_channels(p),
                           rest      = reduction % Kernel::shape.k;
        // After a group's channels there are other channels, which may be infinite.
        if(strides_of(p, Direction::a)[0] != 0 && rest != 0 &&
           !(Kernel::has_half_slices && rest == Kernel::half_k))
            return refused([&] {
                return "a group has " + std::to_string(reduction) + " channels of " +
                       Direction::a_name + ", not a multiple of the " +
                       std::to_string(Kernel::half_k) +
                       " that this kernel's copies take, which must not reach into those of "
                       "the next group";
            });
        return {};
    }
    /// Elements of a tensor from each group to the next.
    static index_t between_groups(const ConvProblem& p, Role role)
    {
        return p.groups > 1 ? static_cast<index_t>(strides_of(p, role)[0]) : 0;
    }
    /// Whether a filter has all planes of the only image, which can be as many as the images of a
    /// map: the instruction's windows reach over 32 planes alone.
    static bool planes_are_images(const ConvProblem& p)
    {
        return std::is_same_v<Transform, Forward> && p.rank == 3 && p.batch == 1 &&
               p.filter[0] > 1 && p.filter[0] == p.input[0] && p.dilation[0] == 1 &&
               p.pad_low[0] == 0 && p.pad_high[0] == 0;
    }
    /// The problem with the images of A's map.
    static ConvProblem of_images(ConvProblem p)
    {
        if(planes_are_images(p))
        {
            p.rank             = 2;
            p.batch            = p.input[0];
            p.input_strides[1] = p.input_strides[3];
            p.input[0] = p.filter[0] = 1;
        }
        return p;
    }
    /// The box of a tensor in that of all groups, whose channels are those of one tensor.
    static arch::TensorBox of_groups(const ConvProblem& p, Role role, arch::TensorBox box)
    {
        box.length[0] += (p.groups - 1) * between_groups(p, role);
        return box;
    }

    /// Channels of a tap, or output pixels.
    static index_t reduction(const Params& r, [[maybe_unused]] const ConvProblem& p)
    {
        if constexpr(by_pixels)
            return r.transform.max_reduction();
        else
            return static_cast<index_t>(Direction::reduction_channels(p));
    }

    /// Whether a workgroup can keep the filters of all its tiles: one phase has taps.
    static Support check_resident(const Transform& transform, long_index_t channels)
    {
        index_t phases = 0, taps = 0;
        for(index_t i = 0; i < transform.phase_count(); ++i)
        {
            const index_t of_phase = a_windows(transform, i).tap_count();
            phases += of_phase > 0;
            taps = math::max(taps, of_phase);
        }
        const long_index_t slices =
            taps * math::integer_divide_ceil(channels, long_index_t{Kernel::shape.k});
        if(phases > 1)
            return refused([&] {
                return std::to_string(phases) +
                       " phases have filter taps, but this kernel's tensor maps bring "
                       "filters of one, which it keeps";
            });
        if(slices > Kernel::resident_filters)
            return refused([&] {
                return "filters are " + std::to_string(slices) + " slices of " +
                       std::to_string(Kernel::shape.k) +
                       " channels at a tap, but this kernel's tensor maps bring at most " +
                       std::to_string(Kernel::resident_filters) + ", which it keeps";
            });
        return {};
    }

    /// H200: pairs of lines take 3 % less time if a pixel has one (backward data of 1x1, 256 to 128
    /// channels), but 2 to 5 % more in backward weight of 1x1, which reads each line once, and 10 %
    /// more if they are not aligned (3x1x1 with 144 channels); otherwise there is no difference.
    static arch::TensorBox
    windows(const ConvProblem& p, Role role, const void* base, const PixelWindows& w, index_t lines)
    {
        arch::TensorBox b = window_box(p, role, base, w, Kernel::line, lines, Kernel::input_bytes);
        b.pairs           = !by_pixels && b.stride[1] * Kernel::input_bytes % 256 == 0;
        return b;
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::tensor_maps, Direction, Transform, Types, tuning>
{
    using type = ConvTensorMaps<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not() { return grid::why_no_tensor_maps<Transform>(tuning); }
};

} // namespace ck::tensor_operation::device
