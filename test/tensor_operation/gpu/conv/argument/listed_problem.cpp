// Problems from lists of lengths of packed tensors.
#include "ck/tensor_operation/gpu/conv/argument/listed_problem.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

using List = std::vector<index_t>;

/// 3x3 with padding 1; output: what Y is to have.
GroupedProblem made(const List& output, const List& strides = {1, 1})
{
    const List input{8, 6}, filter{3, 3}, ones{1, 1};
    return make_listed_problem(
        2, {4, 16, 8, {&input, &filter, &output, &strides, &ones, &ones, &ones}});
}

TEST(ListedProblem, is_packed_without_groups)
{
    const GroupedProblem r = made({8, 6});
    ASSERT_TRUE(r.valid) << r.valid.reason;
    EXPECT_EQ(r.problem.groups, 1);
    EXPECT_EQ(r.problem.batch, 4);
    EXPECT_EQ(r.problem.out_channels, 16);
    EXPECT_EQ(r.problem.in_channels, 8);
    EXPECT_EQ(r.problem.output(), (Spatial{1, 8, 6}));
    EXPECT_EQ(r.problem.input_strides[5], 8) << "of a pixel";
    EXPECT_EQ(r.problem.filter_strides[1], 9 * 8) << "of a filter";
}

TEST(ListedProblem, crops_the_output)
{
    const GroupedProblem r = made({7, 6});
    ASSERT_TRUE(r.valid) << r.valid.reason;
    EXPECT_EQ(r.problem.output(), (Spatial{1, 7, 6}));
    EXPECT_FALSE(made({9, 6}).valid) << "there are 8 rows";
}

TEST(ListedProblem, names_a_list_of_another_length)
{
    EXPECT_EQ(made({8}).valid.reason, "there are 1 output lengths, but a 2D convolution has 2");
    EXPECT_EQ(made({8, 6}, {1, 1, 1}).valid.reason,
              "there are 3 strides, but a 2D convolution has 2");
}

} // namespace
} // namespace ck::tensor_operation::device
