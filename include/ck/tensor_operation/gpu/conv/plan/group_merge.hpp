#pragma once
// Which groups of an argument a launch merges (computes as one), and whether the tensors can then
// be accessed in the kernel's vectors.
#include "ck/tensor_operation/gpu/conv/plan/conv_argument.hpp"
#include "ck/tensor_operation/operator_transform/merged_groups.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace ck::tensor_operation::device {

/// Whether `count` groups of p can be merged. last_may_be_partial: see GroupMerge; c_vector:
/// elements of C that the kernel stores at once.
template <class Direction>
Support check_merged_groups(const ConvProblem& p,
                            std::span<const DArgument> d,
                            index_t count,
                            bool last_may_be_partial,
                            index_t c_vector)
{
    if(count == 1)
        return {};
    if(p.groups % count != 0 && !last_may_be_partial)
        return refused([&] {
            return "G is " + std::to_string(p.groups) + ", not a multiple of the " +
                   std::to_string(count) + " groups that this kernel computes as one";
        });
    const long_index_t channels = lengths_of(p, Direction::c)[2];
    if(const long_index_t all = p.groups * channels; p.groups % count != 0 && all % c_vector != 0)
        return refused([&] {
            return std::string(Direction::c_name) + " has " + std::to_string(all) +
                   " channels in all groups, not a multiple of the " + std::to_string(c_vector) +
                   " that this kernel stores at once";
        });
    Support s = check_all(
        [&] {
            return check_merge(
                Direction::a_name, strides_of(p, Direction::a), lengths_of(p, Direction::a)[2]);
        },
        [&] { return check_merge(Direction::c_name, strides_of(p, Direction::c), channels); });
    for(std::size_t i = 0; s && i < d.size(); ++i)
        s = check_merge("D" + std::to_string(i), d[i].strides, channels);
    return s;
}

/// Whether a tensor of p, with elements of `size` bytes, can be accessed in vectors of channels.
inline Support check_channel_vectors(const ConvProblem& p,
                                     Role role,
                                     const char* name,
                                     index_t vector,
                                     std::size_t size,
                                     const void* pointer)
{
    return check_vectors(name,
                         role == Role::output ? "K" : "C",
                         lengths_of(p, role),
                         strides_of(p, role),
                         2,
                         vector,
                         static_cast<index_t>(size),
                         pointer);
}

/// Types: grid::GemmTypes.
template <class Direction, class Types, GemmTuning tuning>
struct GroupMerge
{
    using Argument = ConvArgument<Types>;
    using SourceA  = thread::OperandSource<typename Types::A>;
    using SourceB  = thread::OperandSource<typename Types::B>;
    using A        = typename SourceA::Element;
    using B        = typename SourceB::Element;
    using C        = typename Types::C;

    /// Whether the kernel can merge groups.
    static constexpr bool merges =
        !std::is_same_v<typename Direction::Merged, typename Direction::Transform> &&
        tuning.reduction == Reduction::merged;

    /// Whether the last merged group may have fewer groups than the others.
    static constexpr bool last_may_be_partial = tuning.pipeline == Pipeline::channel_slices;

    static constexpr ElementBytes element_bytes = element_bytes_of<Direction, A, B, C>();

    /// How many groups are merged into one.
    static index_t count(const Argument& a)
    {
        if constexpr(!merges)
            return 1;
        else if constexpr(tuning.merged_groups > 0)
            return tuning.merged_groups;
        const long_index_t groups  = a.problem.groups,
                           columns = std::max<long_index_t>(Direction::columns(a.problem), 1),
                           most    = std::min(groups, tuning.block_tile.n / columns);
        const auto can_be          = [&](long_index_t count) {
            const auto n = static_cast<index_t>(count);
            return check(a, n) && check_tensors(a, merged(a, n));
        };
        // As few merged groups as possible, of about the same length.
        if(last_may_be_partial && most > 1)
            for(long_index_t count =
                    math::integer_divide_ceil(groups, math::integer_divide_ceil(groups, most));
                count <= most;
                ++count)
                if(can_be(count))
                    return static_cast<index_t>(count);
        for(long_index_t count = most; count > 1; --count)
            if(groups % count == 0 && can_be(count))
                return static_cast<index_t>(count);
        return 1;
    }

    /// Whether `count` groups can be merged.
    static Support check([[maybe_unused]] const Argument& a, [[maybe_unused]] index_t count)
    {
        if constexpr(merges)
            return check_merged_groups<Direction>(
                a.problem, a.d, count, last_may_be_partial, tuning.c_vector);
        else
            return {};
    }

    /// Merges each `count` groups of the argument.
    static void merge(Argument& a, index_t count)
    {
        for(DArgument& d : a.d)
            d.strides = merge_groups(d.strides, lengths_of(a.problem, Direction::c)[2], count);
        a.problem = merge_groups(a.problem, count);
        a.images  = count == 1 ? a.images : 0;
    }
    /// The argument with each `count` groups merged.
    static Argument merged(Argument a, index_t count)
    {
        merge(a, count);
        return a;
    }

    /// Whether the tensors can be accessed in the kernel's vectors. whole: a with merged groups;
    /// its W is that of a.
    static Support check_tensors(const Argument& a, const Argument& whole)
    {
        Support s;
        const auto check = [&](Role role,
                               const char* name,
                               index_t vector,
                               std::size_t size,
                               const void* pointer) {
            if(s)
                s = check_channel_vectors(role == Role::filter ? a.problem : whole.problem,
                                          role,
                                          name,
                                          vector,
                                          size,
                                          pointer);
        };
        for(index_t i = 0; i < SourceA::count; ++i)
            check(Direction::a,
                  Direction::a_name,
                  tuning.a_vector,
                  sizeof(A),
                  SourceA::base_of(a.a, i));
        for(index_t i = 0; i < SourceB::count; ++i)
            check(Direction::b,
                  Direction::b_name,
                  tuning.b_vector,
                  sizeof(B),
                  SourceB::base_of(a.b, i));
        if(!a.split.has_partial_sums())
            check(Direction::c, Direction::c_name, tuning.c_vector, sizeof(C), a.c);
        unrolled<0, Argument::d_count>([&](auto i) {
            if(s)
                s = check_d("D" + std::to_string(i.value),
                            lengths_of(whole.problem, Direction::c),
                            whole.d[static_cast<std::size_t>(i.value)],
                            tuning.c_vector,
                            sizeof(tuple_element_t<i.value, typename Types::Ds>));
        });
        return s;
    }

    /// Whether 32-bit numbers can count the reduction of `count` merged groups of p (`whole`) and
    /// reach their filters.
    static Support check_reach(const ConvProblem& p, const ConvProblem& whole, index_t count)
    {
        if constexpr(merges)
        {
            if(const Support s =
                   check_merged_reduction(whole, Direction::reduction_channels(whole));
               !s)
                return s;
            if(const long_index_t reach = ck::detail::reach_in_bytes(p.filter_lengths(),
                                                                     p.filter_strides,
                                                                     element_bytes.filter) +
                                          (count - 1) * p.filter_strides[0] * element_bytes.filter;
               reach > ck::detail::index_limit)
                return refused("W of the " + std::to_string(count) +
                               " groups that are computed as one spans " + std::to_string(reach) +
                               " bytes, but 32-bit offsets need less than 2^31");
        }
        return {};
    }
};

} // namespace ck::tensor_operation::device
