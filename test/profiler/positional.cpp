#include "positional.hpp"

#include <gtest/gtest.h>

#include "problem_text.hpp"
#include "profiler/refusal.hpp"
#include <sstream>
#include <string>
#include <vector>

namespace ck::profiler {
namespace {

std::vector<std::string> words(const std::string& line)
{
    std::istringstream in(line);
    std::vector<std::string> all;
    for(std::string word; in >> word;)
        all.push_back(word);
    return all;
}

ConvRequest read(const std::string& operation, const std::string& numbers)
{
    Options options;
    return read_positions(operation, words(numbers), options);
}

std::string refusal(const std::string& operation, const std::string& numbers)
{
    return test::refusal_of([&] { read(operation, numbers); });
}

// 2D: G N K C, filter Y X, input Hi Wi, strides, dilations, left pads, right pads.
const std::string tail     = "2 3 2 5 7 3 2 9 8 2 1 1 3 1 0 2 1";
constexpr const char* text = "g3 n2 c7 k5 in9x8 f3x2 s2x1 d1x3 pl1x0 pr2x1";

struct Case
{
    const char* operation;
    const char* before; ///< positions before the flags
    const char* type;
    Layout layout;
    const char* after = ""; ///< what follows the problem
};

class Positions : public testing::TestWithParam<Case>
{};

TEST_P(Positions, mean_what_composable_kernel_has_there)
{
    const Case& c = GetParam();
    Options options;
    const std::string one_group = "2 1" + tail.substr(3);
    const bool grouped          = std::string(c.operation).starts_with("grouped");
    const ConvRequest r         = read_positions(
        c.operation,
        words(std::string(c.before) + " 0 2 1 0 " + (grouped ? tail : one_group) + c.after),
        options);
    EXPECT_EQ(r.operation, c.operation);
    EXPECT_EQ(r.type, c.type);
    EXPECT_EQ(r.layout, c.layout);
    ASSERT_EQ(r.problems.size(), 1u);
    ConvProblem expected = problem_from_text(grouped ? text : std::string(text).substr(3));
    set_strides(expected, c.layout);
    const ConvProblem& p = r.problems[0].problem;
    EXPECT_EQ(to_text(p), to_text(expected));
    EXPECT_EQ(p.input_strides, expected.input_strides);
    EXPECT_EQ(p.filter_strides, expected.filter_strides);
    EXPECT_EQ(p.output_strides, expected.output_strides);
    EXPECT_FALSE(options.verify);
    EXPECT_EQ(options.fill, Fill::decimal);
    EXPECT_TRUE(options.print_tensor);
    EXPECT_FALSE(options.time);
}

constexpr Case cases[] = {
    {"grouped_conv_fwd", "1 0 0", "f16", Layout::gnhwc},
    {"grouped_conv_fwd", "0 1 1", "f32", Layout::nhwgc}, // the layout is before the index type
    {"grouped_conv_fwd", "2 2 0", "bf16", Layout::ngchw},
    {"grouped_conv_fwd", "3 1 0", "i8", Layout::nhwgc},
    {"grouped_conv_fwd", "4 1 0", "f8", Layout::nhwgc},
    {"grouped_conv_fwd", "5 1 0", "bf8", Layout::nhwgc},
    {"grouped_conv_fwd", "6 1 0", "f8_bf8", Layout::nhwgc},
    {"grouped_conv_fwd", "7 1 0", "bf8_f8", Layout::nhwgc},
    {"grouped_conv_fwd", "8 3 0", "tf32", Layout::nchw},
    {"grouped_conv_fwd_clamp", "1 0 0", "f16", Layout::gnhwc},
    {"grouped_conv_fwd_bias_clamp", "8 3 1", "tf32", Layout::nchw},
    {"grouped_conv_bwd_data", "2 0", "bf16", Layout::gnhwc, " 1"},
    {"grouped_conv_bwd_data", "0 1", "f32", Layout::nhwgc, " -1"},
    {"grouped_conv_bwd_data", "1 2", "f16", Layout::ngchw, " all"},
    {"grouped_conv_bwd_data", "3 3", "tf32", Layout::nchw, " 4"},
    {"grouped_conv_bwd_weight", "6 4", "tf32", Layout::nchw, " all"},
    {"grouped_conv_bwd_weight", "1 1", "f16", Layout::gnhwc, " 4"},
    {"grouped_conv_bwd_weight", "2 2", "bf16_f32", Layout::nhwgc, " 4"},
    {"grouped_conv_bwd_weight", "3 2", "f16_as_bf8_f8", Layout::nhwgc, " 4"},
    {"grouped_conv_bwd_weight", "4 2", "i8", Layout::nhwgc, " 4"},
    {"grouped_conv_bwd_weight", "5 3", "bf16", Layout::ngchw, " 4"},
    {"grouped_conv_fwd_outelementop", "0 0 1", "f8", Layout::nhwgc},
    {"grouped_conv_fwd_outelementop", "2 0 1", "f8_bf8", Layout::nhwgc},
    {"conv_fwd", "3 1", "i8", Layout::nhwgc},
    {"conv_bwd_data", "1 1", "f16", Layout::nhwgc},
};
INSTANTIATE_TEST_SUITE_P(, Positions, testing::ValuesIn(cases));

TEST(Positional, older_operations_have_two_dimensions)
{
    for(const char* operation : {"conv_fwd_bias_relu", "conv_fwd_bias_relu_add"})
    {
        const ConvRequest r = read(operation, "1 1 1 1 1 1 0 1 2 5 7 3 2 9 8 2 1 1 3 1 0 2 1");
        EXPECT_EQ(to_text(r.problems.at(0).problem), "n2 c7 k5 in9x8 f3x2 s2x1 d1x3 pl1x0 pr2x1");
        EXPECT_EQ(r.type, "f16");
        const ConvProblem& p = r.problems.at(0).problem;
        for(const Spatial& none : {p.filter, p.input, p.stride, p.dilation})
            EXPECT_EQ(none[0], 1) << "the depth";
    }
}

TEST(Positional, elementwise_operation)
{
    const std::string rest = " 1 1 1 0 1 3 1 1 4 4 1 1 1 4 4 4 1 1 1 1 1 1 0 0 0 0 0 0";
    EXPECT_EQ(read("grouped_conv_fwd_outelementop", "0 0" + rest).family.operation_c, "ConvScale");
    EXPECT_EQ(read("grouped_conv_fwd_outelementop", "0 1" + rest).variant, "convinvscale");
    EXPECT_EQ(read("grouped_conv_fwd_outelementop", "0 1" + rest).family.operation_c,
              "ConvInvscale");
}

TEST(Positional, other_ranks)
{
    const ConvRequest one = read("grouped_conv_fwd", "1 1 0 1 1 0 1 1 2 3 4 5 3 9 1 1 1 1");
    EXPECT_EQ(to_text(one.problems.at(0).problem), "g2 n3 c5 k4 in9 f3 p1");
    const ConvRequest three = read("grouped_conv_bwd_data",
                                   "1 1 1 1 0 1 3 2 3 4 5 3 2 1 9 8 7 1 1 1 1 1 1 1 1 0 1 1 0 1");
    EXPECT_EQ(to_text(three.problems.at(0).problem), "g2 n3 c5 k4 in9x8x7 f3x2x1 p1x1x0");
}

TEST(Positional, split_k)
{
    const auto split_k = [](const std::string& word) {
        return read("grouped_conv_bwd_weight", "1 2 1 1 0 1 " + tail + " " + word).split_k;
    };
    EXPECT_EQ(split_k("3"), std::vector<index_t>{3});
    EXPECT_EQ(split_k("-1"), std::vector<index_t>{-1});
    const std::vector<index_t> sweep{1, 2, 4, 8, 16, 32, 64, 128};
    EXPECT_EQ(split_k("all"), sweep);
    EXPECT_EQ(split_k("0"), sweep);
    EXPECT_EQ(
        refusal("grouped_conv_bwd_weight", "1 2 1 1 0 1 " + tail + " some"),
        "number 24 after grouped_conv_bwd_weight (split_k) is 'some', but must be a number of "
        "parts, -1 (automatic) or all (1 to 128)");
    EXPECT_EQ(refusal("grouped_conv_bwd_weight", "1 2 1 1 0 1 " + tail),
              "there are 23 numbers after grouped_conv_bwd_weight, but number 24 must be the "
              "split_k");
}

/// The count of numbers tells the orders apart.
TEST(Positional, backward_data_of_2024_has_no_split_k)
{
    const std::string numbers = "1 1 1 1 0 1 " + tail;
    const auto read_2024      = [&](const std::string& operation, const std::string& text) {
        Options options;
        options.order_2024 = true;
        return read_positions(operation, words(text), options);
    };
    EXPECT_EQ(to_text(read_2024("grouped_conv_bwd_data", numbers).problems.at(0).problem),
              to_text(read("grouped_conv_bwd_data", numbers + " 2").problems.at(0).problem));
    EXPECT_EQ(read("grouped_conv_bwd_data", numbers + " 2").split_k, std::vector<index_t>{-1});
    EXPECT_EQ(refusal("grouped_conv_bwd_data", numbers),
              "there are 23 numbers after grouped_conv_bwd_data, but number 24 must be the "
              "split_k; with --order 2024 there is none");
    EXPECT_EQ(test::refusal_of([&] { read_2024("grouped_conv_bwd_data", numbers + " 2"); }),
              "there are 24 numbers after grouped_conv_bwd_data, but in the order of 2024 this "
              "problem takes 23; without --order 2024 the last is split_k");
    EXPECT_EQ(refusal("grouped_conv_bwd_data", numbers + " two"),
              "number 24 after grouped_conv_bwd_data (split_k) is 'two', but must be a number of "
              "parts, -1 (automatic) or all (1 to 128)");
    // Others are the same in both: forward's layout is before the index type.
    EXPECT_EQ(read_2024("grouped_conv_fwd", "1 2 1 1 1 0 1 " + tail).layout, Layout::ngchw);
    EXPECT_EQ(read_2024("grouped_conv_bwd_weight", numbers + " 2").split_k,
              std::vector<index_t>{2});
    EXPECT_EQ(read_2024("grouped_conv_bwd_weight", numbers + " -1").split_k,
              read("grouped_conv_bwd_weight", numbers + " all").split_k);
}

TEST(Positional, refusals_name_position_value_and_rule)
{
    EXPECT_EQ(refusal("grouped_conv_fwd", "9 1 0 1 1 0 1 " + tail),
              "number 1 after grouped_conv_fwd (data type) is '9', but must be a whole number from "
              "0 to 8");
    EXPECT_EQ(refusal("grouped_conv_fwd", "1 1 0 yes 1 0 1 " + tail),
              "number 4 after grouped_conv_fwd (verification) is 'yes', but must be a whole number "
              "from 0 to 1");
    EXPECT_EQ(refusal("grouped_conv_fwd", "1 1 0 1 1 0 1 4 1 1 1 1"),
              "number 8 after grouped_conv_fwd (spatial dimensions) is '4', but must be a whole "
              "number from 1 to 3");
    EXPECT_EQ(refusal("grouped_conv_fwd", "1 1 0 1 1 0 1 " + tail + " 1"),
              "there are 25 numbers after grouped_conv_fwd, but this problem takes 24");
    EXPECT_EQ(refusal("grouped_conv_fwd", "1 1 0 1 1 0 1 2 3 2 5 7 3 2 9 8 2 1 1 3 1 0 2"),
              "there are 23 numbers after grouped_conv_fwd, but number 24 must be the right pad");
    EXPECT_EQ(refusal("conv_fwd", "1 1 1 1 0 1 " + tail),
              "G is 3, but this operation has one group; see grouped_conv_*");
    EXPECT_EQ(refusal("conv_fwd", "1 1 1 1 0 1 2 1 2 5 7 3 2 9 8 0 1 1 3 1 0 2 1"),
              "number 16 after conv_fwd (stride) is '0', but must be a whole number from 1 to "
              "2147483647");
}

TEST(Positional, what_is_not_implemented_is_told_from_what_is_wrong)
{
    try
    {
        read("conv_fwd", "1 0 1 1 0 1 " + tail);
        FAIL() << "layout 0 was taken";
    }
    catch(const NotImplemented& e)
    {
        EXPECT_STREQ(e.what(),
                     "number 2 after conv_fwd (tensor layout) is 0, which is not implemented; "
                     "tensor layout: 1 nhwgc");
    }
}

TEST(Positional, each_position_is_described)
{
    const std::string all = describe_positions("grouped_conv_bwd_weight");
    EXPECT_NE(
        all.find("1  data type: 0 f32, 1 f16, 2 bf16_f32, 3 f16_as_bf8_f8, 4 i8, 5 bf16, 6 tf32\n"),
        all.npos)
        << all;
    const std::string parts    = "  last  split_k: the number of partial sums; ",
                      no_parts = "  last  split_k: -1, a number or all; each kernel chooses for "
                                 "itself; with --order 2024 it is left out\n";
    const auto has             = [](const std::string& operation, const std::string& line) {
        return describe_positions(operation).find(line) != std::string::npos;
    };
    EXPECT_TRUE(has("grouped_conv_bwd_weight", parts)) << all;
    EXPECT_FALSE(has("grouped_conv_bwd_weight", no_parts)) << all;
    EXPECT_TRUE(has("grouped_conv_bwd_data", no_parts));
    EXPECT_FALSE(has("grouped_conv_bwd_data", parts));
    EXPECT_FALSE(has("grouped_conv_fwd", "split_k"));
}

} // namespace
} // namespace ck::profiler
