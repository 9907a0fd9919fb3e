#pragma once
// The plan of a launch: the argument with merged groups, and the kernel's parameters. It is made
// once for an argument. Whether the launch is supported, its workspace, time and parameters all
// derive from it.
#include "ck/tensor_operation/gpu/conv/plan/conv_argument.hpp"
#include "ck/tensor_operation/gpu/conv/plan/group_merge.hpp"
#include "ck/tensor_operation/gpu/conv/plan/sum_length.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

namespace ck::tensor_operation::device {

template <class Argument, class Params>
struct LaunchPlan
{
    Argument argument;     ///< its groups are merged, `groups` of the caller's in each
    ConvProblem problem;   ///< the caller's problem
    index_t groups;        ///< the caller's groups in one merged group
    index_t compute_units; ///< compute units of the device
    Params params;         ///< all but those of Launcher::complete()
    SplitPlan tail;        ///< the stream-K tail with which the launch ends
};

/// Whether a launch can have as many blocks.
inline Support check_block_count(long_index_t tiles, long_index_t partial_sums)
{
    const long_index_t blocks = math::saturating_product(tiles, partial_sums);
    return blocks <= std::numeric_limits<index_t>::max()
               ? Support{}
               : refused("the problem has " + std::to_string(blocks) +
                         " tiles, but a launch has fewer than 2^31");
}

/// Whether a kernel has what an epilogue asks for, and can read its residual in vectors of `vector`
/// elements of `element_bytes` bytes. has: what the kernel can apply.
inline Support check_channel_epilogue(const element_wise::ChannelEpilogue::Parts& has,
                                      const grid::ChannelEpilogue& epilogue,
                                      index_t vector,
                                      std::size_t element_bytes)
{
    if(!has.have(epilogue.parts()))
        return refused(has.any && epilogue.adds_residual() && !has.residual
                           ? "this kernel adds no residual"
                           : "this kernel has no such bias or activation");
    const std::size_t bytes =
        std::min<std::size_t>(static_cast<std::size_t>(vector) * element_bytes, 16);
    if(epilogue.adds_residual() && reinterpret_cast<std::uintptr_t>(epilogue.residual) % bytes != 0)
        return refused([&] {
            return "the address of the residual is not a multiple of " + std::to_string(bytes) +
                   " bytes, but this kernel reads it in vectors of " + std::to_string(vector) +
                   " elements";
        });
    return {};
}

/// Throws std::runtime_error for a refusal of what was supported.
inline void require_supported(const Support& s)
{
    if(!s)
        throw std::runtime_error("a launch is not what was supported: " + s.reason);
}

/// Elements from a group and a sub-batch of a tensor to the next.
inline grid::Distance distance_of(const ConvProblem& p, Role role, index_t sub_batch_size)
{
    const TensorStrides& strides = strides_of(p, role);
    if(element_count(lengths_of(p, role)) == 0) // it may be null
        return {};
    return {strides[0], role == Role::filter ? 0 : strides[1] * sub_batch_size};
}

/// Makes plans for a Launcher's kernel; see launch/launcher.hpp. The only device property it uses
/// is the number of compute units.
template <class Launcher>
struct LaunchPlanner
{
    using Direction = typename Launcher::Direction;
    using Types     = typename Launcher::Types;
    using Transform = typename Launcher::Transform;
    using Params    = typename Launcher::Params;
    using Argument  = ConvArgument<Types>;
    using Plan      = LaunchPlan<Argument, Params>;
    using Groups    = GroupMerge<Direction, Types, Launcher::tuning>;

    static constexpr GemmTuning tuning          = Launcher::tuning;
    static constexpr ElementBytes element_bytes = Groups::element_bytes;

    /// Makes the plan of a valid argument, or says why the kernel cannot compute it.
    static Support plan(Plan& to, const Argument& a, index_t compute_units)
    {
        return check_all([&] { return check_own(a); },
                         [&] {
                             merge(to, a, compute_units);
                             return check(a, to);
                         },
                         [&] {
                             set_params(to);
                             return Launcher::check_transform(to.argument.problem,
                                                              to.params.transform);
                         },
                         [&] { return check_size(to); });
    }
    /// The plan of an argument that is known to be supported.
    static Plan plan_supported(const Argument& a, index_t compute_units)
    {
        Plan r;
        merge(r, a, compute_units);
        if constexpr(Groups::merges) // how many depends on addresses
            require_supported(Groups::check_tensors(a, r.argument));
        set_params(r);
        return r;
    }

private:
    static void merge(Plan& to, const Argument& a, index_t compute_units)
    {
        to.problem  = a.problem;
        to.groups   = Groups::count(a);
        to.argument = a;
        Groups::merge(to.argument, to.groups);
        to.compute_units = compute_units;
    }

