#pragma once
// What a launcher is: the host's side of a kernel. It says which problems the kernel is for, how
// its tiles are counted, what it is told beside what all kernels are, and how long it takes.
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/conv/plan/launch_plan.hpp"
#include "ck/tensor_operation/gpu/conv/plan/sum_length.hpp"

#include <concepts>

namespace ck::tensor_operation::device {

/// What launchers have in common. One derives from it, and hides what is different for its kernel.
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

    /// Whether the end of a launch can be computed in partial sums, as Plan::remainder says.
    static constexpr bool has_stream_k_tail = false;
    /// Whether a tile's partial sums follow each other, and the last tiles may have more.
    static constexpr bool splits_tiles = false;

    /// Whether the kernel applies a grid::ChannelEpilogue.
    static constexpr bool takes_epilogue = [] {
        if constexpr(requires { Kernel::has_epilogue; })
            return Kernel::has_epilogue;
        else
            return false;
    }();

    /// Whether the epilogue may have a residual.
    static constexpr bool takes_residual = [] {
        if constexpr(requires { Kernel::takes_residual; })
            return takes_epilogue && Kernel::takes_residual;
        else
            return takes_epilogue;
    }();
    /// Elements of C that the kernel stores as one vector, the most.
    static constexpr index_t stored_vector = [] {
        if constexpr(requires { Kernel::vector; })
            return Kernel::vector;
        else
            return tuning.c_vector;
    }();

    /// Whether a block computes several groups, which are not merged for it.
    static constexpr bool takes_groups = false;

    /// Whether the kernel is for the groups of a problem, as the caller has them.
    static Support check_groups(const ConvProblem&) { return {}; }
    /// Whether it is for a problem, groups merged, whose tensors can be accessed in the tuning's
    /// vectors. chunks: of the batch.
    static Support check(const ConvProblem&, index_t /*chunks*/) { return {}; }

    /// Whether it can access the tensors otherwise than in the tuning's vectors of a group.
    static Support check_tensors(const ConvArgument<Types>&) { return {}; }

    /// Phases with tiles of their own.
    static index_t tile_phases(const Transform& transform, index_t /*chunks*/)
    {
        return transform.phase_count();
    }
    /// Rows of C, the most of a phase; or those of a tile's phases side by side.
    static index_t rows(const Transform& transform) { return transform.max_rows(); }
    /// Columns of C that tiles have, those that are computed and not stored, too.
    static long_index_t columns(const ConvProblem& p) { return Direction::columns(p); }
    /// Returns the rows of C in a tile of `columns` columns.
    static constexpr index_t tile_rows(index_t /*columns*/)
    {
        return tuning.block_tile.m * tuning.maps.cluster;
    }

    /// Returns the products that a kernel adds up in one number, the most of all sums. images: of a
    /// chunk of the batch. Of backward weight a partial is a number of slices of block_tile.k
    /// pixels; kernels that divide their sums otherwise hide this.
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

    /// Bytes of the workspace, its first, for an operand that is transposed ahead.
    static std::size_t prologue_bytes(const ConvProblem&) { return 0; }

    /// Completes the parameters of a plan. Throws std::runtime_error if the driver makes no tensor
    /// maps.
    static void complete(Plan&) {}

    /// Adds the launches of a complete plan: the kernel's, or more.
    static void add(LaunchList& list, const Plan& plan)
    {
        list.add<Kernel>(static_cast<index_t>(Kernel::grid_size(plan.params)), plan.params);
    }
};

/// The launcher of a pipeline, which its header specialises: `type`, a Launcher of Types and the
/// tuning; and why_not(), empty, or what is wrong with the tuning, said before there is a kernel.
/// Transform: how a kernel of the tuning sees problems of the direction.
template <Pipeline, class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf;

/// bytes: of the three tensors, that move; more_bytes: of partial sums. predict(): clock cycles.
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
