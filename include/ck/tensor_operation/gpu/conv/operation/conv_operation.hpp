#pragma once
// One launch of the implicit-GEMM kernel for a problem of any direction: what it supports, and its
// parameters. Knows nothing of ranks and layouts; the operations that clients hold are made of it.
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/tensor_operation/gpu/conv/launch/kernel_of.hpp"
#include "ck/tensor_operation/gpu/conv/launch/sum_launch.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_argument.hpp"
#include "ck/tensor_operation/gpu/conv/plan/remainder_plan.hpp"
#include "ck/tensor_operation/operator_transform/class_kinds.hpp"
#include "ck/utility/reason.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace ck::tensor_operation::device {

/// Types: grid::GemmTypes.
template <class Direction_, class Types, GemmTuning tuning_>
struct ConvOperation
{
    static constexpr GemmTuning tuning = tuning_;

    using Direction                = Direction_;
    static constexpr bool has_maps = has_copying_warp(tuning.pipeline);
    using Transform                = std::conditional_t<
        tuning.reduction == Reduction::merged,
        typename Direction::Merged,
        std::conditional_t<has_maps, typename Direction::OfMaps, typename Direction::Transform>>;
    static_assert(Accepted<grid::why_not<Transform>(tuning)>::value);

    using Kernel = typename KernelOf<tuning.pipeline, Direction, Transform, Types, tuning_>::Kernel;
    /// Whether the end of a launch can be computed in parts.
    static constexpr bool has_remainder = requires { requires Kernel::has_remainder; };

    /// Whether a tile's parts follow each other, and the last tiles may have more.
    static constexpr bool splits_tiles = tuning.pipeline == Pipeline::tensor_maps && !has_remainder;

    using Maps    = typename KernelOf<tuning.pipeline, Direction, Transform, Types, tuning_>::Maps;
    using SourceA = thread::OperandSource<typename Types::A>;
    using SourceB = thread::OperandSource<typename Types::B>;
    using A       = typename SourceA::Element;
    using B       = typename SourceB::Element;
    using C       = typename Types::C;
    using OperationA                 = typename Types::OperationA;
    using OperationB                 = typename Types::OperationB;
    using OperationC                 = typename Types::OperationC;
    using Argument                   = ConvArgument<Types>;
    static constexpr index_t d_count = Argument::d_count;

    /// Groups can be computed as one.
    static constexpr bool merges =
        !std::is_same_v<typename Direction::Merged, typename Direction::Transform> &&
        tuning.reduction == Reduction::merged;

    static constexpr ElementBytes element_bytes = element_bytes_of<Direction, A, B, C>();

    /// Whether, on the current device, the argument can be run; if not, why.
    static Support supports(const Argument& a)
    {
        const Support s = a.valid ? check_memory<Direction, Types>(a, a.problem) : a.valid;
        return s ? supports_launch(a) : s;
    }

    /// The same of a valid argument whose tensors' memory was checked by the caller.
    static Support supports_launch(const Argument& a)
    {
        if(const Support s = check_device(tuning, current_target(), arch::shared_bytes<Kernel>); !s)
            return s;
        if constexpr(tuning.pipeline == Pipeline::direct)
            if(const Support s = check_depthwise(a.problem, tuning.block_tile.k); !s)
                return s;
        const index_t count = group_count(a);
        if(const Support s = check_merge(a, count); !s)
            return s;
        const Merged merge{merged(a, count), count};
        const Argument& whole = merge.argument;
        if(const Support s = check_tensors(a, whole); !s)
            return s;
        if(const Support s = Direction::check(whole.problem, element_bytes); !s)
            return s;
        if constexpr(has_maps)
        {
            // Backward weight by tensor maps stores zeros where Y is empty.
            constexpr bool of_zeros =
                Direction::c == Role::filter && tuning.pipeline == Pipeline::tensor_maps;
            if(const Support s = check_elements(whole.problem, !of_zeros); !s)
                return s;
            if(const Support s = Maps::check(whole.problem, chunks(whole)); !s)
                return s;
        }
        if constexpr(merges)
        {
            if(const Support s = check_merged_reduction(
                   whole.problem, Direction::reduction_channels(whole.problem));
               !s)
                return s;
            if(const long_index_t reach =
                   ck::detail::reach_in_bytes(
                       a.problem.filter_lengths(), a.problem.filter_strides, element_bytes.filter) +
                   (count - 1) * a.problem.filter_strides[0] * element_bytes.filter;
               reach > ck::detail::index_limit)
                return refused("W of the " + std::to_string(count) +
                               " groups that are computed as one spans " + std::to_string(reach) +
                               " bytes, but 32-bit offsets need less than 2^31");
        }
        if(const long_index_t blocks =
               math::saturating_product(make_common_params(merge).tiles.size(),
                                        long_index_t{splits_tiles ? a.split.parts : 1});
           blocks > std::numeric_limits<index_t>::max())
            return refused("the problem has " + std::to_string(blocks) +
                           " tiles, but a launch has fewer than 2^31");
        return {};
    }

