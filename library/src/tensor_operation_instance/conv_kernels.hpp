#pragma once
// Turns a family and a table of tunings into kernels behind plain functions. Only generated source
// files call conv_kernel(): it instantiates a kernel; FunctionsOf alone does not.
#include "ck/tensor_operation/gpu/conv/argument/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"
#include "ck/tensor_operation/gpu/conv/operation/type_string.hpp"

#include "tensor_operation_instance/kernel_facts.hpp"
#include "tensor_operation_instance/kernel_parts.hpp"
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace ck::tensor_operation::device::instance {

/// The operation on the result that kernels apply: as the family says, and for int8 by
/// ConvArgument::saturates.
template <class C, class Operation>
using AppliedOperation =
    std::conditional_t<std::is_same_v<C, std::int8_t> && thread::is_identity<Operation>,
                       element_wise::PassThroughInt8,
                       Operation>;

template <class Family>
using TypesOf = ConvTypes<typename Family::A,
                          typename Family::B,
                          typename Family::C,
                          typename Family::OperationA,
                          typename Family::OperationB,
                          AppliedOperation<typename Family::C, typename Family::OperationC>,
                          typename Family::Ds,
                          typename Family::ComputeA,
                          typename Family::ComputeB>;

/// The tensors of an operand: an element type, or a Tuple of element types.
template <class Source>
auto operand_pointer(const std::vector<const void*>& tensors)
{
    using From = thread::OperandSource<Source>;
    if constexpr(From::count == 1)
        return From::make_pointer(tensors[0]);
    else
        return From::make_pointer(tensors);
}

/// Whether the argument has as many tensors as the kernel's family; if not, refuses it.
inline bool as_many(Support& valid, const char* what, std::size_t given, std::size_t count)
{
    if(given != count && valid)
        valid = refused("the argument has " + std::to_string(given) + ' ' + what +
                        " tensors, but the kernel's family has " + std::to_string(count));
    return given == count;
}

/// Converts the plain argument to the Argument of an operation.
template <class Types, class Argument>
Argument typed(const ConvArgument& from)
{
    const auto copy = []<class T>(T& to, const void* value) { to = *static_cast<const T*>(value); };
    Argument to{};
    to.problem = from.problem;
    to.valid   = from.valid;
    to.c       = static_cast<typename Types::C*>(from.c);
    if(as_many(to.valid, "A", from.a.size(), thread::OperandSource<typename Types::A>::count))
        to.a = operand_pointer<typename Types::A>(from.a);
    if(as_many(to.valid, "B", from.b.size(), thread::OperandSource<typename Types::B>::count))
        to.b = operand_pointer<typename Types::B>(from.b);
    if(as_many(to.valid, "D", from.d.size(), to.d.size()))
        std::copy_n(from.d.begin(), to.d.size(), to.d.begin());
    copy(to.operation_a, from.operation_a);
    copy(to.operation_b, from.operation_b);
    if constexpr(std::is_same_v<typename Types::OperationC, element_wise::PassThroughInt8>)
        to.operation_c = element_wise::PassThroughInt8(from.saturates);
    else
        copy(to.operation_c, from.operation_c);
    if constexpr(requires { to.whole_sums; })
        to.whole_sums = from.whole_sums;
    if constexpr(requires { to.epilogue; })
        to.epilogue = {from.epilogue};
    else if(from.epilogue.exists && to.valid)
        to.valid = refused("backward weight has no bias and no activation");
    return to;
}

/// The same for an argument about which nothing is known yet.
template <class Types, class Argument>
Argument checked(const ConvArgument& from)
{
    if(const Support s = check_argument(from); !s)
    {
        Argument nothing{};
        nothing.valid = s;
        return nothing;
    }
    return typed<Types, Argument>(from);
}

/// The same in order to run it: throws std::runtime_error for what no kernel of the family takes.
template <class Argument>
const Argument& valid(const Argument& argument)
{
    if(!argument.valid)
        throw std::runtime_error("the kernel does not support this: " + argument.valid.reason);
    return argument;
}

/// The argument of all kernels of a family; empty if none of them computes it.
template <class Direction, class Argument>
struct CheckedArgument
{
    std::optional<Argument> checked;
};

/// argument(): makes it from the question.
template <class Direction, class Types, class Argument>
const std::optional<Argument>& checked_once(const AskedArgument& asked,
                                            Argument (*argument)(const ConvArgument&))
{
    using Checked = CheckedArgument<Direction, Argument>;
    constexpr auto bytes =
        element_bytes_of<Direction,
                         typename thread::OperandSource<typename Types::A>::Element,
                         typename thread::OperandSource<typename Types::B>::Element,
                         typename Types::C>();
    return asked
        .once<Checked>(nullptr,
                       [&] {
                           Argument a = argument(asked.argument);
                           if(!a.valid || !check_memory<Direction, Types>(a, a.problem))
                               return Checked{};
                           a.images = Direction::largest_batch(a.problem, bytes);
                           return Checked{std::move(a)};
                       })
        .checked;
}

/// Forward and backward data.
template <class Direction, class Types, GemmTuning tuning>
struct OneLaunch
{
    using Operation = ConvOperation<Direction, Types, tuning>;
    using Kernel    = typename Operation::Kernel;
    using Argument  = typename Operation::Argument;

    static constexpr element_wise::ChannelEpilogue::Parts epilogue = Operation::Launcher::epilogue;
    static constexpr bool sees_patches = Direction::c != Role::input || Argument::d_count == 0;

    static Argument argument(const ConvArgument& a)
    {
        constexpr bool of_input = Direction::c == Role::input;
        Argument r              = checked<Types, Argument>(a);
        see_patches<ConvolutionForwardSpecialization::Default, of_input && Argument::d_count != 0>(
            r, of_input);
        return r;
    }
    static Support supports(const ConvArgument& a)
    {
        if(const Support s = check_workspace(a.workspace); !s)
            return s;
        return Operation::supports(argument(a), a.workspace != nullptr);
    }
    static std::size_t workspace_size(const ConvArgument& a)
    {
        return Operation::workspace_size(argument(a));
    }
    static void add(const ConvArgument& a, LaunchList& list)
    {
        Operation::add(list, valid(argument(a)), a.workspace);
    }
    /// Predicted time; empty if it is not supported.
    template <bool modelled>
    static std::optional<double> predict(const AskedArgument& asked, bool has_workspace)
    {
        const std::optional<Argument>& a = checked_once<Direction, Types>(asked, argument);
        typename Operation::Plan plan;
        if(!a || !Operation::plan(plan, *a, has_workspace))
            return {};
        if constexpr(modelled)
            return Operation::predict(plan, 0);
        else
            return 0;
    }
};

/// Backward weight.
template <class Types, GemmTuning tuning>
struct SplitLaunch
{
    using Operation = BackwardWeightOperation<Types, tuning>;
    using Kernel    = typename Operation::Kernel;

    static constexpr element_wise::ChannelEpilogue::Parts epilogue{};
    static constexpr bool sees_patches = Operation::d_count == 0;

    using Argument = typename Operation::Argument;

    static Argument argument(const ConvArgument& a)
    {
        auto argument    = checked<Types, Argument>(a);
        argument.split_k = a.split_k;
        see_patches<ConvolutionForwardSpecialization::Default, Operation::d_count != 0>(argument,
                                                                                        false);
        return argument;
    }
    static Argument planned(const ConvArgument& a)
    {
        Argument r = argument(a);
        Operation::make_plan(r);
        return r;
    }
    static Support supports(const ConvArgument& a)
    {
        if(const Support s = check_workspace(a.workspace); !s)
            return s;
        return Operation::supports(planned(a), a.workspace != nullptr);
    }
    static std::size_t workspace_size(const ConvArgument& a)
    {
        return Operation::workspace_size(planned(a));
    }
    static void add(const ConvArgument& a, LaunchList& list)
    {
        Operation::add(list, valid(planned(a)), a.workspace);
    }
    template <bool modelled>
    static std::optional<double> predict(const AskedArgument& asked, bool has_workspace)
    {
        const std::optional<Argument>& a =
            checked_once<BackwardWeightDirection, Types>(asked, argument);
        if(!a)
            return {};
        Argument own = *a;
        Operation::make_plan(own);
        typename Operation::GemmPlan plan;
        if(!own.valid || !Operation::plan(plan, own, has_workspace))
            return {};
        if constexpr(modelled)
            return Operation::predict(plan);
        else
            return 0;
    }
};

template <Direction direction, class Types, GemmTuning tuning>
struct FunctionsOf;
template <class Types, GemmTuning tuning>
struct FunctionsOf<Direction::forward, Types, tuning> : OneLaunch<ForwardDirection, Types, tuning>
{};
template <class Types, GemmTuning tuning>
struct FunctionsOf<Direction::backward_data, Types, tuning>
    : OneLaunch<BackwardDataDirection, Types, tuning>
{};
template <class Types, GemmTuning tuning>
struct FunctionsOf<Direction::backward_weight, Types, tuning> : SplitLaunch<Types, tuning>
{};

template <class Family, GemmTuning tuning>
ConvKernel conv_kernel()
{
    using Functions                   = FunctionsOf<Family::direction, TypesOf<Family>, tuning>;
    constexpr arch::Requirement needs = Functions::Kernel::requirement;
    static_assert(arch::is_mma_sync(needs) || needs == arch::Requirement::wgmma ||
                      arch::shared_bytes<typename Functions::Kernel> <=
                          arch::shared_bytes_of_block(needs == arch::Requirement::mfma_gfx950
                                                          ? arch::Target::gfx950
                                                          : arch::Target::gfx90a),
                  "a workgroup has 64 KiB of LDS on AMD, 160 on gfx950");
    static constexpr KernelFacts facts{tuning,
                                       Family::direction,
                                       Functions::Operation::element_bytes,
                                       arch::shared_bytes<typename Functions::Kernel>,
                                       Functions::sees_patches};
    constexpr bool has_facts = thread::OperandSource<typename Family::A>::count == 1 &&
                               thread::OperandSource<typename Family::B>::count == 1;
    return {conv_kernel_string(Family::direction, tuning),
            Functions::supports,
            Functions::workspace_size,
            Functions::add,
            +[](const ConvArgument& a) { // pointers: std::function is compiled once
                return is_modelled(tuning)
                           ? Functions::template predict<is_modelled(tuning)>(a, true).value_or(0)
                           : 0;
            },
            +[](const AskedArgument& a) {
                return check_workspace(a.argument.workspace)
                           ? Functions::template predict<is_modelled(tuning)>(
                                 a, a.argument.workspace != nullptr)
                           : std::nullopt;
            },
            nullptr,
            {},
            Functions::epilogue,
            has_facts ? &facts : nullptr};
}

/// The kernels of `count` rows of a table, starting at row `first`.
template <class Family, const auto& table, std::size_t first, std::size_t count>
std::vector<ConvKernel> kernels_of_rows()
{
    return []<std::size_t... i>(std::index_sequence<i...>)
    {
        return std::vector<ConvKernel>{conv_kernel<Family, table[first + i]>()...};
    }
    (std::make_index_sequence<count>{});
}

/// The rows of a table in `part`, one of `parts` equal parts.
template <class Family, const auto& table, std::size_t part, std::size_t parts>
KernelPart make_kernels()
{
    constexpr std::size_t rows = std::size(table), first = rows * part / parts,
                          last = rows * (part + 1) / parts;
    return {Family::key, kernels_of_rows<Family, table, first, last - first>};
}

/// The first row of a table.
template <class Family, const auto& table>
KernelPart make_first_kernel()
{
    return {Family::key, kernels_of_rows<Family, table, 0, 1>};
}

} // namespace ck::tensor_operation::device::instance
