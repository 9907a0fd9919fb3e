#pragma once
// Backward weight for a problem of any rank and layout. Chooses the number of partial sums
// and of merged groups, and adds one or two launches. The operations that clients hold use
// it.
//
//   one stage   the kernel stores dW itself: one partial sum, evenly spaced columns, no D tensors
//   two stages  the kernel stores partial sums in a workspace; ReducePartialSums or ReduceTiles
//               adds them up; tiles with one partial sum may be stored as dW directly
//
// Both write every element of dW, with the same bits in every run. Additions have a fixed
// order that depends only on the problem, the tuning and the device.
#include "ck/tensor_operation/gpu/conv/argument/split_k.hpp"
#include "ck/tensor_operation/gpu/conv/launch/reduce_launch.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"

namespace ck::tensor_operation::device {

/// How an argument is computed.
struct BackwardWeightPlan
{
    SplitPlan split;           ///< how the reduction of a sub-batch is split
    index_t merged_groups = 1; ///< groups per merged group; only blocks on dW's diagonal are used

    bool one_stage() const { return !split.has_partial_sums(); }
};

/// Plain data, the same for all tunings. BackwardWeightOperation::make_plan makes the plan from the
/// rest. Types: see there.
template <class Types>
struct BackwardWeightArgument
{
    ConvProblem problem;        ///< with the strides of the caller's tensors
    Support valid;              ///< what is wrong with the problem itself
    const typename Types::A* a; ///< dY
    const typename Types::B* b; ///< X
    typename Types::C* c;       ///< dW
    std::array<DArgument, static_cast<std::size_t>(Types::Ds::Size())> d;
    typename Types::OperationA operation_a;
    typename Types::OperationB operation_b;
    typename Types::OperationC operation_c;
    /// Number of partial sums; -1: as many as fill the device, see automatic_split. int8 may use
    /// more, so that each sum fits 32 bits.
    index_t split_k = 1;
    BackwardWeightPlan plan{};
    /// Direction::largest_batch() of the problem if it is already known, else 0.
    index_t images = 0;
};

/// Types: grid::GemmTypes with A = dY, B = X, C = dW; OperationC and the D tensors act on the whole
/// sum.
/// Direction_: BackwardWeightDirection, or BackwardWeightByPixelsDirection for tensors with
/// contiguous pixels instead of channels.
/// Launch: builds the launch of the kernel.
template <class Types,
          GemmTuning tuning_,
          class Direction_                                 = BackwardWeightDirection,
          template <class, class, GemmTuning> class Launch = ConvOperation>
struct BackwardWeightOperation
{
    using Direction                    = Direction_;
    static constexpr GemmTuning tuning = tuning_;

    using A          = typename Types::A;
    using B          = typename Types::B;
    using C          = typename Types::C;
    using OperationA = typename Types::OperationA;
    using OperationB = typename Types::OperationB;
    using OperationC = typename Types::OperationC;

    static_assert(!Direction::Transform::a_along_k ||
                      (tuning.a_vector == 1 && tuning.b_vector == 1),
                  "neighbouring pixels of dY need not meet neighbouring pixels of X: vectors of 1");

    static constexpr index_t d_count = Types::Ds::Size();

    static constexpr ElementBytes element_bytes = {static_cast<index_t>(sizeof(B)),
                                                   static_cast<index_t>(sizeof(C)),
                                                   static_cast<index_t>(sizeof(A))};

