// ConvParam: derived sizes, both constructors, the command line with every way to get it wrong.
#include "ck/library/utility/convolution_parameter.hpp"

#include "ck/utility/half.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using ck::long_index_t;
using ck::utils::conv::ConvParam;
using ck::utils::conv::parse_conv_param;
using ck::utils::conv::parse_ungrouped_conv_param;
using L = std::vector<long_index_t>;

TEST(ConvParam, DefaultProblem)
{
    const ConvParam p;
    EXPECT_EQ(p.num_dim_spatial_, 2);
    EXPECT_EQ((L{p.G_, p.N_, p.K_, p.C_}), (L{1, 128, 256, 192}));
    EXPECT_EQ(p.GetOutputSpatialLengths(), (L{36, 36}));
    EXPECT_EQ(p.output_spatial_lengths_, (L{36, 36}));
    EXPECT_EQ(p.GetFlops(), 2ull * 128 * 256 * 192 * 36 * 36 * 9);
    EXPECT_EQ(p.GetInputByte<ck::half_t>(), 2ull * 128 * 192 * 71 * 71);
    EXPECT_EQ(p.GetWeightByte<float>(), 4ull * 256 * 192 * 9);
    EXPECT_EQ(p.GetOutputByte<double>(), 8ull * 128 * 256 * 36 * 36);
    EXPECT_EQ((p.GetByte<char, char, char>()),
              128ull * 192 * 71 * 71 + 256 * 192 * 9 + 128 * 256 * 36 * 36);
}

TEST(ConvParam, BothConstructors)
{
    const ConvParam ints{2, 2, 3, 4, 5, {3, 2}, {7, 8}, {2, 1}, {1, 3}, {1, 0}, {0, 2}};
    const ConvParam longs(
        ck::long_index_t{2}, 2, 3, 4, 5, L{3, 2}, L{7, 8}, L{2, 1}, L{1, 3}, L{1, 0}, L{0, 2});
    EXPECT_EQ(ints.output_spatial_lengths_, (L{3, 7}));
    EXPECT_EQ(longs.output_spatial_lengths_, (L{3, 7}));
    std::vector<ConvParam> list;
    list.push_back({1, 1, 1, 1, 1, {1}, {1}, {1}, {1}, {0}, {0}});
    EXPECT_EQ(list[0].GetFlops(), 2u);
}

TEST(ConvParam, OutputLengths)
{
    const auto output = [](int filter, int input, int stride, int dilation, int left, int right) {
        return ConvParam(1, 1, 1, 1, 1, {filter}, {input}, {stride}, {dilation}, {left}, {right})
            .GetOutputSpatialLengths()[0];
    };
    EXPECT_EQ(output(3, 71, 1, 1, 1, 1), 71);
    EXPECT_EQ(output(3, 71, 2, 1, 1, 1), 36);
    EXPECT_EQ(output(3, 71, 1, 2, 1, 1), 69);
    EXPECT_EQ(output(3, 71, 3, 2, 1, 1), 23);
    EXPECT_EQ(output(3, 3, 1, 1, 0, 0), 1);
    EXPECT_EQ(output(3, 2, 1, 1, 0, 0), 0); // the filter does not fit
    EXPECT_EQ(output(3, 1, 2, 1, 0, 0), 0);
    EXPECT_EQ(output(3, 9, 1, 1, -1, -2), 4); // crops
    EXPECT_EQ(output(3, 9, 2, 1, -9, 0), 0);
}

TEST(ConvParam, BatchZeroIsAConvolution)
{
    EXPECT_EQ(ConvParam(1, 1, 0, 1, 1, {1}, {4}, {1}, {1}, {0}, {0}).GetFlops(), 0u);
}

TEST(ConvParam, GivesTheProblem)
{
    const ck::ConvProblem p = ConvParam(1, 2, 3, 4, 5, {3}, {9}, {2}, {1}, {1}, {0}).GetProblem();
    EXPECT_EQ(p.output(), (ck::Spatial{1, 1, 4}));
    EXPECT_EQ(p.input_strides[2], 1);
    EXPECT_EQ(p.input_strides[0], 5); // N W G C
}