    /// The same for run(): what is transposed ahead needs a workspace.
    static Support supports(const Argument& a, [[maybe_unused]] bool has_workspace)
    {
        const Support s = supports(a);
        if constexpr(tuning.transposed_ahead)
            if(s && !has_workspace)
                return no_workspace(workspace_size(a), "filters are transposed in it");
        return s;
    }

    /// Which parts of which tiles the launch of an argument that is supported computes.
    static grid::SplitTiles split_tiles(const Argument& a) requires(splits_tiles)
    {
        return Maps::split_tiles(make_common_params(merge_of(a)), a.split);
    }

    /// Of a workspace, its first, for what is transposed ahead.
    static std::size_t ahead_bytes([[maybe_unused]] const ConvProblem& p)
    {
        if constexpr(tuning.transposed_ahead)
            return Maps::Ahead::bytes(p);
        return 0;
    }

    /// How the launch ends: with a workspace, tiles that do not fill its last round can be computed
    /// in parts. For an argument that is supported.
    static RemainderPlan plan(const Argument& a)
    {
        if constexpr(has_remainder)
            if(chunks(a) == 1)
            {
                const Merged merge              = merge_of(a);
                const typename Kernel::Params r = make_common_params(merge);
                return plan_remainder(
                    tuning, shape_of(merge, a.problem, r, 0), tiles_of_row(r), units(r));
            }
        return {};
    }

    /// Bytes of device memory, aligned to 16, with which run() takes less time: for the parts of
    /// sums; and without which it does not run: for what is transposed ahead. 0 for an argument
    /// that has none, or is not supported.
    static std::size_t workspace_size(const Argument& a)
    {
        if constexpr(has_remainder)
            if(supports(a))
                return workspace_size(a, plan(a));
        return 0;
    }
    static std::size_t workspace_size(const Argument& a, const RemainderPlan& plan)
    {
        const std::size_t ahead = ahead_bytes(a.problem);
        if(!plan)
            return ahead;
        const typename Kernel::Params r = make_common_params(merge_of(a));
        return ahead + sizeof(typename Kernel::Part) *
                           static_cast<std::size_t>(parts_of(a, r, plan, nullptr).part) *
                           static_cast<std::size_t>(plan.parts);
    }

    /// For an argument that is supported. Milliseconds if the configuration asks for time, else 0.
    /// Throws std::runtime_error if a tensor that has elements is at null.
    static float
    run(const Argument& a, const StreamConfig& config, [[maybe_unused]] void* workspace = nullptr)
    {
        require_addresses<Direction, Types>(a, a.problem, !a.split.in_parts());
        if constexpr(has_remainder)
            if(workspace != nullptr)
                return run(a, config, workspace, plan(a));
        return launch_both(a, make_params(a), config);
    }