    // Only the second stage reads D tensors. With D tensors the kernel stores partial sums
    // only.
    static constexpr bool has_one_stage = d_count == 0;
    using Partial = typename arch::MatrixTypes<tuning.instruction>::Accumulator;
    using KernelTypes =
        grid::GemmTypes<A,
                        B,
                        std::conditional_t<has_one_stage, C, Partial>,
                        OperationA,
                        OperationB,
                        std::conditional_t<has_one_stage, OperationC, element_wise::PassThrough>,
                        Tuple<>,
                        typename Types::ComputeA,
                        typename Types::ComputeB>;
    using Gemm     = Launch<Direction, KernelTypes, tuning_>;
    using GemmPlan = typename Gemm::Plan;
    using Kernel   = typename Gemm::Kernel;
    template <class Total>
    using SumAs = std::conditional_t<
        Gemm::splits_tiles,
        grid::ReduceTiles<BackwardWeight, C, OperationC, typename Types::Ds, Partial, Total>,
        grid::ReducePartialSums<BackwardWeight, C, OperationC, typename Types::Ds, Partial, Total>>;
    using Sum = SumAs<Partial>;

    using Plan     = BackwardWeightPlan;
    using Argument = BackwardWeightArgument<Types>;

    /// Makes the plan for the current device. Call it when everything else is set.
    static void make_plan(Argument& a)
    {
        if(a.valid)
            a.valid = check_split_k(a.split_k);
        if(!a.valid || (a.images == 0 && !check_backward_weight(a.problem, 1, element_bytes)))
            return;
        if constexpr(Gemm::Launcher::takes_groups) // the caller's groups: refused below
            if(!Gemm::Launcher::check_groups(a.problem))
                return;
        const index_t images =
            a.images > 0 ? a.images : Direction::largest_batch(a.problem, element_bytes);
        a.plan.merged_groups = groups_to_merge(a, images);
        const ConvProblem p  = merged(a.problem, a.plan.merged_groups);
        if(!fit_loads(a, p)) // refused below, too
            return;
        const bool whole = stores_whole(a, a.plan.merged_groups, images);
        if(a.split_k == automatic_split_k)
            a.plan.split = automatic_split(p, images, whole);
        else
        {
            a.plan.split              = {};
            a.plan.split.partial_sums = parts_of(a.split_k);
            a.plan.split.whole        = whole;
        }
        a.plan.split.partial_sums = with_slices(slices(p, images), a.plan.split.partial_sums);
        if constexpr(sums_in_32_bits<tuning>)
            cut_long_sums(p, images, a.plan.split);
    }

    /// Whether run() can compute the argument on the current device; if not, why. Data pointers may
    /// be null. Without a workspace a problem that would use one is computed in one stage if
    /// possible.
    static Support supports(const Argument& a, bool has_workspace)
    {
        GemmPlan gemm;
        return supports(a, has_workspace, gemm);
    }
    /// The same, with a workspace; also returns the launch's plan if the argument is supported.
    static Support supports(const Argument& a, bool has_workspace, GemmPlan& gemm)
    {
        return check_all([&] { return a.valid; },
                         [&] { return check_memory<Direction, Types>(a, a.problem); },
                         [&] { return plan(gemm, a, has_workspace); });
    }

    /// The same for a valid argument whose tensors' memory the caller has checked.
    static Support plan(GemmPlan& gemm, const Argument& a, bool has_workspace)
    {
        const Support s         = supports_plan(gemm, a, a.plan);
        const std::size_t bytes = s && !has_workspace ? workspace_size(gemm) : 0;
        if(bytes == 0)
            return s;
        if constexpr(tuning.maps.transposed_first)
            return no_workspace(bytes, "dY is transposed in it");
        GemmPlan in_one_stage;
        const Support alone = supports_plan(in_one_stage, a, without_workspace());
        return alone ? alone : no_workspace(bytes, "without one, " + alone.reason);
    }

    /// Bytes for an operand that is transposed first, and one sum per partial and element of dW.
    /// Merged groups round rows and columns up to 4, tensor maps up to tiles. One stage needs no
    /// sums. 0 if the argument is not supported.
    static std::size_t workspace_size(const Argument& a)
    {
        GemmPlan gemm;
        return a.valid && supports_plan(gemm, a, a.plan) ? workspace_size(gemm) : 0;
    }