/// What the constructor or the parser says when it throws.
template <class F>
std::string message(F f)
{
    try
    {
        f();
    }
    catch(const std::invalid_argument& e)
    {
        return e.what();
    }
    return "no error";
}

TEST(ConvParam, RefusesNonsense)
{
    EXPECT_EQ(message([] {
                  ConvParam(2, 1, 1, 1, 1, {1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
              }),
              "ConvParam: the filter has 1 elements, but the convolution has 2 spatial dimensions");
    EXPECT_NE(message([] { ConvParam(4, 1, 1, 1, 1, {}, {}, {}, {}, {}, {}); }).find("4 spatial"),
              std::string::npos);
    EXPECT_NE(
        message([] { ConvParam(1, 1, 1, 1, 1, {1}, {1}, {0}, {1}, {0}, {0}); }).find("stride"),
        std::string::npos);
    EXPECT_NE(
        message([] { ConvParam(1, 0, 1, 1, 1, {1}, {1}, {1}, {1}, {0}, {0}); }).find("G is 0"),
        std::string::npos);
    EXPECT_EQ(message([] { ConvParam(1, 1, 1, 1, 1, {1}, {-4}, {1}, {1}, {0}, {0}); }),
              "ConvParam: the input length in W of a 1D convolution is -4, but must be at least 1");
    EXPECT_EQ(message([] { ConvParam(1, 1, 1, 1, 1, {1}, {4}, {-2}, {1}, {0}, {0}); }),
              "ConvParam: the stride in W of a 1D convolution is -2, but must be at least 1");
    EXPECT_EQ(
        message([] {
            constexpr long_index_t absurd = std::numeric_limits<long_index_t>::max();
            ConvParam(
                long_index_t{1}, 1, 1, 1, 1, L{1}, L{absurd}, L{1}, L{1}, L{absurd}, L{absurd});
        }),
        "ConvParam: the input length in W of a 1D convolution is 9223372036854775807, but "
        "must be below 2^31");
}

TEST(ConvParam, CountsNoFurtherThanSizeMax)
{
    constexpr ck::index_t large = 1 << 30;
    const ConvParam p(1, 1, large, large / 4, 2, {1}, {1}, {1}, {1}, {0}, {0});
    EXPECT_EQ(p.GetOutputElements(), std::size_t{1} << 58);
    EXPECT_EQ(p.GetFlops(), std::size_t{1} << 60);
    const ConvParam q(1, 1, large, large / 4, large / 4, {1}, {1}, {1}, {1}, {0}, {0});
    EXPECT_EQ(q.GetFlops(), std::numeric_limits<std::size_t>::max());
    struct Wide
    {
        char bytes[64];
    };
    EXPECT_EQ(q.GetOutputByte<Wide>(), std::numeric_limits<std::size_t>::max());
    EXPECT_EQ((q.GetByte<Wide, Wide, char>()), std::numeric_limits<std::size_t>::max());
}

TEST(ConvParam, CountsWhatWasAssignedWithoutWrapping)
{
    ConvParam p;
    p.C_                     = long_index_t{1} << 62;
    p.input_spatial_lengths_ = {long_index_t{1} << 31, long_index_t{1} << 31};
    EXPECT_EQ(p.GetInputElements(), std::numeric_limits<std::size_t>::max());
    EXPECT_EQ(p.GetWeightElements(), std::numeric_limits<std::size_t>::max());
    EXPECT_EQ((p.GetByte<float, float, float>()), std::numeric_limits<std::size_t>::max());
    p.G_ = -1;
    EXPECT_EQ(p.GetInputElements(), 0u);
    EXPECT_EQ(p.GetFlops(), 0u);
}

TEST(ConvParam, Prints)
{
    std::ostringstream os;
    os << ConvParam();
    EXPECT_EQ(
        os.str(),
        "ConvParam: 2D, G 1, N 128, K 256, C 192, filter {3, 3}, input {71, 71}, output {36, 36}, "
        "strides {2, 2}, dilations {1, 1}, left pads {1, 1}, right pads {1, 1}");
}

/// A command line from words; the program's name is argument 0.
struct CommandLine
{
    explicit CommandLine(const std::string& text)
    {
        std::istringstream is(text);
        for(std::string word; is >> word;)
            words.push_back(word);
        for(auto& word : words)
            argv.push_back(word.data());
        argv.push_back(nullptr);
    }
    std::vector<std::string> words;
    std::vector<char*> argv;
};

ConvParam parse(int rank, const std::string& text)
{
    CommandLine line("program " + text);
    return parse_conv_param(rank, 1, line.argv.data());
}

TEST(ParseConvParam, ReadsEveryRank)
{
    const ConvParam one = parse(1, "2 3 4 5 3 9 2 1 1 0");
    EXPECT_EQ((L{one.G_, one.N_, one.K_, one.C_}), (L{2, 3, 4, 5}));
    EXPECT_EQ(one.output_spatial_lengths_, (L{4}));

    const ConvParam two = parse(2, "1 128 256 192 3 2 71 70 2 1 1 3 1 0 4 5");
    EXPECT_EQ(two.filter_spatial_lengths_, (L{3, 2}));
    EXPECT_EQ(two.input_spatial_lengths_, (L{71, 70}));
    EXPECT_EQ(two.conv_filter_strides_, (L{2, 1}));
    EXPECT_EQ(two.conv_filter_dilations_, (L{1, 3}));
    EXPECT_EQ(two.input_left_pads_, (L{1, 0}));
    EXPECT_EQ(two.input_right_pads_, (L{4, 5}));

    const ConvParam three = parse(3, "1 1 1 1 1 2 3 4 5 6 1 1 1 1 1 1 0 0 0 0 0 0");
    EXPECT_EQ(three.output_spatial_lengths_, (L{4, 4, 4}));

    CommandLine line("program 1 2 128 256 192 3 71 2 1 1 1");
    EXPECT_EQ(parse_ungrouped_conv_param(1, 3, line.argv.data()).G_, 1);
    EXPECT_EQ(parse_ungrouped_conv_param(1, 3, line.argv.data()).K_, 256);
}

TEST(ParseConvParam, NamesWhatIsWrong)
{
    const auto says = [](int rank, const char* text) {
        return message([&] { parse(rank, text); });
    };
    EXPECT_EQ(says(1, "1 1 x"),
              "argument 3 (K, output channels) is \"x\", but must be a whole number");
    EXPECT_EQ(says(1, "1 1 3.5"),
              "argument 3 (K, output channels) is \"3.5\", but must be a whole number");
    EXPECT_EQ(says(1, "1 1 1 4x"),
              "argument 4 (C, input channels) is \"4x\", but must be a whole number");
    EXPECT_EQ(says(1, "0 1 1 1"), "argument 1 (G, groups) is 0, but must be from 1 to 2147483647");
    EXPECT_EQ(says(1, "1 -7 1 1"), "argument 2 (N, batch) is -7, but must be from 1 to 2147483647");
    EXPECT_EQ(says(1, "1 2147483648 1 1"),
              "argument 2 (N, batch) is 2147483648, but must be from 1 to 2147483647");
    EXPECT_EQ(says(1, "1 99999999999999999999 1 1"),
              "argument 2 (N, batch) is \"99999999999999999999\", which is out of range");
    EXPECT_EQ(says(2, "1 1 1 1 3 3 5"), "argument 8 (input W) is missing");
    EXPECT_EQ(says(2, "1 1 1 1 3 0"),
              "argument 6 (filter X) is 0, but must be from 1 to 2147483647");
    EXPECT_EQ(says(1, "1 1 1 1 3 9 0"),
              "argument 7 (stride W) is 0, but must be from 1 to 2147483647");
    EXPECT_EQ(says(1, "1 1 1 1 3 9 1 1 -1"),
              "argument 9 (left pad W) is -1, but must be from 0 to 2147483647");
    EXPECT_EQ(says(2, "1 1 1 1 3 3 9 4 1 1 1 2 0 0 0 0"),
              "filter X of 3 with dilation 2 covers 5 elements, but the padded input W has 4");
    EXPECT_EQ(says(4, ""), "the number of spatial dimensions is 4, but must be 1, 2 or 3");
}

TEST(ParseConvParam, Explains)
{
    EXPECT_NE(ck::utils::conv::get_conv_param_parser_helper_msg().find("G, N, K, C"),
              std::string::npos);
}

} // namespace