    /// As run(), with workspace_size(a, plan) bytes of workspace.
    static float run(const Argument& argument,
                     const StreamConfig& config,
                     void* workspace,
                     const RemainderPlan& plan) requires(has_remainder)
    {
        Argument a = argument;
        a.ahead    = workspace;
        if(!plan)
            return launch_both(a, make_params(a), config);
        typename Kernel::Params r = make_common_params(merge_of(a));
        r.parts = parts_of(a, r, plan, static_cast<char*>(workspace) + ahead_bytes(a.problem));
        Maps::complete(r, a.problem, compute_unit_count(), plan);
        using Sum =
            grid::SumParts<Transform, C, OperationC, typename Types::Ds, typename Kernel::Part>;
        typename Sum::Params s{};
        s.parts      = r.parts;
        s.part_count = plan.parts;
        s.c          = r.c;
        s.operation  = r.operation_c;
        s.transform  = r.transform;
        s.images     = r.batch;
        s.first_row  = r.items.first_row;
        s.whole_runs = tuning.c_vector % Sum::vector == 0;
        s.channels   = make_divisor(static_cast<index_t>(a.problem.in_channels));
        s.merged     = make_divisor(1);
        std::copy(std::begin(r.d), std::end(r.d), s.d);
        for(grid::DTensor& d : s.d)
            d.group = 0; // the sum's groups are residue classes
        return launch_both(a, r, config) +
               launch_sum<Sum>(s,
                               rows_in_parts(r, plan),
                               static_cast<index_t>(Direction::columns(a.problem)),
                               r.transform.class_count(),
                               config);
    }

    /// For an argument that is supported.
    static typename Kernel::Params make_params(const Argument& argument)
    {
        const Merged merge        = merge_of(argument);
        typename Kernel::Params r = make_common_params(merge);
        if constexpr(has_maps)
        {
            const ConvProblem& p = merge.argument.problem;
            if constexpr(splits_tiles)
                Maps::complete(r, p, compute_unit_count(), argument.split);
            else
                Maps::complete(r, p, compute_unit_count());
        }
        return r;
    }

    /// For an argument that is supported, with the workspace that it wants; see predicted_time.hpp.
    static double predict(const Argument& a, double more_bytes = 0)
    {
        if constexpr(tuning.pipeline == Pipeline::direct)
            return predicted_depthwise_time(
                tuning, flops(a.problem) / 2, moved_bytes(a.problem), compute_unit_count());
        const Merged merge              = merge_of(a);
        const typename Kernel::Params r = make_common_params(merge);
        if constexpr(tuning.pipeline == Pipeline::patches || tuning.pipeline == Pipeline::tap_rows)
        {
            const ConvProblem& p = merge.argument.problem;
            return predicted_time(
                tuning, Maps::launch(p, r, moved_bytes(p), more_bytes), compute_unit_count());
        }
        if constexpr(tuning.pipeline == Pipeline::fused_classes)
            return predicted_time(
                tuning, Maps::launch(a.problem, r, moved_bytes(a.problem)), compute_unit_count());
        LaunchShape shape = shape_of(merge, a.problem, r, more_bytes);
        if constexpr(has_remainder)
            if(chunks(a) == 1)
            {
                const index_t of_row = tiles_of_row(r);
                shape =
                    ended(tuning, shape, plan_remainder(tuning, shape, of_row, units(r)), of_row);
            }
        return predicted_time(tuning, shape, units(r));
    }

    /// Chunks of the batch, of arguments without D tensors.
    static index_t chunks(const ConvProblem& p) requires(d_count == 0)
    {
        return chunks(p.batch, Direction::largest_batch(p, element_bytes));
    }

private:
    using Merged = MergedArgument<Argument>;
    static Merged merge_of(const Argument& a)
    {
        const index_t groups = group_count(a);
        return {merged(a, groups), groups};
    }

    static index_t chunks(long_index_t batch, index_t chunk_batch)
    {
        return static_cast<index_t>(
            math::integer_divide_ceil(batch, static_cast<long_index_t>(chunk_batch)));
    }
    static index_t chunks(const Argument& a) { return chunks(a.problem.batch, chunk_batch(a)); }

