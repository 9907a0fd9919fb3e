#pragma once
// Backward weight of blocked tensors for BackwardWeightAdapter: one launch, or one that stores
// partial sums and one that adds them up and writes zeros to the padding.
#include "ck/tensor_operation/gpu/conv/argument/split_k.hpp"
#include "ck/tensor_operation/gpu/conv/launch/reduce_launch.hpp"
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_adapter.hpp"
#include "ck/tensor_operation/gpu/conv/operation/blocked_conv_operation.hpp"

namespace ck::tensor_operation::device {

/// Gemm: the operation that BlockedLaunch has for BackwardWeightDirection.
template <class Gemm>
struct BlockedWeightOperation
{
    static constexpr GemmTuning tuning = Gemm::tuning;
    static constexpr index_t d_count   = 0;

    using Direction  = typename Gemm::Direction;
    using Kernel     = typename Gemm::Kernel;
    using A          = typename Gemm::A;
    using B          = typename Gemm::B;
    using C          = typename Gemm::C;
    using OperationA = typename Gemm::OperationA;
    using OperationB = typename Gemm::OperationB;
    using OperationC = typename Gemm::OperationC;
    using Partial    = typename Kernel::Wave::Accumulator;
    using Sum = grid::ReducePartialSums<typename Gemm::Transform, C, OperationC, Tuple<>, Partial>;

    struct Argument : public Gemm::Argument
    {
        /// Number of partial sums; -1: as many as fill the device.
        index_t split_k = 1;
    };

    /// Makes the split for the current device. Call it when everything else is set.
    static void make_plan(Argument& a)
    {
        if(a.valid)
            a.valid = check_split_k(a.split_k);
        a.split = {};
        if(!a.valid || !Gemm::Direction::check(a.problem, Gemm::element_bytes) ||
           Gemm::sub_batch_size(a) == 0)
            return;
        const auto params         = Gemm::make_params(a);
        const auto images         = std::min(a.problem.batch, long_index_t{params.sub_batch_size});
        const Spatial out         = a.problem.output();
        const long_index_t tiles  = params.tiles.size(),
                           slices = math::integer_divide_ceil(out[0] * out[1] * out[2] * images,
                                                              long_index_t{tuning.block_tile.k});
        const bool whole          = params.tiles.sub_batches == 1;
        if(a.split_k == automatic_split_k)
            a.split = plan_equal_partial_sums({std::min(SplitShape::most_tiles, tiles),
                                               slices,
                                               compute_unit_count() * tuning.min_blocks_per_cu,
                                               grid::PartialSums::pixels / tuning.block_tile.k,
                                               whole});
        else
            a.split.partial_sums = parts_of(a.split_k);
        a.split.whole        = whole;
        a.split.partial_sums = count_with_slices(slices, a.split.partial_sums);
    }

    /// Whether run() can compute the argument on the current device; if not, why. Without a
    /// workspace a problem that would use one is computed in one launch if possible.
    static Support supports(const Argument& a, bool has_workspace)
    {
        if(const Support s = Gemm::supports(a); !s || !a.split.has_partial_sums())
            return s;
        const PartialRows<Partial> sums = partial_sums(a);
        if(const Support s = sums.template check<Sum>(); !s || has_workspace)
            return s;
        const Support alone = Gemm::supports(in_one_launch(a));
        return alone ? alone : no_workspace(sums.bytes(), "without one, " + alone.reason);
    }

    /// Bytes for the partial sums including padding; 0 if sums are not split.
    static std::size_t workspace_size(const Argument& a)
    {
        return a.split.has_partial_sums() && Gemm::supports(a) ? partial_sums(a).bytes() : 0;
    }

    /// Appends the launches of a supported argument. If a workspace is missing, works without it
    /// and says so once on stderr. Throws std::runtime_error if a tensor that is not empty has a
    /// null address.
    static void add(LaunchList& list, const Argument& a, void* workspace = nullptr)
    {
        if(!a.split.has_partial_sums())
            return Gemm::add(list, a);
        if(workspace == nullptr)
        {
            static std::atomic<bool> said{false};
            warn_without_workspace(said, workspace_size(a), a.split.partial_sums);
            return Gemm::add(list, in_one_launch(a));
        }
        typename Gemm::Argument split = a;
        split.partial_sums            = workspace;
        Gemm::add(list, split);
        add_sum(list, a, workspace);
    }

    /// Launches what add() appends. Returns milliseconds if `config` asks for time, else 0.
    static float run(const Argument& a, const StreamConfig& config, void* workspace = nullptr)
    {
        LaunchList list;
        add(list, a, workspace);
        return list.run(config);
    }

private:
    static typename Gemm::Argument in_one_launch(const Argument& a)
    {
        typename Gemm::Argument r = a;
        r.split                   = {};
        return r;
    }

    static PartialRows<Partial> partial_sums(const Argument& a)
    {
        const auto p = Gemm::make_params(a);
        return {p.transform.max_rows(),
                p.transform.columns,
                static_cast<index_t>(a.problem.groups),
                p.tiles.splits.value * p.tiles.sub_batches};
    }

    static void add_sum(LaunchList& list, const Argument& a, void* workspace)
    {
        const ConvProblem& p = a.problem;
        typename Sum::Params s{};
        s.c         = a.c;
        s.operation = a.operation_c;
        s.transform = Gemm::make_params(a).transform;
        s.c_group   = p.filter_strides[0];
        // Blocks are whole, and begin at whole vectors if the tensor does.
        constexpr auto run_bytes = Sum::vector * static_cast<index_t>(sizeof(C));
        s.whole_runs             = Gemm::blocked_result
                                       ? reinterpret_cast<std::uintptr_t>(a.c) % run_bytes == 0
                                       : static_cast<bool>(check_vectors("dW",
                                                             "C",
                                                             p.filter_lengths(),
                                                             p.filter_strides,
                                                             2,
                                                             Sum::vector,
                                                             static_cast<index_t>(sizeof(C)),
                                                             a.c));
        s.channels               = make_divisor(static_cast<index_t>(p.in_channels));
        partial_sums(a).template add<Sum>(list, s, workspace);
    }
};

} // namespace ck::tensor_operation::device
