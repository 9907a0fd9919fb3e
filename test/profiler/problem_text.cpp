#include "problem_text.hpp"

#include <gtest/gtest.h>

#include "profiler/refusal.hpp"

namespace ck::profiler {
namespace {

TEST(ProblemText, gives_what_is_not_said_its_default)
{
    const ConvProblem p = problem_from_text("c64 k32 in56x55");
    EXPECT_EQ(p.rank, 2);
    EXPECT_EQ(p.groups, 1);
    EXPECT_EQ(p.batch, 1);
    EXPECT_EQ(p.in_channels, 64);
    EXPECT_EQ(p.out_channels, 32);
    EXPECT_EQ(p.input, (Spatial{1, 56, 55}));
    EXPECT_EQ(p.filter, (Spatial{1, 1, 1}));
    EXPECT_EQ(p.stride, (Spatial{1, 1, 1}));
    EXPECT_EQ(p.dilation, (Spatial{1, 1, 1}));
    EXPECT_EQ(p.pad_low, (Spatial{0, 0, 0}));
    EXPECT_EQ(p.pad_high, (Spatial{0, 0, 0}));
    EXPECT_EQ(p.input_strides[2], 1);
}

TEST(ProblemText, one_number_stands_for_all_dimensions)
{
    const ConvProblem p = problem_from_text("n2 c4 k4 in9x8x7 f3 s2 d2 p1");
    EXPECT_EQ(p.filter, (Spatial{3, 3, 3}));
    EXPECT_EQ(p.stride, (Spatial{2, 2, 2}));
    EXPECT_EQ(p.dilation, (Spatial{2, 2, 2}));
    EXPECT_EQ(p.pad_low, (Spatial{1, 1, 1}));
    EXPECT_EQ(p.pad_high, (Spatial{1, 1, 1}));
}

// A dimension that does not exist changes nothing.
TEST(ProblemText, fewer_dimensions)
{
    const ConvProblem p = problem_from_text("n2 c4 k4 in90 f5 s2 d3 pl1 pr4");
    EXPECT_EQ(p.rank, 1);
    EXPECT_EQ(p.input, (Spatial{1, 1, 90}));
    EXPECT_EQ(p.filter, (Spatial{1, 1, 5}));
    EXPECT_EQ(p.stride, (Spatial{1, 1, 2}));
    EXPECT_EQ(p.dilation, (Spatial{1, 1, 3}));
    EXPECT_EQ(p.pad_low, (Spatial{0, 0, 1}));
    EXPECT_EQ(p.pad_high, (Spatial{0, 0, 4}));
}

TEST(ProblemText, round_trip)
{
    for(const char* text : {"n1 c8 k8 in5",
                            "g2 n3 c4 k5 in9x8 f3x2 s2x1 d1x3 pl1x0 pr2x1",
                            "g32 n1 c1 k1 in7x7x7 f3 p1",
                            "n0 c8 k8 in5x5 f3 p1",
                            "n4 c3 k64 in224x224 f7 s2 p3",
                            "n2 c4 k4 in9x9 f1x3 p-1x1",
                            "n2 c4 k4 in9x9 pl1"})
        EXPECT_EQ(to_text(problem_from_text(text)), text);
    EXPECT_EQ(to_text(problem_from_text("g1 n256 c64 k64 in56x56 f3x3 s1x1 d1x1 p1")),
              "n256 c64 k64 in56x56 f3 p1");
}

TEST(ProblemText, refusals_name_the_word_and_the_rule)
{
    const auto refusal = [](const char* text) {
        return test::refusal_of([&] { problem_from_text(text); });
    };
    EXPECT_EQ(refusal("n2 c4 k4 h9 w9"),
              "the problem has the word 'h9', but words are one of g n c k in f s d p pl pr and "
              "numbers, as n256 or f3x3");
    EXPECT_EQ(refusal("n2 c4 k4 in9 f"),
              "the problem has the word 'f', but words are one of g n c k in f s d p pl pr and "
              "numbers, as n256 or f3x3");
    EXPECT_EQ(refusal("c4 c8 k4 in9"), "the problem has 'c' twice: c4 and c8");
    EXPECT_EQ(refusal("k4 in9"), "the problem 'k4 in9' lacks 'c'");
    EXPECT_EQ(refusal("c4 in9"), "the problem 'c4 in9' lacks 'k'");
    EXPECT_EQ(refusal("c4 k4"), "the problem 'c4 k4' lacks 'in', the input's lengths");
    EXPECT_EQ(refusal("c4x4 k4 in9"), "the problem's word 'c4x4' must have one number");
    EXPECT_EQ(refusal("c4 k4 in9x9x9x9"),
              "the problem's word 'in9x9x9x9' has more than 3 dimensions");
    EXPECT_EQ(refusal("c4 k4 in9x9 f3x3x3"),
              "the problem's word 'f3x3x3' has 3 numbers, but the input has 2 dimensions");
    EXPECT_EQ(refusal("c4 k4 in9x9 f3,3"),
              "the problem's word 'f3,3' must be letters and whole numbers with x between them, as "
              "in56x56");
    EXPECT_EQ(refusal("c4 k4 in9 p1 pl1"), "the problem 'c4 k4 in9 p1 pl1' has both 'p' and 'pl'");
    EXPECT_EQ(
        refusal("c0 k4 in9"),
        "the problem 'c0 k4 in9' is not a convolution: the number of input channels C is 0, but "
        "must be at least 1");
    EXPECT_EQ(refusal("c99999999999999999999 k4 in9"),
              "the problem's word 'c99999999999999999999' must be letters and whole numbers with x "
              "between them, as in56x56");
}

} // namespace
} // namespace ck::profiler
