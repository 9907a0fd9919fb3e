#pragma once
// The base class of launchers. A launcher is the host side of a kernel: which problems the kernel
// takes, how its tiles are counted, which extra parameters it gets, and how long it takes.
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/conv/plan/launch_plan.hpp"
#include "ck/tensor_operation/gpu/conv/plan/sum_length.hpp"

#include <concepts>

namespace ck::tensor_operation::device {

/// What launchers share. Each kernel's launcher derives from it and hides the members that differ.
/// Types: grid::GemmTypes.
template <class Direction_, class Types_, GemmTuning tuning_, class Kernel_>
struct Launcher
{
    using Direction = Direction_;
    using Types     = Types_;
    using Kernel    = Kernel_;
    using Params    = typename Kernel::Params;
    using Transform = decltype(Params::transform);
    using Plan      = LaunchPlan<ConvArgument<Types>, Params>;

    static constexpr GemmTuning tuning = tuning_;

    /// Whether the last tiles can be computed in partial sums; see Plan::tail.
    static constexpr bool has_stream_k_tail = false;
    /// Whether partial sums are stored tile by tile, and the last tiles may have more of them.
    static constexpr bool splits_tiles = false;

    /// What the kernel computes of a grid::ChannelEpilogue.
    static constexpr grid::ChannelEpilogue::Parts epilogue = [] {
        grid::ChannelEpilogue::Parts r;
        if constexpr(requires { Kernel::has_epilogue; })
            r.any = Kernel::has_epilogue;
        r.residual = r.any;
        if constexpr(requires { Kernel::takes_residual; })
            r.residual &= Kernel::takes_residual;
        if constexpr(requires { Kernel::takes_gelu; })
            r.gelu = r.any && Kernel::takes_gelu;
        return r;
    }();
    /// The longest vector, in elements of C, that the kernel stores.
    static constexpr index_t stored_vector = [] {
        if constexpr(requires { Kernel::vector; })
            return Kernel::vector;
        else
            return tuning.c_vector;
    }();

    /// Whether a workgroup computes several groups that are not merged for it.
    static constexpr bool takes_groups = false;

    /// Whether the kernel takes the groups of the caller's problem.
    static Support check_groups(const ConvProblem&) { return {}; }
    /// Whether the kernel takes a problem (groups merged) whose tensors can be accessed in the
    /// tuning's vectors. The last parameter is the number of sub-batches.
    static Support check(const ConvProblem&, index_t /*sub_batches*/) { return {}; }

    /// Whether the kernel takes a problem that passes check(), of which the transform was made.
    static Support check_transform(const ConvProblem&, const Transform&) { return {}; }

    /// Whether it can access the tensors in another way than in the tuning's vectors of one group.
    static Support check_tensors(const ConvArgument<Types>&) { return {}; }

    /// Number of phases with tiles of their own.
    static index_t tile_phases(const Transform& transform, index_t /*sub_batches*/)
    {
        return transform.phase_count();
    }
    /// Rows of C: of the longest phase, or of all phases if a tile has all of them.
    static index_t rows(const Transform& transform) { return transform.max_rows(); }
    /// Columns of C that tiles cover, including those that are computed but not stored.
    static long_index_t columns(const ConvProblem& p) { return Direction::columns(p); }
    /// Returns the rows of C in a tile of `columns` columns.
    static constexpr index_t tile_rows(index_t /*columns*/)
    {
        return tuning.block_tile.m * tuning.maps.cluster;
    }

    /// The largest number of products that the kernel adds up in one accumulator. images: images in
    /// a sub-batch. For backward weight a partial sum covers whole slices of block_tile.k
    /// pixels; kernels that divide sums in another way hide this.
    static long_index_t products_of_sum(const ConvProblem& p,
                                        index_t images,
                                        index_t /*compute_units*/,
                                        const SplitPlan& split)
    {
        if constexpr(Direction::c == Role::filter)
            return pixels_of_partial(p, images, split, tuning.block_tile.k);
        else
            return device::products_of_sum<Direction>(p);
    }

    /// Bytes at the start of the workspace for an operand that is transposed first.
    static std::size_t prologue_bytes(const ConvProblem&) { return 0; }

    /// Completes the parameters of a plan. Throws std::runtime_error if the driver cannot make a
    /// tensor map.
    static void complete(Plan&) {}

    /// Appends the launches of a complete plan: the kernel, and possibly others.
    static void add(LaunchList& list, const Plan& plan)
    {
        list.add<Kernel>(static_cast<index_t>(Kernel::grid_size(plan.params)), plan.params);
    }
};

/// The launcher for a pipeline; the pipeline's header specializes it. `type` is a Launcher of Types
/// and the tuning. why_not() is empty, or says before compilation what is wrong with the tuning.
/// Transform: how a kernel with this tuning sees problems of the direction.
template <Pipeline, class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf;

/// bytes: moved for the tensors; more_bytes: for partial sums. predict() returns clock cycles.
template <class L>
concept IsLauncher = requires(const ConvProblem& p,
                              const typename L::Transform& transform,
                              typename L::Plan& plan,
                              index_t number,
                              double bytes,
                              double more_bytes,
                              LaunchList& list)
{
    typename L::Kernel;
    {
        L::check_groups(p)
        } -> std::same_as<Support>;
    {
        L::check(p, number)
        } -> std::same_as<Support>;
    {
        L::check_transform(p, transform)
        } -> std::same_as<Support>;
    {
        L::tile_phases(transform, number)
        } -> std::same_as<index_t>;
    {
        L::rows(transform)
        } -> std::same_as<index_t>;
    {
        L::columns(p)
        } -> std::same_as<long_index_t>;
    {
        L::tile_rows(number)
        } -> std::same_as<index_t>;
    {
        L::products_of_sum(p, number, number, SplitPlan{})
        } -> std::same_as<long_index_t>;
    L::complete(plan);
    L::add(list, plan);
    {
        L::predict(plan, bytes, more_bytes)
        } -> std::same_as<double>;
};

} // namespace ck::tensor_operation::device
