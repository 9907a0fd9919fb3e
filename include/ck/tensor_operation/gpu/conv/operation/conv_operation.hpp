#pragma once
// One launch of a kernel, for any direction: what it supports, its workspace, its predicted time
// and the launch itself, all derived from a LaunchPlan. Knows nothing of ranks and layouts. The
// operations that clients hold are built on it.
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/launchers.hpp"
#include "ck/tensor_operation/gpu/conv/model/measured_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_argument.hpp"
#include "ck/tensor_operation/gpu/conv/plan/launch_plan.hpp"
#include "ck/utility/reason.hpp"

namespace ck::tensor_operation::device {

/// Types: grid::GemmTypes.
template <class Direction_, class Types, GemmTuning tuning_>
struct ConvOperation
{
    static constexpr GemmTuning tuning = tuning_;

    using Direction = Direction_;
    using Transform = std::conditional_t<tuning.reduction == Reduction::merged,
                                         typename Direction::Merged,
                                         std::conditional_t<has_producer_warp(tuning.pipeline),
                                                            typename Direction::OfMaps,
                                                            typename Direction::Transform>>;
    using Chosen    = LauncherOf<tuning.pipeline, Direction, Transform, Types, tuning_>;
    static_assert(Accepted<Chosen::why_not()>::value);

    using Launcher = typename Chosen::type;
    static_assert(IsLauncher<Launcher>);
    using Planner = LaunchPlanner<Launcher>;
    using Kernel  = typename Launcher::Kernel;

    static constexpr bool has_stream_k_tail = Launcher::has_stream_k_tail;
    static constexpr bool splits_tiles      = Launcher::splits_tiles;

    using SourceA    = thread::OperandSource<typename Types::A>;
    using SourceB    = thread::OperandSource<typename Types::B>;
    using A          = typename SourceA::Element;
    using B          = typename SourceB::Element;
    using C          = typename Types::C;
    using OperationA = typename Types::OperationA;
    using OperationB = typename Types::OperationB;
    using OperationC = typename Types::OperationC;
    using Argument   = ConvArgument<Types>;
    using Plan       = typename Launcher::Plan;

    static constexpr index_t d_count = Argument::d_count;

    static constexpr ElementBytes element_bytes = Planner::element_bytes;

    /// Whether the argument can run on the current device; if not, why.
    static Support supports(const Argument& a)
    {
        Plan made;
        return check(made, a);
    }

    /// The same; also checks that an operand that is transposed first has a workspace.
    static Support supports(const Argument& a, bool has_workspace)
    {
        Plan made;
        return supports(a, has_workspace, made);
    }
    /// The same; also returns the plan if the argument is supported.
    static Support supports(const Argument& a, bool has_workspace, Plan& made)
    {
        return check_all([&] { return a.valid; },
                         [&] { return check_memory<Direction, Types>(a, a.problem); },
                         [&] { return plan(made, a, has_workspace); });
    }

    /// Makes the plan for the current device and a valid argument whose tensors' memory the caller
    /// has checked, or says why it cannot run.
    static Support plan(Plan& to, const Argument& a)
    {
        return check_all(
            [&] {
                return check_device(
                    tuning, current_target(), arch::shared_bytes<Kernel>, shared_bytes_of_block());
            },
            [&] { return Planner::plan(to, a, compute_unit_count()); });
    }

    /// The same; also checks that an operand that is transposed first has a workspace.
    static Support plan(Plan& to, const Argument& a, bool has_workspace)
    {
        const Support s = plan(to, a);
        if(s && !has_workspace && prologue_bytes(a.problem) > 0)
            return no_workspace(workspace_size(a), "filters are transposed in it");
        return s;
    }

    /// The plan of a supported argument.
    static Plan plan(const Argument& a) { return Planner::plan_supported(a, compute_unit_count()); }

    /// Bytes at the start of the workspace for an operand that is transposed first.
    static std::size_t prologue_bytes(const ConvProblem& p) { return Launcher::prologue_bytes(p); }

    /// Bytes of device memory, aligned to 16. Partial sums in it make run() faster; an
    /// operand that is transposed first requires it. 0 if the argument uses none or is not
    /// supported.
    static std::size_t workspace_size(const Argument& a)
    {
        Plan made;
        if constexpr(has_stream_k_tail)
            if(check(made, a))
            {
                set_stream_k_tail(made);
                return workspace_size(made);
            }
        return 0;
    }
    /// Returns the workspace bytes of a plan whose tail is set.
    static std::size_t workspace_size(const Plan& plan)
    {
        const std::size_t transposed = prologue_bytes(plan.problem);
        if constexpr(has_stream_k_tail)
            if(plan.tail.has_partial_sums())
                return transposed + Launcher::tail_partial_sums(plan).bytes();
        return transposed;
    }