    /// Images in a chunk of the batch: as many as 32-bit offsets reach in all tensors.
    static index_t chunk_batch(const Argument& a)
    {
        long_index_t images = Direction::largest_batch(a.problem, element_bytes);
        unrolled<0, d_count>([&](auto i) {
            images = most_d_images(lengths_of(a.problem, Direction::c),
                                   a.d[static_cast<std::size_t>(i.value)],
                                   sizeof(tuple_element_t<i.value, typename Types::Ds>),
                                   images);
        });
        return static_cast<index_t>(images);
    }

    /// What is transposed ahead, and the kernel.
    static float launch_both([[maybe_unused]] const Argument& a,
                             const typename Kernel::Params& params,
                             const StreamConfig& config)
    {
        float time = 0;
        if constexpr(tuning.transposed_ahead && Transform::a_along_k)
            time = Maps::Ahead::run(a.problem, a.b, a.ahead, config);
        else if constexpr(tuning.transposed_ahead)
            time = Maps::Ahead::run(a.problem, a.a, a.ahead, config);
        return time + launch_and_time_kernel<Kernel>(
                          config, static_cast<index_t>(Kernel::grid_size(params)), params);
    }

    /// All of dX is written, but of X is read what windows have.
    static double moved_bytes(const ConvProblem& p)
    {
        const auto [input, filter, output] = element_bytes;
        const double all                   = bytes(p, input, filter, output);
        if constexpr(std::is_same_v<Direction, BackwardDataDirection>)
            return all;
        return all - (1 - touched_share(p)) *
                         static_cast<double>(element_count(p.input_lengths())) * input;
    }

    /// Residue classes with tiles of their own.
    static index_t tile_classes(const Transform& transform, [[maybe_unused]] index_t chunks)
    {
        if constexpr(requires { Maps::tile_classes(transform, chunks); })
            return Maps::tile_classes(transform, chunks);
        return transform.class_count();
    }

    /// Rows of C, the most of a class; or those of a tile's classes side by side.
    static index_t most_rows(const Transform& transform)
    {
        if constexpr(requires { Maps::rows(transform); })
            return Maps::rows(transform);
        return transform.max_rows();
    }

    /// Rows of C in a tile of so many columns.
    static constexpr index_t tile_rows([[maybe_unused]] index_t columns)
    {
        if constexpr(tuning.pipeline == Pipeline::direct)
            return Kernel::tile_rows(columns);
        return tuning.block_tile.m * tuning.cluster;
    }

    /// Compute units that have tiles.
    static index_t units([[maybe_unused]] const typename Kernel::Params& r)
    {
        const index_t all = compute_unit_count();
        if constexpr(requires { Maps::places(r, all); })
            return math::min(all,
                             Maps::places(r, all * tuning.min_blocks_per_unit) /
                                 tuning.min_blocks_per_unit);
        return all;
    }

    /// Workgroups in a row of tiles.
    static index_t tiles_of_row(const typename Kernel::Params& r)
    {
        return r.tiles.column_tiles.value * r.tiles.classes.value * tuning.cluster;
    }

    /// Rows of C in parts, the most of all classes.
    static index_t rows_in_parts(const typename Kernel::Params& r, const RemainderPlan& plan)
    {
        return r.transform.max_rows() -
               (r.tiles.row_tiles.value - plan.rows) * tuning.block_tile.m * tuning.cluster;
    }
    static grid::Parts parts_of(const Argument& a,
                                const typename Kernel::Params& r,
                                const RemainderPlan& plan,
                                void* base)
    {
        return grid::Parts::make(base,
                                 rows_in_parts(r, plan),
                                 static_cast<index_t>(Direction::columns(a.problem)),
                                 r.transform.class_count());
    }