    /// Checks that need no plan. They come first, because they refuse most problems.
    static Support check_own(const Argument& a)
    {
        return check_all([&] { return Launcher::check_groups(a.problem); },
                         [&] { return Launcher::check_tensors(a); },
                         [&] { return check_epilogue(a); });
    }
    static Support check(const Argument& a, const Plan& plan)
    {
        const ConvProblem& whole = plan.argument.problem;
        return check_all([&] { return Groups::check(a, plan.groups); },
                         [&] { return Groups::check_tensors(a, plan.argument); },
                         [&] {
                             return plan.argument.images > 0
                                        ? Support{}
                                        : Direction::check(whole, element_bytes);
                         },
                         [&] {
                             return Launcher::check(
                                 whole, sub_batches(whole.batch, sub_batch_size(plan.argument)));
                         },
                         [&] { return Groups::check_reach(a.problem, whole, plan.groups); },
                         [&] { return check_sums(a, plan); });
    }

    /// Whether the kernel's accumulators can hold all sums.
    static Support check_sums([[maybe_unused]] const Argument& a, [[maybe_unused]] const Plan& plan)
    {
        if constexpr(sums_in_32_bits<tuning>)
            return check_int8_products(Launcher::products_of_sum(
                a.problem, sub_batch_size(plan.argument), plan.compute_units, a.split));
        return {};
    }

    static Support check_epilogue(const Argument& a)
    {
        return check_channel_epilogue(
            Launcher::epilogue, a.epilogue, Launcher::stored_vector, sizeof(typename Types::C));
    }

    static Support check_size(const Plan& plan)
    {
        return check_block_count(plan.params.tiles.size(),
                                 Launcher::splits_tiles ? plan.argument.split.partial_sums : 1);
    }

    static index_t sub_batches(long_index_t batch, index_t sub_batch_size)
    {
        return static_cast<index_t>(
            math::integer_divide_ceil(batch, static_cast<long_index_t>(sub_batch_size)));
    }

    /// Images in a sub-batch: as many as 32-bit offsets reach in all tensors.
    static index_t sub_batch_size(const Argument& a)
    {
        long_index_t images =
            a.images > 0 ? a.images : Direction::largest_batch(a.problem, element_bytes);
        unrolled<0, Argument::d_count>([&](auto i) {
            images = most_d_images(lengths_of(a.problem, Direction::c),
                                   a.d[static_cast<std::size_t>(i.value)],
                                   sizeof(tuple_element_t<i.value, typename Types::Ds>),
                                   images);
        });
        return static_cast<index_t>(images);
    }

    /// Sets the parameters that all kernels take, for a problem that fits.
    static void set_params(Plan& plan)
    {
        const Argument& a            = plan.argument;
        const ConvProblem& p         = a.problem;
        const index_t sub_batch_size = LaunchPlanner::sub_batch_size(a),
                      sub_batches    = LaunchPlanner::sub_batches(p.batch, sub_batch_size),
                      columns        = static_cast<index_t>(Direction::columns(p)),
                      groups         = static_cast<index_t>(p.groups);
        Params& r                    = plan.params;
        // Clears the padding between parameters, too, because a test compares bytes.
        std::memset(static_cast<void*>(&r), 0, sizeof r);
        ::new(static_cast<void*>(&r)) Params{};
        r.a           = a.a;
        r.b           = a.b;
        r.c           = a.c;
        r.operation_a = a.operation_a;
        r.operation_b = a.operation_b;
        r.operation_c = a.operation_c;
        r.epilogue    = a.epilogue;
        if(plan.problem.groups > 1 || a.epilogue.channels == 0)
            r.epilogue.channels = static_cast<index_t>(lengths_of(p, Direction::c)[2]);
        if constexpr(Groups::merges)
            r.transform = Transform::make(p, sub_batch_size, plan.groups);
        else
            r.transform = Transform::make(p, sub_batch_size);
        r.tiles      = {make_divisor(static_cast<index_t>(math::integer_divide_ceil(
                       Launcher::columns(p), long_index_t{tuning.block_tile.n}))),
                        make_divisor(Launcher::tile_phases(r.transform, sub_batches)),
                        make_divisor(math::integer_divide_ceil(Launcher::rows(r.transform),
                                                          Launcher::tile_rows(columns))),
                        make_divisor(Launcher::splits_tiles ? 1 : a.split.partial_sums),
                        make_divisor(groups),
                        sub_batches};
        r.a_distance = distance_of(p, Direction::a, sub_batch_size);
        r.b_distance = distance_of(p, Direction::b, sub_batch_size);
        r.c_distance = distance_of(p, Direction::c, sub_batch_size);
        if(a.split.has_partial_sums())
            r.partial_sums =
                grid::PartialSums::make(a.partial_sums, r.transform.max_rows(), columns, groups);
        r.batch          = static_cast<index_t>(p.batch);
        r.sub_batch_size = sub_batch_size;
        std::transform(a.d.begin(), a.d.end(), r.d, [&](const DArgument& d) {
            return d_tensor(d, sub_batch_size);
        });
    }
};

} // namespace ck::tensor_operation::device