    /// Appends the launches of a supported argument. If a workspace is missing, works without it
    /// and says so once on stderr. Throws std::runtime_error if a tensor that is not empty has a
    /// null address.
    static void add(LaunchList& list, const Argument& a, void* workspace = nullptr)
    {
        require_addresses<Direction, Types>(a, a.problem, true);
        Plan plan = a.plan;
        if(workspace == nullptr)
            if(const std::size_t bytes = workspace_size(a); bytes > 0)
            {
                plan = without_workspace();
                if(const Support s = supports(a, false); !s)
                    throw std::runtime_error("the kernel does not support this: " + s.reason);
                warn(a, bytes);
            }
        GemmPlan gemm = Gemm::plan(gemm_argument(a, plan, workspace));
        Gemm::add(list, gemm, workspace);
        if(!plan.one_stage())
            add_sum(list, a, plan, gemm);
    }

    /// Launches what add() appends. Returns milliseconds if `config` asks for time, else 0.
    static float run(const Argument& a, const StreamConfig& config, void* workspace = nullptr)
    {
        LaunchList list;
        add(list, a, workspace);
        return list.run(config);
    }

    /// Predicted time of a supported argument; see predicted_time.hpp.
    static double predict(const Argument& a)
    {
        return predict(Gemm::plan(gemm_argument(a, a.plan, nullptr)));
    }
    static double predict(const GemmPlan& gemm)
    {
        return Gemm::predict(gemm, 2. * static_cast<double>(partial_bytes(gemm)));
    }

    /// The number of partial sums for an automatic split_k: the one with the shortest predicted
    /// launch. A workgroup takes the time of its slices; each of several partial sums takes
    /// partial_pixels more output pixels to be stored and added up; min_blocks_per_cu workgroups
    /// run on each compute unit (for MFMA and WMMA this number is chosen too). A function of the
    /// problem (groups merged), the tile and the number of compute units. images: of a sub-batch.
    static SplitPlan automatic_split(const ConvProblem& p, index_t images, bool whole)
    {
        const index_t compute_units = compute_unit_count();
        if constexpr(Gemm::Launcher::takes_groups)
            return Gemm::Launcher::split(p, images, compute_units, whole);
        // If the kernel is memory bound, two workgroups per compute unit read no faster than one
        // and leave more partial sums. H200, f16, 1x1, 64 to 256 channels at 56x56: 0.129 ms falls
        // to 0.125 ms.
        if constexpr(tuning.pipeline == Pipeline::tensor_maps && tuning.min_blocks_per_cu > 1)
        {
            // Waiting time of a slice besides its products. Fitted like the rule's constants.
            constexpr double slice_cycles = 272;
            const SplitPlan alone         = split_for(p, images, compute_units, whole);
            const auto rounds             = static_cast<double>(math::integer_divide_ceil(
                std::min(SplitShape::most_tiles, tiles(p)) * alone.partial_sums,
                long_index_t{compute_units}));
            const auto of_block           = static_cast<double>(
                math::integer_divide_ceil(slices(p, images), long_index_t{alone.partial_sums}));
            if(rounds * of_block *
                   (tile_cycles(tuning, true, Kernel::transposed_lines).slice + slice_cycles) <
               bytes(p, sizeof(B), sizeof(C), sizeof(A)) / device_bytes_in_a_cycle)
                return alone;
        }
        if constexpr(has_weight_times(tuning))
        {
            const auto elements = static_cast<double>(element_count(p.filter_lengths()));
            LaunchShape launch{};
            launch.bytes         = moved_bytes<Direction>(p, element_bytes);
            launch.written_bytes = elements * sizeof(C);
            launch.lds_bytes     = arch::shared_bytes<Kernel>;
            return plan_weight_split(tuning,
                                     split_shape(p, images, compute_units, whole),
                                     launch,
                                     elements * sizeof(Partial),
                                     current_target());
        }
        return split_for(p, images, compute_units * tuning.min_blocks_per_cu, whole);
    }

private:
    /// See automatic_split().
    static constexpr long_index_t partial_pixels = [] {
        if constexpr(requires { Kernel::partial_pixels; })
            return long_index_t{Kernel::partial_pixels};
        return long_index_t{grid::PartialSums::pixels};
    }();

