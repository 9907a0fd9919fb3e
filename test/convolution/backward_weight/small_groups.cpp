// Groups of a few channels, and of one with large filters, without a matrix instruction: any number
// of pieces of dW, parts of lines and partial sums, some of them empty.
//
// Cases not sanitized: WeightOfSmallGroups.OnePixel WeightOfSmallGroups.EightChannels
// Cases not sanitized: WeightOfSmallGroups.OneTap
#include "convolution/backward_weight/weight.hpp"
#include "tables/dl.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;
using Lengths = std::vector<long_index_t>;

constexpr bool of_one_channel = true, of_several = false;

constexpr GemmTuning pieces(bool of_one, index_t channels, index_t taps, index_t columns)
{
    return tables::small_groups_weight(dot_f32_8x4x1_f32, of_one, channels, taps, columns);
}

template <class C>
void check_piece(const ConvParam& p)
{
    check_by_parts<C>(p, channels_last, Needs::nothing);
}

ConvParam image(long_index_t g,
                long_index_t n,
                long_index_t k,
                long_index_t c,
                const Lengths& filter,
                const Lengths& input,
                const Lengths& stride   = {1, 1},
                const Lengths& dilation = {1, 1},
                const Lengths& low      = {1, 1},
                const Lengths& high     = {1, 2})
{
    return ConvParam(2, g, n, k, c, filter, input, stride, dilation, low, high);
}
ConvParam line(long_index_t g, long_index_t k, long_index_t c, long_index_t filter)
{
    return ConvParam(1,
                     g,
                     3,
                     k,
                     c,
                     Lengths{filter},
                     Lengths{150},
                     Lengths{1},
                     Lengths{1},
                     Lengths{filter / 2},
                     Lengths{filter / 3});
}
ConvParam planes(long_index_t g, long_index_t k, long_index_t c, const Lengths& stride)
{
    return ConvParam(3,
                     g,
                     2,
                     k,
                     c,
                     Lengths{3, 2, 3},
                     Lengths{5, 6, 7},
                     stride,
                     Lengths{1, 2, 1},
                     Lengths{1, 1, 0},
                     Lengths{1, 2, 2});
}

/// Checks groups of `multiple` channels of dY; strides and dilations that leave lines of
/// neighbours, or none.
template <GemmTuning t>
void check_groups(long_index_t multiple)
{
    using Image = Case<2, float, float, t>;
    check_piece<Image>(image(5, 3, multiple, 4, {3, 3}, {5, 7}));
    check_piece<Image>(image(3, 2, 2 * multiple, 12, {2, 5}, {4, 9}));
    check_piece<Image>(image(2, 1, 40, 64, {1, 3}, {5, 4})); // more pieces than threads
    check_piece<Image>(image(3, 2, 8, 8, {3, 2}, {9, 8}, {1, 2}, {1, 3}));
    check_piece<Case<1, float, float, t>>(line(4, 8, 4, 3));
    check_piece<Case<3, float, float, t>>(planes(3, 8, 8, {2, 1, 1}));
}

template <GemmTuning t>
void check_depthwise(long_index_t multiple)
{
    using Image = Case<2, float, float, t>;
    check_piece<Image>(image(7 * multiple, 3, 1, 1, {3, 3}, {5, 7}));
    check_piece<Image>(image(36, 1, 1, 1, {17, 5}, {19, 9}));
    check_piece<Image>(image(8, 2, 1, 1, {9, 13}, {6, 8}, {1, 1}, {1, 1}, {5, 6}, {4, 7}));
    check_piece<Image>(image(multiple, 2, 1, 1, {3, 4}, {8, 9}, {1, 2}, {1, 3}));
    check_piece<Case<1, float, float, t>>(line(3 * multiple, 1, 1, 31));
    check_piece<Case<3, float, float, t>>(planes(2 * multiple, 1, 1, {2, 1, 1}));
}

TEST(WeightOfSmallGroups, EightChannels) { check_groups<pieces(of_several, 8, 3, 2)>(8); }
TEST(WeightOfSmallGroups, FourChannels) { check_groups<pieces(of_several, 4, 3, 4)>(4); }
template <GemmTuning t>
void check_any_stride()
{
    check_groups<t>(4);
    check_piece<Case<2, float, float, t>>(image(3, 2, 4, 4, {3, 3}, {9, 8}, {2, 3}, {3, 2}));
    check_piece<Case<3, float, float, t>>(planes(3, 4, 8, {2, 3, 2}));
}
TEST(WeightOfSmallGroups, OneTap) { check_any_stride<pieces(of_several, 4, 1, 2)>(); }
TEST(WeightOfSmallGroups, OnePixel) { check_any_stride<pieces(of_several, 4, 3, 1)>(); }
TEST(WeightOfSmallGroups, FourOfOneChannel) { check_depthwise<pieces(of_one_channel, 4, 8, 4)>(4); }
TEST(WeightOfSmallGroups, OneOfOneChannel) { check_depthwise<pieces(of_one_channel, 1, 8, 2)>(1); }
TEST(WeightOfSmallGroups, OneChannelOneTap)
{
    constexpr GemmTuning t = pieces(of_one_channel, 2, 1, 4);
    check_depthwise<t>(2);
    check_piece<Case<2, float, float, t>>(image(6, 2, 1, 1, {3, 3}, {9, 8}, {2, 3}, {3, 2}));
    check_piece<Case<3, float, float, t>>(planes(54, 1, 1, {2, 2, 2}));
}

TEST(WeightOfSmallGroups, OtherTypes)
{
    constexpr GemmTuning t = tables::small_groups_weight(dot_f32_8x4x2_f16, of_several, 4, 3, 2);
    check_piece<Case<2, half_t, half_t, t>>(image(5, 3, 8, 4, {3, 3}, {5, 7}));
}

/// What is said of a problem, with tensors in an order.
template <GemmTuning t>
std::string refusal(const ConvParam& p, Order order = channels_last)
{
    return why_refused<Case<2, float, float, t>>(p, order);
}

TEST(WeightOfSmallGroups, IsRefusedElsewhere)
{
    constexpr GemmTuning of_groups = pieces(of_several, 8, 3, 2),
                         of_one    = pieces(of_one_channel, 4, 8, 4);
    const auto says                = [](const std::string& reason, const char* what) {
        EXPECT_NE(reason.find(what), std::string::npos)
            << "the reason is '" << reason << "', without '" << what << "'";
    };
    says(refusal<of_groups>(image(4, 1, 8, 6, {3, 3}, {5, 5})), "a group has 6 channels of X");
    says(refusal<of_groups>(image(4, 1, 12, 8, {3, 3}, {5, 5})), "a group has 12 channels of dY");
    says(refusal<of_groups>(image(2, 1, 72, 72, {3, 3}, {5, 5})), "up to 64");
    says(refusal<of_groups>(image(4, 1, 8, 8, {3, 3}, {5, 5}, {2, 2})),
         "neither along rows nor along columns");
    says(refusal<of_groups>(image(4, 1, 8, 8, {3, 3}, {5, 5}), groups_first), "groups of ");
    says(refusal<of_one>(image(4, 1, 2, 1, {3, 3}, {5, 5})), "a group has 1 channels of X and 2");
    says(refusal<of_one>(image(6, 1, 1, 1, {3, 3}, {5, 5})), "G is 6, not a multiple of 4");
}

} // namespace
} // namespace ck::test