    /// The launch as the model sees it, without parts. p: the problem before groups are merged.
    static LaunchShape shape_of(const Merged& merge,
                                const ConvProblem& p,
                                const typename Kernel::Params& r,
                                double more_bytes)
    {
        const SplitPlan& split_of_tiles = merge.argument.split;
        constexpr bool one_reduction    = !requires { r.transform.make_class(0, 1).tap_count; };
        double slices                   = 0;
        for(const ClassKind& kind : class_kinds(r.transform))
        {
            const auto views = r.transform.make_class(kind.number, r.chunk_batch);
            index_t of_class = 0;
            if constexpr(one_reduction)
                of_class = math::integer_divide_ceil(
                    math::integer_divide_ceil(views.a.template extent<1>(), tuning.block_tile.k),
                    split_of_tiles.parts);
            else
                of_class = views.tap_count * math::integer_divide_ceil(views.a.template extent<2>(),
                                                                       tuning.block_tile.k);
            slices += static_cast<double>(kind.count) * of_class;
        }
        LaunchShape shape{static_cast<double>(r.tiles.size()) * tuning.cluster,
                          slices / r.tiles.classes.value,
                          moved_bytes(merge.argument.problem),
                          more_bytes,
                          Direction::c == Role::filter};
        shape.ahead_bytes = 2. * static_cast<double>(ahead_bytes(p));
        if constexpr(splits_tiles)
            shape = split(shape,
                          split_of_tiles,
                          Maps::reduction_slices(r),
                          static_cast<index_t>(r.tiles.size()),
                          tuning.cluster);
        if constexpr(tuning.pipeline == Pipeline::tensor_maps)
        {
            shape.transposed = Kernel::transposed_lines;
            shape.copying    = Maps::copying_cycles(p, r);
        }
        if constexpr(has_remainder)
        {
            const long_index_t reduction = Direction::reduction_channels(p),
                               depth     = math::integer_divide_ceil(
                                   reduction, static_cast<long_index_t>(tuning.block_tile.k));
            if(Maps::has_half_slices(reduction))
                shape.multiplied = 1 - 0.5 / static_cast<double>(depth);
            const index_t groups = units(r) * tuning.min_blocks_per_unit / tuning.cluster;
            shape.longest_share  = Maps::longest_share(r, groups);
            if(shape.longest_share > 0)
                shape.whole_share = Maps::whole_share(
                    r, groups, full_rows(tuning, shape.tiles, tiles_of_row(r), units(r)));
            shape.zero_cycles = Maps::zero_cycles(r, p, compute_unit_count());
        }
        return shape;
    }

    /// What all kernels are told. For an argument whose problem is valid and fits.
    static typename Kernel::Params make_common_params(const Merged& merge)
    {
        const Argument& a         = merge.argument;
        const ConvProblem& p      = a.problem;
        const index_t chunk_batch = ConvOperation::chunk_batch(a);
        const auto distance       = [&](Role role) {
            const TensorStrides& strides = strides_of(p, role);
            if(element_count(lengths_of(p, role)) == 0) // maybe at null
                return grid::Distance{};
            return grid::Distance{strides[0], role == Role::filter ? 0 : strides[1] * chunk_batch};
        };
        typename Kernel::Params r{};
        r.a = a.a;
        r.b = a.b;
        if constexpr(tuning.transposed_ahead && Transform::a_along_k)
            r.b = static_cast<const B*>(a.ahead);
        else if constexpr(tuning.transposed_ahead)
            r.a = static_cast<const A*>(a.ahead);
        r.c           = a.c;
        r.operation_a = a.operation_a;
        r.operation_b = a.operation_b;
        r.operation_c = a.operation_c;
        if constexpr(merges)
            r.transform = Transform::make(p, chunk_batch, merge.groups);
        else
            r.transform = Transform::make(p, chunk_batch);
        r.tiles = {
            make_divisor(math::integer_divide_ceil(static_cast<index_t>(Direction::columns(p)),
                                                   tuning.block_tile.n)),
            make_divisor(tile_classes(r.transform, chunks(p.batch, chunk_batch))),
            make_divisor(math::integer_divide_ceil(
                most_rows(r.transform), tile_rows(static_cast<index_t>(Direction::columns(p))))),
            make_divisor(splits_tiles ? 1 : a.split.parts),
            make_divisor(static_cast<index_t>(p.groups)),
            chunks(p.batch, chunk_batch)};
        r.a_distance = distance(Direction::a);
        r.b_distance = distance(Direction::b);
        r.c_distance = distance(Direction::c);
        if(a.split.in_parts())
            r.parts = grid::Parts::make(a.parts,
                                        r.transform.max_rows(),
                                        static_cast<index_t>(Direction::columns(p)),
                                        static_cast<index_t>(p.groups));
        r.batch       = static_cast<index_t>(p.batch);
        r.chunk_batch = chunk_batch;
        std::transform(a.d.begin(), a.d.end(), r.d, [&](const DArgument& d) {
            return d_tensor(d, chunk_batch);
        });
        return r;
    }