    /// Number of slices of block_tile.k output pixels in the reduction of a sub-batch of `images`.
    static long_index_t slices(const ConvProblem& p, index_t images)
    {
        const Spatial out = p.output();
        return math::integer_divide_ceil(out[0] * out[1] * out[2] *
                                             std::min(p.batch, long_index_t{images}),
                                         long_index_t{tuning.block_tile.k});
    }
    static long_index_t sub_batches(const ConvProblem& p, index_t images)
    {
        return math::integer_divide_ceil(p.batch, long_index_t{images});
    }

    /// The shape of the launch to be split, if `at_a_time` workgroups run at a time.
    static SplitShape
    split_shape(const ConvProblem& p, index_t images, long_index_t at_a_time, bool whole)
    {
        const long_index_t of_batch = std::max(long_index_t{1}, sub_batches(p, images));
        return {std::min(SplitShape::most_tiles, math::saturating_product(tiles(p), of_batch)),
                slices(p, images),
                at_a_time,
                partial_pixels / tuning.block_tile.k,
                whole};
    }
    static SplitPlan
    split_for(const ConvProblem& p, index_t images, long_index_t at_a_time, bool whole)
    {
        const SplitShape shape = split_shape(p, images, at_a_time, whole);
        if constexpr(Gemm::splits_tiles && tuning.maps.cluster == 1)
            return plan_split(shape);
        return plan_equal_partial_sums(shape);
    }

    /// Returns how many of `partial_sums` partial sums have slices. The sums do not change. all:
    /// slices of a sum.
    static index_t with_slices(long_index_t all, index_t partial_sums)
    {
        if(Gemm::splits_tiles && all > 0) // into partial sums that differ by one slice
            return static_cast<index_t>(std::min<long_index_t>(partial_sums, all));
        return count_with_slices(all, partial_sums);
    }

    /// Splits further where sums might not fit 32-bit integers. If that is not enough, the kernel
    /// refuses the problem.
    static void cut_long_sums(const ConvProblem& p, index_t images, SplitPlan& split)
    {
        const long_index_t all = slices(p, images);
        const auto products    = [&] {
            return Gemm::Launcher::products_of_sum(p, images, compute_unit_count(), split);
        };
        for(long_index_t now = products(), before = 0; now > most_int8_products && now != before;)
        {
            const long_index_t parts = math::integer_divide_ceil(now, most_int8_products);
            const auto cut           = [&](index_t& partial_sums) {
                partial_sums = static_cast<index_t>(std::min(partial_sums * parts, all));
            };
            cut(split.partial_sums);
            if(split.last_tiles > 0)
                cut(split.last_partial_sums);
            split.partial_sums = with_slices(all, split.partial_sums);
            before             = now;
            now                = products();
        }
    }

    /// Partial sums of each sum, except in the last tiles.
    static index_t partial_count(const GemmPlan& gemm)
    {
        return gemm.argument.split.partial_sums * gemm.params.tiles.sub_batches;
    }

    /// The problem with each `count` groups merged; their channels are adjacent in X and dY. Its dW
    /// describes the partial sums and is packed.
    static ConvProblem merged(const ConvProblem& p, long_index_t count)
    {
        if(count == 1)
            return p;
        ConvProblem r      = merge_groups(p, count);
        ConvProblem packed = r;
        set_packed_strides(packed);
        r.filter_strides = packed.filter_strides;
        return r;
    }

