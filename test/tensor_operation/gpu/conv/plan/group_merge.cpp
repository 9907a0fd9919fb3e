// Which groups are computed as one, and whether 32-bit numbers still reach their filters: bounds,
// to the byte.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/plan/group_merge.hpp"

#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/utility/data_type.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device::group_merge {
namespace {

constexpr GemmTuning
tuning(Reduction reduction, index_t groups = 0, Pipeline pipeline = Pipeline::double_buffer)
{
    return {.block_tile    = {32, 64, 32},
            .wave_m        = 32,
            .wave_n        = 32,
            .instruction   = arch::Matrix::dot_f32_8x4x2_f16,
            .a_vector      = 8,
            .b_vector      = 1,
            .c_vector      = 8,
            .pipeline      = pipeline,
            .reduction     = reduction,
            .merged_groups = groups};
}

using PassThrough = element_wise::PassThrough;
template <class T>
using Types = grid::GemmTypes<T, T, float, PassThrough, PassThrough, PassThrough>;

/// 64 groups of 3 to 5 channels, filters of 2 x 7; every length and stride is another one. The
/// filters of 8 groups have elements_of_8 elements from the first to the last, both counted.
ConvProblem problem(long_index_t elements_of_8)
{
    ConvProblem p;
    p.rank                 = 2;
    p.groups               = 64;
    p.batch                = 2;
    p.in_channels          = 3;
    p.out_channels         = 5;
    p.filter               = {1, 2, 7};
    p.input                = {1, 9, 11};
    p.filter_strides       = {0, 100'000, 1, 0, 3'000, 30};
    const auto groups_have = [&] { // 7 strides of groups: the rest is one group
        return elements_of_8 - (4 * p.filter_strides[1] + 2 * 1 + 1 * 3'000 + 6 * 30 + 1);
    };
    while(groups_have() % 7 != 0)
        ++p.filter_strides[1];
    p.filter_strides[0] = groups_have() / 7;
    return p;
}

template <class Direction, class T>
void expect_filters_below_2_gib()
{
    using Merge        = GroupMerge<Direction, Types<T>, tuning(Reduction::merged)>;
    constexpr auto end = (long_index_t{1} << 31) / static_cast<long_index_t>(sizeof(T));
    for(const long_index_t elements : {end / 2, end - 1, end, 2 * end})
    {
        const ConvProblem p = problem(elements);
        const Support s     = Merge::check_reach(p, merge_groups(p, 8), 8);
        EXPECT_EQ(static_cast<bool>(s), elements < end) << elements << s.reason;
        if(!s)
        {
            EXPECT_EQ(s.reason,
                      "W of the 8 groups that are computed as one spans " +
                          std::to_string(elements * static_cast<long_index_t>(sizeof(T))) +
                          " bytes, but 32-bit offsets need less than 2^31");
        }
        EXPECT_TRUE(Merge::check_reach(p, p, 1)) << "one group";
        using Apart = GroupMerge<Direction, Types<T>, tuning(Reduction::by_tap)>;
        EXPECT_TRUE(Apart::check_reach(p, merge_groups(p, 8), 8)) << "merges none";
    }
}

TEST(GroupMerge, ReachesFiltersBelow2GiB)
{
    expect_filters_below_2_gib<ForwardDirection, half_t>();
    expect_filters_below_2_gib<ForwardDirection, std::int8_t>();
    expect_filters_below_2_gib<BackwardDataDirection, half_t>();
    expect_filters_below_2_gib<BackwardDataDirection, std::int8_t>();
}

TEST(GroupMerge, ReductionsHaveAtMost2To30Steps)
{
    using Merge   = GroupMerge<ForwardDirection, Types<half_t>, tuning(Reduction::merged)>;
    ConvProblem p = problem(1 << 20);
    p.filter      = {1, 1, 1};
    p.groups      = 8;
    for(const long_index_t channels : {1 << 27, (1 << 27) + 1})
    {
        p.in_channels   = channels;
        const Support s = Merge::check_reach(p, merge_groups(p, 8), 8);
        EXPECT_EQ(static_cast<bool>(s), channels == 1 << 27) << s.reason;
    }
}

TEST(GroupMerge, ChannelsOfGroupsMustFollowEachOther)
{
    using Merge      = GroupMerge<ForwardDirection, Types<half_t>, tuning(Reduction::merged)>;
    ConvProblem p    = problem(1 << 20);
    p.input_strides  = {3, 64 * 3 * 99, 1, 0, 64 * 3 * 11, 64 * 3};
    p.output_strides = {5, 64 * 5 * 40, 1, 0, 64 * 5 * 5, 64 * 5};
    Merge::Argument a{};
    a.problem        = p;
    const auto check = [&](index_t count) { return Merge::check(a, count); };
    EXPECT_TRUE(check(8)) << check(8).reason;
    EXPECT_EQ(check(24).reason,
              "G is 64, not a multiple of the 24 groups that this kernel computes as one");
    a.problem.input_strides[0] = 4;
    EXPECT_NE(check(8).reason.find("the groups of X are 4 elements apart, not the 3 of"),
              std::string::npos)
        << check(8).reason;
    EXPECT_TRUE(check(1)) << "one group";
    a.problem                   = p;
    a.problem.output_strides[0] = 6;
    EXPECT_NE(check(8).reason.find("the groups of Y are 6 elements apart, not the 5 of"),
              std::string::npos)
        << check(8).reason;
}

/// How many groups of `channels` channels, in packed images, a kernel computes as one.
template <class Direction, Pipeline pipeline>
index_t merged_of(long_index_t groups, long_index_t channels)
{
    using Merge = GroupMerge<Direction, Types<half_t>, tuning(Reduction::merged, 0, pipeline)>;
    typename Merge::Argument a{};
    a.problem = make_packed_problem<2>(
        groups, 2, channels, channels, {3, 3}, {7, 7}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    const index_t count = Merge::count(a);
    EXPECT_TRUE(Merge::check(a, count));
    EXPECT_EQ(Merge::merged(a, count).problem.groups,
              math::integer_divide_ceil(groups, long_index_t{count}));
    return count;
}

/// A vector of 8 floats has 32 bytes, but plans promise multiples of 16, for which null stands.
TEST(GroupMerge, IsTheSameAtAllMultiplesOf16)
{
    using Merge = GroupMerge<BackwardDataDirection, Types<half_t>, tuning(Reduction::merged)>;
    Merge::Argument a{};
    a.problem = make_packed_problem<2>(64, 2, 1, 1, {3, 3}, {7, 7}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    for(const std::uintptr_t address : {0, 16, 32, 48})
    {
        a.c = reinterpret_cast<float*>(address);
        EXPECT_EQ(Merge::count(a), 64) << address;
    }
    a.c                 = reinterpret_cast<float*>(8);
    const index_t count = Merge::count(a);
    EXPECT_EQ(count, 1);
    EXPECT_FALSE(Merge::check_tensors(a, Merge::merged(a, count)));
}

TEST(GroupMerge, OnlyChannelSlicesEndWithFewerGroups)
{
    using Forward = ForwardDirection;
    using Data    = BackwardDataDirection;
    using enum Pipeline;
    EXPECT_EQ((merged_of<Forward, double_buffer>(7, 16)), 1);
    EXPECT_EQ((merged_of<Forward, double_buffer>(9, 8)), 3);
    EXPECT_EQ((merged_of<Forward, channel_slices>(7, 16)), 4);
    EXPECT_EQ((merged_of<Data, channel_slices>(7, 16)), 4);
    EXPECT_EQ((merged_of<Forward, channel_slices>(11, 8)), 6) << "not 8 and 3";
    EXPECT_EQ((merged_of<Data, channel_slices>(22, 8)), 8) << "8, 8 and 6";
    EXPECT_EQ((merged_of<Forward, channel_slices>(12, 8)), 6);
    EXPECT_EQ((merged_of<Forward, channel_slices>(3, 16)), 3);
    EXPECT_EQ((merged_of<Forward, channel_slices>(18, 4)), 10) << "whole vectors";
    EXPECT_EQ((merged_of<Data, channel_slices>(5, 64)), 1);
}

TEST(GroupMerge, TheLastGroupsAreStoredInWholeVectors)
{
    using Merge = GroupMerge<ForwardDirection,
                             Types<half_t>,
                             tuning(Reduction::merged, 0, Pipeline::channel_slices)>;
    typename Merge::Argument a{};
    a.problem = make_packed_problem<2>(9, 2, 4, 4, {3, 3}, {7, 7}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    EXPECT_EQ(Merge::check(a, 8).reason,
              "Y has 36 channels in all groups, not a multiple of the 8 that this kernel stores at "
              "once");
    EXPECT_TRUE(Merge::check(a, 3)) << "no group is left over";
}

} // namespace
} // namespace ck::tensor_operation::device::group_merge