    /// Appends the launches of a supported argument. Throws std::runtime_error if a tensor that is
    /// not empty has a null address.
    static void add(LaunchList& list, const Argument& a, void* workspace = nullptr)
    {
        require_addresses<Direction, Types>(a, a.problem, !a.split.has_partial_sums());
        Plan made = plan(a);
        if(workspace != nullptr)
            set_stream_k_tail(made);
        add(list, made, workspace);
    }

    /// Appends the launches of a plan, with workspace_size(plan) bytes of workspace.
    static void add(LaunchList& list, Plan& plan, [[maybe_unused]] void* workspace)
    {
        if constexpr(has_stream_k_tail)
        {
            plan.argument.transposed = workspace;
            if(plan.tail.has_partial_sums())
                plan.params.partial_sums = Launcher::tail_partial_sums(plan).at(
                    static_cast<char*>(workspace) + prologue_bytes(plan.problem));
        }
        Launcher::complete(plan);
        Launcher::add(list, plan);
    }

    /// Launches what add() appends. Returns milliseconds if `config` asks for time, else 0.
    static float run(const Argument& a, const StreamConfig& config, void* workspace = nullptr)
    {
        LaunchList list;
        add(list, a, workspace);
        return list.run(config);
    }

    /// The kernel's parameters for a supported argument.
    static typename Kernel::Params make_params(const Argument& a)
    {
        Plan made = plan(a);
        Launcher::complete(made);
        return made.params;
    }

    /// Predicted time of a supported argument with its full workspace; see predicted_time.hpp.
    static double predict(const Argument& a, double more_bytes = 0)
    {
        return predict(plan(a), more_bytes);
    }
    static double predict(const Plan& plan, double more_bytes)
    {
        const double cycles         = Launcher::predict(plan, moved_bytes(plan), more_bytes);
        constexpr Computed computed = Direction::c == Role::output  ? Computed::y
                                      : Direction::c == Role::input ? Computed::dx
                                                                    : Computed::dw;
        constexpr Line of_one       = line_of(tuning, computed, false),
                       of_several   = line_of(tuning, computed, true);
        const Line& line            = plan.problem.groups > 1 ? of_several : of_one;
        return cycles > 0 ? line.at(cycles, more_bytes > 0) + operation_cycles(plan) : cycles;
    }

    /// Plans the end of the launch: with a workspace, tiles that do not fill the last round can be
    /// computed in partial sums.
    static void set_stream_k_tail([[maybe_unused]] Plan& plan)
    {
        if constexpr(has_stream_k_tail)
            plan.tail = Launcher::tail(plan, moved_bytes(plan));
    }

private:
    /// Makes the plan of any argument, or says why it cannot run.
    static Support check(Plan& to, const Argument& a)
    {
        return check_all([&] { return a.valid; },
                         [&] { return check_memory<Direction, Types>(a, a.problem); },
                         [&] { return plan(to, a); });
    }

    /// Time that the operation on the result adds to the prediction, in cycles.
    static double operation_cycles([[maybe_unused]] const Plan& plan)
    {
        if constexpr(thread::only_converts<OperationC> && d_count == 0)
            return 0;
        else
        {
            const TensorLengths of_c = lengths_of(plan.problem, Direction::c);
            const auto columns       = static_cast<double>(Direction::columns(plan.problem));
            const auto tile          = static_cast<double>(tuning.block_tile.n);
            const auto elements      = static_cast<double>(element_count(of_c));
            return device::operation_cycles(
                tuning,
                columns == 0 ? 0 : elements / columns * std::ceil(columns / tile) * tile,
                compute_unit_count());
        }
    }

    static double moved_bytes(const Plan& plan)
    {
        const ConvProblem& p = plan.argument.problem;
        if constexpr(weighs_bytes(tuning, Direction::c == Role::filter))
            return weighted_bytes<Direction>(p, element_bytes);
        else
            return device::moved_bytes<Direction>(p, element_bytes);
    }
};

} // namespace ck::tensor_operation::device