    /// How many groups to merge. Considers the divisors of G for which the loads fit and a launch
    /// takes the same number of images, and returns the smallest of those with the fewest tiles.
    /// More than 1 only if a group is much smaller than a tile.
    static index_t groups_to_merge(const Argument& a, index_t images)
    {
        const ConvProblem& p = a.problem;
        if(Gemm::Launcher::takes_groups || p.groups == 1)
            return 1;
        if(!check_merge("dY", p.output_strides, p.out_channels) ||
           !check_merge("X", p.input_strides, p.in_channels))
            return 1;
        index_t best        = 1;
        long_index_t fewest = std::numeric_limits<long_index_t>::max();
        for(index_t m = 1; m <= std::min<long_index_t>(p.groups, tuning.block_tile.m); ++m)
            if(p.groups % m == 0)
            {
                const ConvProblem candidate = merged(p, m);
                if(tiles(candidate) < fewest && fit_loads(a, candidate) &&
                   (m == 1 || Direction::largest_batch(candidate, element_bytes) == images))
                {
                    best   = m;
                    fewest = tiles(candidate);
                }
            }
        return best;
    }

    /// Number of tiles of dW, all groups.
    static long_index_t tiles(const ConvProblem& p)
    {
        return math::saturating_product(
            math::saturating_product(
                math::integer_divide_ceil(p.out_channels, long_index_t{tuning.block_tile.m}),
                math::integer_divide_ceil(Gemm::Launcher::columns(p),
                                          long_index_t{tuning.block_tile.n})),
            p.groups);
    }

    static bool fit_loads(const Argument& a, const ConvProblem& p)
    {
        return check_vectors("dY",
                             "K",
                             p.output_lengths(),
                             p.output_strides,
                             2,
                             tuning.a_vector,
                             element_bytes.output,
                             a.a) &&
               check_vectors("X",
                             "C",
                             p.input_lengths(),
                             p.input_strides,
                             2,
                             tuning.b_vector,
                             element_bytes.input,
                             a.b);
    }

    /// Whether the kernel stores tiles with one partial sum as dW.
    static bool stores_whole(const Argument& a, index_t merged_groups, index_t images)
    {
        return has_one_stage && merged_groups == 1 && sub_batches(a.problem, images) == 1 &&
               has_even_columns(a.problem) &&
               check_vectors("dW",
                             "C",
                             a.problem.filter_lengths(),
                             a.problem.filter_strides,
                             2,
                             tuning.c_vector,
                             static_cast<index_t>(sizeof(C)),
                             a.c);
    }

    static Plan without_workspace() { return {}; }

    /// Makes the launch plan for a valid argument, split as `plan` says, or says why there is
    /// none.
    static Support supports_plan(GemmPlan& gemm, const Argument& a, const Plan& plan)
    {
        return check_all(
            [&] { return Gemm::plan(gemm, gemm_argument(a, plan, nullptr)); },
            [&] { return plan.one_stage() ? check_one_stage(gemm) : check_sum(gemm, a, plan); });
    }
    static Support check_one_stage(const GemmPlan& gemm)
    {
        if(!has_one_stage)
            return refused("D tensors are read when the partial sums are added up");
        if(const index_t sub_batches = gemm.params.tiles.sub_batches; sub_batches > 1)
            return refused("32-bit offsets cut the batch into " + std::to_string(sub_batches) +
                           " sub-batches, whose sums are to be added up");
        if(!has_even_columns(gemm.problem))
            return refused("the elements of a row of dW do not have one distance");
        return {};
    }
    static Support check_sum(const GemmPlan& gemm, const Argument& a, const Plan& plan)
    {
        if(a.images == 0)
            if(const Support s = check_backward_weight(a.problem, 1, element_bytes); !s)
                return s;
        Support d_support;
        unrolled<0, d_count>([&](auto i) {
            if(d_support)
                d_support = check_d("D" + std::to_string(i.value),
                                    a.problem.filter_lengths(),
                                    a.d[static_cast<std::size_t>(i.value)],
                                    1,
                                    sizeof(tuple_element_t<i.value, typename Types::Ds>));
        });
        return d_support ? partial_sums(gemm, plan).template check<Sum>() : d_support;
    }