    /// Groups that are computed as one.
    static index_t group_count(const Argument& a)
    {
        if constexpr(!merges)
            return 1;
        else if constexpr(tuning.merged_groups > 0)
            return tuning.merged_groups;
        const long_index_t columns = std::max<long_index_t>(Direction::columns(a.problem), 1);
        for(long_index_t count = std::min(a.problem.groups, tuning.block_tile.n / columns);
            count > 1;
            --count)
            if(a.problem.groups % count == 0)
                if(const auto n = static_cast<index_t>(count);
                   check_merge(a, n) && check_tensors(a, merged(a, n)))
                    return n;
        return 1;
    }

    /// Whether `count` groups can be seen as one.
    static Support check_merge(const Argument& a, index_t count)
    {
        const ConvProblem& p = a.problem;
        if(count == 1)
            return {};
        if(p.groups % count != 0)
            return refused("G is " + std::to_string(p.groups) + ", not a multiple of the " +
                           std::to_string(count) + " groups that this kernel computes as one");
        const long_index_t channels = lengths_of(p, Direction::c)[2];
        for(const Support& s :
            {device::check_merge(
                 Direction::a_name, strides_of(p, Direction::a), lengths_of(p, Direction::a)[2]),
             device::check_merge(Direction::c_name, strides_of(p, Direction::c), channels)})
            if(!s)
                return s;
        int i = 0;
        for(const DArgument& d : a.d)
            if(const Support s =
                   device::check_merge("D" + std::to_string(i++), d.strides, channels);
               !s)
                return s;
        return {};
    }

    /// The argument whose groups are `count` groups each.
    static Argument merged(Argument a, index_t count)
    {
        for(DArgument& d : a.d)
            d.strides = merge_groups(d.strides, lengths_of(a.problem, Direction::c)[2], count);
        a.problem = merge_groups(a.problem, count);
        return a;
    }

    /// Whether the tensors can be accessed in the kernel's vectors. whole: a, groups merged; W has
    /// those of a.
    static Support check_tensors(const Argument& a, const Argument& whole)
    {
        const auto check = [&](Role role,
                               const char* name,
                               index_t vector,
                               std::size_t size,
                               const void* pointer) {
            const ConvProblem& p = role == Role::filter ? a.problem : whole.problem;
            return check_vectors(name,
                                 role == Role::output ? "K" : "C",
                                 lengths_of(p, role),
                                 strides_of(p, role),
                                 2,
                                 vector,
                                 static_cast<index_t>(size),
                                 pointer);
        };
        for(index_t i = 0; i < SourceA::count; ++i)
            if(const Support s = check(Direction::a,
                                       Direction::a_name,
                                       tuning.a_vector,
                                       sizeof(A),
                                       SourceA::base_of(a.a, i));
               !s)
                return s;
        for(index_t i = 0; i < SourceB::count; ++i)
            if(const Support s = check(Direction::b,
                                       Direction::b_name,
                                       tuning.b_vector,
                                       sizeof(B),
                                       SourceB::base_of(a.b, i));
               !s)
                return s;
        if(const Support s =
               check(Direction::c, Direction::c_name, tuning.c_vector, sizeof(C), a.c);
           !s && !a.split.in_parts())
            return s;
        Support d_support;
        unrolled<0, d_count>([&](auto i) {
            using D             = tuple_element_t<i.value, typename Types::Ds>;
            const DArgument& d  = whole.d[static_cast<std::size_t>(i.value)];
            const std::string n = "D" + std::to_string(i.value);
            if(d_support)
                d_support = check_d(
                    n, lengths_of(whole.problem, Direction::c), d, tuning.c_vector, sizeof(D));
        });
        return d_support;
    }
};

} // namespace ck::tensor_operation::device
