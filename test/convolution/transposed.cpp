// Transposed convolutions as problems: lengths, strides, the convolution from y to x, and refusals.
#include "ck/convolution/transposed.hpp"

#include <gtest/gtest.h>

#include "convolution/transposed_problems.hpp"
#include <functional>

namespace ck {
namespace {

/// A 2D problem with a stride of 2 in H and of 3 in W.
ConvTranspose example()
{
    ConvTranspose p;
    p.groups         = 2;
    p.batch          = 3;
    p.out_channels   = 5;
    p.in_channels    = 7;
    p.input          = {1, 4, 6};
    p.filter         = {1, 3, 2};
    p.stride         = {1, 2, 3};
    p.dilation       = {1, 1, 2};
    p.pad_low        = {0, 1, 0};
    p.pad_high       = {0, 1, 2};
    p.output_padding = {0, 1, 2};
    set_contiguous_strides(p);
    return p;
}

/// The output length of one dimension of a problem.
long_index_t output_of(long_index_t input,
                       long_index_t filter,
                       long_index_t stride,
                       long_index_t pad,
                       long_index_t output_padding = 0,
                       long_index_t dilation       = 1)
{
    ConvTranspose p;
    p.input[2]          = input;
    p.filter[2]         = filter;
    p.stride[2]         = stride;
    p.pad_low[2]        = pad;
    p.pad_high[2]       = pad;
    p.output_padding[2] = output_padding;
    p.dilation[2]       = dilation;
    return p.output()[2];
}

TEST(ConvTranspose, OutputLengthsAreThoseOfPyTorch)
{
    // The examples of PyTorch's manual: ConvTranspose2d, then 3d.
    EXPECT_EQ(output_of(50, 3, 2, 0), 101);
    EXPECT_EQ(output_of(100, 3, 2, 0), 201);
    EXPECT_EQ(output_of(50, 3, 2, 4), 93);
    EXPECT_EQ(output_of(100, 5, 1, 2), 100);
    EXPECT_EQ(output_of(6, 3, 2, 1), 11);
    EXPECT_EQ(output_of(6, 3, 2, 1, 1), 12);
    EXPECT_EQ(output_of(10, 3, 2, 0), 21);
    EXPECT_EQ(output_of(50, 5, 1, 4), 46);
    EXPECT_EQ(output_of(100, 2, 1, 2), 97);
    EXPECT_EQ(output_of(4, 3, 1, 0, 1, 2), 9)
        << "output padding of the dilation's, not the stride's";
}

TEST(ConvTranspose, TheConvolutionGoesFromYToX)
{
    const ConvTranspose p = example();
    EXPECT_EQ(p.output(), (Spatial{1, 8, 18}));
    const ConvProblem c = p.convolution();
    EXPECT_TRUE(validate(c));
    EXPECT_EQ(c.input_lengths(), p.output_lengths());
    EXPECT_EQ(c.filter_lengths(), p.filter_lengths());
    EXPECT_EQ(c.output_lengths(), p.input_lengths());
    EXPECT_EQ(c.input_strides, p.output_strides);
    EXPECT_EQ(c.filter_strides, p.filter_strides);
    EXPECT_EQ(c.output_strides, p.input_strides);
    EXPECT_EQ(c.pad_low, (Spatial{0, 1, 0}));
    EXPECT_EQ(c.pad_high, (Spatial{0, 0, 0})) << "output padding is taken from it";
}

TEST(ConvTranspose, OutputPaddingMayMakeTheRightPadACrop)
{
    ConvTranspose p     = example();
    p.pad_high          = {0, 0, 0};
    const ConvProblem c = p.convolution();
    EXPECT_EQ(c.pad_high, (Spatial{0, -1, -2}));
    EXPECT_EQ(c.output(), p.input);
}

TEST(ConvTranspose, AnyValidProblemHasAValidConvolutionOfItsLengths)
{
    std::mt19937 random(1);
    for(index_t rank = 1; rank <= 3; ++rank)
        for(int i = 0; i < 500; ++i)
        {
            const ConvTranspose p = test::random_transposed(rank, random);
            const ConvProblem c   = p.convolution();
            EXPECT_EQ(validate(c).reason, "") << test::text(p);
            EXPECT_EQ(c.output(), p.input) << test::text(p);
        }
}

TEST(ConvTranspose, DirectionsOfPasses)
{
    EXPECT_EQ(direction_of(TransposedPass::forward), Direction::backward_data);
    EXPECT_EQ(direction_of(TransposedPass::input_gradient), Direction::forward);
    EXPECT_EQ(direction_of(TransposedPass::filter_gradient), Direction::backward_weight);
    EXPECT_STREQ(name(TransposedPass::forward), "forward");
    EXPECT_STREQ(name(TransposedPass::input_gradient), "gradient of the input");
    EXPECT_STREQ(name(TransposedPass::filter_gradient), "gradient of the filter");
}

TEST(ConvTranspose, ContiguousStridesMergeGroupsAndChannels)
{
    const ConvTranspose p = example(); // x (3, 14, 4, 6), w (14, 5, 3, 2), y (3, 10, 8, 18)
    EXPECT_EQ(p.input_strides, (TensorStrides{7 * 24, 14 * 24, 24, 24, 6, 1}));
    EXPECT_EQ(p.filter_strides, (TensorStrides{7 * 30, 30, 6, 6, 2, 1}));
    EXPECT_EQ(p.output_strides, (TensorStrides{5 * 144, 10 * 144, 144, 144, 18, 1}));
}

TEST(ConvTranspose, PackedStridesAreChannelsLast)
{
    ConvTranspose p = example();
    set_packed_strides(p);
    EXPECT_EQ(p.input_strides, (TensorStrides{7, 24 * 14, 1, 24 * 14, 6 * 14, 14}));
    EXPECT_EQ(p.filter_strides, (TensorStrides{7 * 30, 30, 1, 30, 10, 5}));
    set_packed_strides(p, PackedOrder::group_first);
    EXPECT_EQ(p.output_strides, (TensorStrides{3 * 144 * 5, 144 * 5, 1, 144 * 5, 18 * 5, 5}));
}

TEST(ConvTranspose, RefusalsNameTheValueAndTheRule)
{
    const long_index_t big = long_index_t{1} << 31;
    const struct
    {
        std::function<void(ConvTranspose&)> spoil;
        const char* reason;
    } cases[]{
        {[](auto& p) { p.rank = 4; },
         "the transposed convolution has 4 spatial dimensions, but must have 1, 2 or 3"},
        {[](auto& p) { p.groups = 0; },
         "the number of groups G of a transposed convolution is 0, but must be at least 1"},
        {[](auto& p) { p.batch = -1; },
         "the number of images N of a transposed convolution is -1, but must be at least 0"},
        {[](auto& p) { p.out_channels = 0; },
         "the number of output channels K of a group of a transposed convolution is 0, but must be "
         "at least 1"},
        {[=](auto& p) { p.in_channels = big; },
         "the number of input channels C of a group of a transposed convolution is 2147483648, but "
         "must be below 2^31"},
        {[](auto& p) { p.input[1] = 0; },
         "the input length in H of a 2D transposed convolution is 0, but must be at least 1"},
        {[](auto& p) { p.filter[2] = 0; },
         "the filter length in W of a 2D transposed convolution is 0, but must be at least 1"},
        {[](auto& p) { p.stride[2] = 0; },
         "the stride in W of a 2D transposed convolution is 0, but must be at least 1"},
        {[](auto& p) { p.dilation[1] = -2; },
         "the dilation in H of a 2D transposed convolution is -2, but must be at least 1"},
        {[=](auto& p) { p.pad_low[1] = -big; },
         "the left pad in H of a 2D transposed convolution is -2147483648, but must be at least "
         "-2147483647"},
        {[=](auto& p) { p.pad_high[1] = big; },
         "the right pad in H of a 2D transposed convolution is 2147483648, but must be below 2^31"},
        {[](auto& p) { p.output_padding[1] = -1; },
         "the output padding in H of a 2D transposed convolution is -1, but must be at least 0"},
        {[](auto& p) { p.output_padding[1] = 2; },
         "the output padding in H of a 2D transposed convolution is 2, but must be less than the "
         "stride, 2, or the dilation, 1"},
        {[](auto& p) { p.output_padding[2] = 3; },
         "the output padding in W of a 2D transposed convolution is 3, but must be less than the "
         "stride, 3, or the dilation, 2"},
        {[=](auto& p) { p.pad_high[1] = 1 - big; },
         "the right pad less the output padding in H of a 2D transposed convolution is "
         "-2147483648, but must be at least -2147483647"},
        {[=](auto& p) { p.dilation[1] = big - 1; },
         "the dilated filter length in H of a 2D transposed convolution is 4294967295, but must be "
         "below 2^31"},
        {[=](auto& p) { p.input[1] = big - 1; },
         "the output length without pads in H of a 2D transposed convolution is 4294967295, but "
         "must be below 2^31"},
        {[](auto& p) { p.pad_low[1] = 9; },
         "the output length in H of a 2D transposed convolution is 0, but must be at least 1"},
        {[=](auto& p) { p.pad_low[1] = 1 - big; },
         "the output length in H of a 2D transposed convolution is 2147483656, but must be below "
         "2^31"},
        {[](auto& p) { p.input_strides[1] = -1; },
         "the stride of N of the input tensor is -1, but strides must not be negative"},
        {[](auto& p) { p.filter_strides[1] = -1; },
         "the stride of C of the filter tensor is -1, but strides must not be negative"},
        {[](auto& p) { p.output_strides[2] = -5; },
         "the stride of K of the output tensor is -5, but strides must not be negative"},
    };
    EXPECT_EQ(validate(example()).reason, "");
    for(const auto& c : cases)
    {
        ConvTranspose p = example();
        c.spoil(p);
        EXPECT_EQ(validate(p).reason, c.reason);
    }
}

TEST(ConvTranspose, AnEmptyBatchIsValid)
{
    ConvTranspose p = example();
    p.batch         = 0;
    EXPECT_TRUE(validate(p));
}

TEST(ConvTranspose, OutputLengthsChooseTheOutputPadding)
{
    ConvTranspose p = example(); // H 7 or 8, W 16 to 18
    for(long_index_t h = 7; h <= 8; ++h)
        for(long_index_t w = 16; w <= 18; ++w)
        {
            EXPECT_EQ(set_output(p, {1, h, w}).reason, "");
            EXPECT_EQ(p.output(), (Spatial{1, h, w}));
            EXPECT_TRUE(validate(p));
        }
    const struct
    {
        Spatial given;
        const char* reason;
    } refusals[]{{{1, 6, 16},
                  "the output length in H of a 2D transposed convolution is 6, but input, filter, "
                  "stride, dilation and pads make it at least 7 and at most 8"},
                 {{1, 7, 19},
                  "the output length in W of a 2D transposed convolution is 19, but input, filter, "
                  "stride, dilation and pads make it at least 16 and at most 18"},
                 {{2, 7, 16},
                  "the output length in D of a 2D transposed convolution is 2, but input, filter, "
                  "stride, dilation and pads make it at least 1 and at most 1"}};
    for(const auto& [given, reason] : refusals)
    {
        EXPECT_EQ(set_output(p, given).reason, reason);
        EXPECT_EQ(p.output(), (Spatial{1, 8, 18})) << "unchanged";
    }
}

} // namespace
} // namespace ck