    static std::size_t workspace_size(const GemmPlan& gemm)
    {
        return Gemm::prologue_bytes(gemm.problem) + partial_bytes(gemm);
    }

    static std::size_t partial_bytes(const GemmPlan& gemm)
    {
        return gemm.argument.split.has_partial_sums() ? partial_sums(gemm, {}).bytes() : 0;
    }

    /// The partial sums of a launch, whose rows and columns are those of the groups that `plan`
    /// merges.
    static auto partial_sums(const GemmPlan& gemm, const Plan& plan)
    {
        const ConvProblem& p  = gemm.problem;
        const index_t merged  = plan.merged_groups,
                      rows    = static_cast<index_t>(p.out_channels) / merged,
                      columns = static_cast<index_t>(Direction::columns(p)) / merged;
        if constexpr(Gemm::splits_tiles)
            return PartialTiles<Partial>{
                tuning,
                Gemm::Launcher::split_tiles(gemm.params, gemm.argument.split),
                rows,
                columns,
                merged};
        else
            return PartialRows<Partial>{rows,
                                        columns,
                                        static_cast<index_t>(p.groups) * merged,
                                        partial_count(gemm),
                                        merged};
    }

    static typename Gemm::Argument
    gemm_argument(const Argument& a, const Plan& plan, void* workspace)
    {
        typename Gemm::Argument g{};
        g.problem     = merged(a.problem, plan.merged_groups);
        g.valid       = a.valid;
        g.a           = a.a;
        g.b           = a.b;
        g.operation_a = a.operation_a;
        g.operation_b = a.operation_b;
        if constexpr(has_one_stage)
        {
            g.c           = a.c;
            g.operation_c = a.operation_c;
            g.images      = a.images; // the same number for merged groups, see groups_to_merge()
        }
        g.split      = plan.split;
        g.transposed = workspace;
        if(!plan.one_stage() && workspace != nullptr)
            g.partial_sums = static_cast<char*>(workspace) + Gemm::prologue_bytes(g.problem);
        return g;
    }

    static void add_sum(LaunchList& list, const Argument& a, const Plan& plan, const GemmPlan& gemm)
    {
        if constexpr(sums_in_32_bits<tuning>)
            if(!check_int8_products(pixels_of_partial(a.problem, a.problem.batch, {}, 1)))
                return add_sum_as<SumAs<grid::TotalOf<Partial>>>(list, a, plan, gemm);
        add_sum_as<Sum>(list, a, plan, gemm);
    }
    template <class Adding>
    static void
    add_sum_as(LaunchList& list, const Argument& a, const Plan& plan, const GemmPlan& gemm)
    {
        const ConvProblem& p = a.problem;
        typename Adding::Params s{};
        s.c          = a.c;
        s.operation  = a.operation_c;
        s.transform  = BackwardWeight::make(p, 1);
        s.c_group    = p.filter_strides[0];
        s.whole_runs = static_cast<bool>(check_vectors("dW",
                                                       "C",
                                                       p.filter_lengths(),
                                                       p.filter_strides,
                                                       2,
                                                       Adding::vector,
                                                       static_cast<index_t>(sizeof(C)),
                                                       a.c));
        s.channels   = make_divisor(static_cast<index_t>(p.in_channels));
        std::transform(a.d.begin(), a.d.end(), s.d, [](const DArgument& d) {
            return d_tensor(d, 0); // all of dW at once
        });
        partial_sums(gemm, plan).template add<Adding>(list, s, gemm.argument.partial_sums);
    }

    static void warn(const Argument& a, std::size_t bytes)
    {
        static std::atomic<bool> said{false};
        const GemmPlan gemm = Gemm::plan(gemm_argument(a, a.plan, nullptr));
        warn_without_workspace(
            said, bytes, std::max(partial_count(gemm), a.plan.split.most_partial_sums()));
    }
};

} // namespace ck::tensor_operation::device
