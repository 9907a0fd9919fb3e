#include "ck/convolution/problem.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace ck {
namespace {

constexpr ConvProblem resnet_layer =
    make_packed_problem<2>(1, 256, 192, 192, {3, 3}, {28, 28}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
static_assert(resnet_layer.output() == Spatial{1, 28, 28});
static_assert(resnet_layer.rank == 2);

TEST(ConvProblem, missing_leading_dimensions_are_neutral)
{
    const ConvProblem p = make_packed_problem<1>(2, 3, 4, 5, {3}, {9}, {2}, {2}, {1}, {2});
    EXPECT_EQ(p.input, (Spatial{1, 1, 9}));
    EXPECT_EQ(p.filter, (Spatial{1, 1, 3}));
    EXPECT_EQ(p.stride, (Spatial{1, 1, 2}));
    EXPECT_EQ(p.dilation, (Spatial{1, 1, 2}));
    EXPECT_EQ(p.pad_low, (Spatial{0, 0, 1}));
    EXPECT_EQ(p.pad_high, (Spatial{0, 0, 2}));
    EXPECT_EQ(p.output(), (Spatial{1, 1, 4}));
    EXPECT_TRUE(validate(p)) << validate(p).reason;
}

TEST(ConvProblem, output_counts_the_places_of_the_filter)
{
    std::mt19937 random(1);
    const auto number = [&](long_index_t low, long_index_t high) {
        return low + static_cast<long_index_t>(random() % static_cast<unsigned>(high - low + 1));
    };
    int empty = 0;
    for(int i = 0; i < 5000; ++i)
    {
        const long_index_t input = number(1, 9), filter = number(1, 5), stride = number(1, 4);
        const long_index_t dilation = number(1, 4), low = number(0, 6), high = number(0, 6);
        long_index_t places = 0;
        for(long_index_t at = 0; at + dilation * (filter - 1) < low + input + high; at += stride)
            ++places;
        const ConvProblem p = make_packed_problem<1>(
            1, 1, 1, 1, {filter}, {input}, {stride}, {dilation}, {low}, {high});
        ASSERT_EQ(p.output()[2], places)
            << input << ' ' << filter << ' ' << stride << ' ' << dilation;
        empty += places == 0;
    }
    EXPECT_GT(empty, 100) << "filters that do not fit must be among the problems";
}

/// Every element has its own offset, and the offsets are 0 .. count - 1.
void expect_packed(const TensorLengths& lengths, const TensorStrides& strides)
{
    std::set<long_index_t> offsets;
    for(long_index_t i = 0; i < element_count(lengths); ++i)
    {
        long_index_t rest = i, offset = 0;
        for(std::size_t d = 6; d-- > 0; rest /= lengths[d])
            offset += rest % lengths[d] * strides[d];
        offsets.insert(offset);
    }
    EXPECT_EQ(static_cast<long_index_t>(offsets.size()), element_count(lengths));
    EXPECT_EQ(*offsets.begin(), 0);
    EXPECT_EQ(*offsets.rbegin(), element_count(lengths) - 1);
}

TEST(ConvProblem, packed_strides)
{
    const auto make = [](PackedOrder order) {
        return make_packed_problem<3>(
            2, 3, 4, 5, {1, 2, 3}, {4, 3, 5}, {1, 1, 1}, {1, 1, 1}, {0, 1, 0}, {1, 0, 0}, order);
    };
    for(const PackedOrder order : {PackedOrder::group_first, PackedOrder::group_inside})
    {
        const ConvProblem p = make(order);
        expect_packed(p.input_lengths(), p.input_strides);
        expect_packed(p.filter_lengths(), p.filter_strides);
        expect_packed(p.output_lengths(), p.output_strides);
        EXPECT_EQ(p.input_strides[2], 1) << "channel-last";
        EXPECT_EQ(p.output_strides[2], 1) << "channel-last";
        EXPECT_EQ(p.filter_strides, (TensorStrides{4 * 30, 30, 1, 30, 15, 5})) << "GKZYXC";
    }
    EXPECT_EQ(make(PackedOrder::group_first).input_strides, // GNDHWC
              (TensorStrides{3 * 300, 300, 1, 75, 25, 5}));
    EXPECT_EQ(make(PackedOrder::group_inside).input_strides, // NDHWGC
              (TensorStrides{5, 600, 1, 150, 50, 10}));
}

TEST(ConvProblem, strides_in_the_callers_rank)
{
    EXPECT_EQ(to_tensor_strides(std::array<index_t, 5>{1, 2, 3, 4, 5}),
              (TensorStrides{1, 2, 3, 1, 4, 5}));
    EXPECT_EQ(to_tensor_strides(std::array<long_index_t, 4>{1, 2, 3, 4}),
              (TensorStrides{1, 2, 3, 1, 1, 4}));
    EXPECT_EQ(to_tensor_strides(std::array<index_t, 6>{1, 2, 3, 4, 5, 6}),
              (TensorStrides{1, 2, 3, 4, 5, 6}));
}

TEST(ConvProblem, work_and_traffic)
{
    const ConvProblem p =
        make_packed_problem<2>(2, 3, 4, 5, {3, 1}, {6, 7}, {1, 1}, {1, 1}, {1, 0}, {1, 0});
    EXPECT_EQ(flops(p), 2.0 * 2 * 3 * 4 * 5 * (6 * 7) * 3);
    EXPECT_EQ(bytes(p, 2, 4, 8),
              2.0 * (2 * 3 * 5 * 42) + 4.0 * (2 * 4 * 5 * 3) + 8.0 * (2 * 3 * 4 * 42));
}

TEST(ConvProblem, touched_share_is_of_pixels_that_windows_have)
{
    ConvProblem p;
    p.rank   = 2;
    p.filter = {1, 1, 3};
    p.stride = {1, 2, 2};
    EXPECT_EQ(touched_share(p), 0.5) << "3 taps meet all pixels of a row, 1 every other row";
    p.filter = {1, 1, 2};
    EXPECT_EQ(touched_share(p), 0.5);
    p.dilation = {1, 1, 2};
    EXPECT_EQ(touched_share(p), 0.25) << "both taps meet the same pixels";
    p.stride = {1, 4, 3};
    EXPECT_EQ(touched_share(p), 1. / 6);
    p.stride = {1, 1, 1};
    EXPECT_EQ(touched_share(p), 1);
}

/// A refusal, and one of validate(p), that has all `words`.
void expect_refused(const Support& s, std::initializer_list<std::string> words)
{
    EXPECT_FALSE(s);
    for(const std::string& word : words)
        EXPECT_NE(s.reason.find(word), std::string::npos) << '"' << s.reason << "\" lacks " << word;
}
void expect_refused(const ConvProblem& p, std::initializer_list<std::string> words)
{
    expect_refused(validate(p), words);
}

TEST(Validate, empty_batches_and_outputs_are_convolutions)
{
    EXPECT_TRUE(validate(resnet_layer)) << validate(resnet_layer).reason;
    ConvProblem p = resnet_layer;
    p.batch       = 0;
    EXPECT_TRUE(validate(p)) << validate(p).reason;
    p             = resnet_layer;
    p.dilation[1] = 100;
    EXPECT_EQ(p.output()[1], 0);
    EXPECT_TRUE(validate(p)) << validate(p).reason;
    EXPECT_EQ(flops(p), 0.0);
}

TEST(Validate, given_output_lengths_are_at_most_those_of_the_problem)
{
    const ConvProblem& p = resnet_layer;
    EXPECT_TRUE(check_output_lengths(p, p.output()));
    Spatial given = p.output();
    ++given[2];
    expect_refused(check_output_lengths(p, given),
                   {"output length in W of a 2D convolution is " + std::to_string(given[2]),
                    "make it " + std::to_string(given[2] - 1)});
    given[2] = -1;
    expect_refused(check_output_lengths(p, given), {"output length in W", "is -1"});
}

TEST(ConvProblem, shorter_outputs_are_crops)
{
    ConvProblem p =
        make_packed_problem<2>(1, 1, 1, 1, {3, 1}, {20, 9}, {3, 4}, {2, 7}, {1, 0}, {5, 0});
    ASSERT_EQ(p.output(), (Spatial{1, 8, 3}));
    for(const Spatial& given : {Spatial{1, 8, 3}, {1, 7, 3}, {1, 2, 1}, {1, 1, 2}, {1, 0, 3}})
    {
        ConvProblem cropped = p;
        ASSERT_TRUE(crop_output(cropped, given));
        EXPECT_EQ(cropped.output(), given);
        EXPECT_TRUE(validate(cropped));
    }
    expect_refused(crop_output(p, {1, 9, 3}), {"output length in H", "is 9", "8 at most"});
    EXPECT_EQ(p.pad_high, (Spatial{0, 5, 0})) << "refused, and not changed";
}

TEST(ConvProblem, element_counts_end_at_64_bits)
{
    EXPECT_EQ(element_count({2, 3, 4, 5, 6, 7}), 5040);
    constexpr long_index_t large = 2147483647;
    EXPECT_EQ(element_count({large, large, large, 1, 1, 1}),
              std::numeric_limits<long_index_t>::max());
    EXPECT_EQ(element_count({large, large, large, 1, 1, 0}), 0);
}

TEST(ConvProblem, negative_pads_crop)
{
    const auto output = [](long_index_t low, long_index_t high) {
        const ConvProblem p =
            make_packed_problem<1>(1, 1, 1, 1, {3}, {10}, {2}, {1}, {low}, {high});
        EXPECT_TRUE(validate(p)) << validate(p).reason;
        return p.output()[2];
    };
    EXPECT_EQ(output(-1, 0), 4);
    EXPECT_EQ(output(-2, -1), 3);
    EXPECT_EQ(output(-4, 5), 5);
    EXPECT_EQ(output(-8, 0), 0);
    EXPECT_EQ(output(-20, 0), 0);
}

TEST(Validate, refusals_name_value_and_rule)
{
    const auto broken = [](auto change) {
        ConvProblem p = resnet_layer;
        change(p);
        return p;
    };
    expect_refused(broken([](auto& p) { p.rank = 4; }), {"4", "spatial dimensions", "1, 2 or 3"});
    expect_refused(broken([](auto& p) { p.groups = 0; }), {"groups G", "0", "at least 1"});
    expect_refused(broken([](auto& p) { p.batch = -1; }), {"batch N", "-1", "at least 0"});
    expect_refused(broken([](auto& p) { p.out_channels = 0; }), {"channels K", "0"});
    expect_refused(broken([](auto& p) { p.in_channels = -7; }), {"channels C", "-7"});
    expect_refused(broken([](auto& p) { p.input[1] = 0; }), {"input length in H of a 2D", "0"});
    expect_refused(broken([](auto& p) { p.filter[2] = 0; }), {"filter length in W", "0"});
    expect_refused(broken([](auto& p) { p.stride[2] = 0; }), {"stride in W", "0", "at least 1"});
    expect_refused(broken([](auto& p) { p.dilation[1] = -2; }), {"dilation in H", "-2"});
    constexpr long_index_t least = -(long_index_t{1} << 31);
    expect_refused(broken([](auto& p) { p.pad_low[1] = least; }), {"left pad in H", "-2147483648"});
    expect_refused(broken([](auto& p) { p.pad_high[2] = least; }),
                   {"right pad in W", "-2147483648"});
    expect_refused(broken([](auto& p) { p.batch = long_index_t{1} << 31; }),
                   {"batch N", "2147483648", "2^31"});
    expect_refused(broken([](auto& p) { p.pad_low[2] = 2147483647; }),
                   {"padded input length in W", "2^31"});
    expect_refused(broken([](auto& p) { p.dilation[2] = 2147483647; }),
                   {"dilated filter length in W", "2^31"});
    expect_refused(broken([](auto& p) { p.input_strides[1] = -4; }),
                   {"stride of N of the input tensor", "-4"});
    expect_refused(broken([](auto& p) { p.filter_strides[5] = -1; }),
                   {"stride of X of the filter tensor", "-1"});
    expect_refused(broken([](auto& p) { p.output_strides[2] = -2; }),
                   {"stride of K of the output tensor", "-2"});
    expect_refused(broken([](auto& p) { p.output_strides[1] = long_index_t{1} << 60; }),
                   {"output tensor", "2^60"});
    expect_refused(broken([](auto& p) { p.out_channels = p.in_channels = 2147483647; }),
                   {"filter tensor", "2^60"});
}

} // namespace
} // namespace ck
