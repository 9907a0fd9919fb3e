// Problems made from the arguments of PyTorch's conv_transpose.
#include "ck/convolution/transposed_pytorch.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace ck {
namespace {

/// The arguments of a conv_transpose2d of two groups.
PyTorchConvTranspose arguments()
{
    return {.input          = {{3, 14, 4, 6}},
            .weight         = {{14, 5, 3, 2}},
            .stride         = {2, 3},
            .padding        = {1, 0},
            .output_padding = {1, 2},
            .groups         = 2,
            .dilation       = {1, 2}};
}

TEST(PyTorchConvTranspose, MakesTheProblem)
{
    const auto [p, valid] = make_conv_transpose(arguments());
    ASSERT_EQ(valid.reason, "");
    EXPECT_EQ(p.rank, 2);
    EXPECT_EQ(p.input_lengths(), (TensorLengths{2, 3, 7, 1, 4, 6}));
    EXPECT_EQ(p.filter_lengths(), (TensorLengths{2, 7, 5, 1, 3, 2}));
    EXPECT_EQ(p.output_lengths(), (TensorLengths{2, 3, 5, 1, 8, 20}));
    EXPECT_EQ(p.pad_high, p.pad_low);
    ConvTranspose contiguous = p;
    set_contiguous_strides(contiguous);
    EXPECT_EQ(p.input_strides, contiguous.input_strides);
    EXPECT_EQ(p.filter_strides, contiguous.filter_strides);
    EXPECT_EQ(p.output_strides, contiguous.output_strides);
}

TEST(PyTorchConvTranspose, TakesStridesOfOtherMemoryFormats)
{
    PyTorchConvTranspose a = arguments(); // channels_last
    a.input.strides        = {14 * 24, 1, 14 * 6, 14};
    a.weight.strides       = {30, 1, 10, 5};
    a.output_strides       = {10 * 160, 1, 10 * 20, 10};
    const auto [p, valid]  = make_conv_transpose(a);
    ASSERT_EQ(valid.reason, "");
    ConvTranspose last = p;
    set_packed_strides(last, PackedOrder::group_inside);
    for(const std::size_t d : {0, 1, 2, 4, 5}) // D is of length 1
    {
        EXPECT_EQ(p.input_strides[d], last.input_strides[d]) << d;
        EXPECT_EQ(p.filter_strides[d], last.filter_strides[d]) << d;
        EXPECT_EQ(p.output_strides[d], last.output_strides[d]) << d;
    }
}

TEST(PyTorchConvTranspose, OneAndThreeDimensions)
{
    const auto one = make_conv_transpose({.input          = {{2, 3, 5}},
                                          .weight         = {{3, 4, 3}},
                                          .stride         = {2},
                                          .padding        = {0},
                                          .output_padding = {0},
                                          .dilation       = {1}});
    ASSERT_EQ(one.valid.reason, "");
    EXPECT_EQ(one.problem.output_lengths(), (TensorLengths{1, 2, 4, 1, 1, 11}));
    const auto three = make_conv_transpose({.input          = {{20, 16, 10, 50, 100}},
                                            .weight         = {{16, 33, 3, 5, 2}},
                                            .stride         = {2, 1, 1},
                                            .padding        = {0, 4, 2},
                                            .output_padding = {0, 0, 0},
                                            .dilation       = {1, 1, 1}});
    ASSERT_EQ(three.valid.reason, "");
    EXPECT_EQ(three.problem.output_lengths(), (TensorLengths{1, 20, 33, 21, 46, 97}));
}

TEST(PyTorchConvTranspose, OutputSizeChoosesTheOutputPadding)
{
    PyTorchConvTranspose a = arguments();
    a.output_padding       = {};
    a.output_size          = {7, 19};
    const auto [p, valid]  = make_conv_transpose(a);
    ASSERT_EQ(valid.reason, "");
    EXPECT_EQ(p.output(), (Spatial{1, 7, 19}));
    EXPECT_EQ(p.output_padding, (Spatial{0, 0, 1}));
}

TEST(PyTorchConvTranspose, RefusalsNameTheValueAndTheRule)
{
    const struct
    {
        std::function<void(PyTorchConvTranspose&)> spoil;
        const char* reason;
    } cases[]{
        {[](auto& a) {
             a.input.lengths = {3, 14};
         },
         "the input tensor has 2 dimensions, but must have 3 to 5: N, Cin, [D,] [H,] W"},
        {[](auto& a) {
             a.weight.lengths = {14, 5, 3};
         },
         "there are 3 dimensions of the weight tensor, but the input makes it 4"},
        {[](auto& a) { a.input.strides = {1}; },
         "there are 1 strides of the input tensor, but the input makes it 4"},
        {[](auto& a) {
             a.weight.strides = {1, 2};
         },
         "there are 2 strides of the weight tensor, but the input makes it 4"},
        {[](auto& a) {
             a.output_strides = {1, 2, 3};
         },
         "there are 3 strides of the output tensor, but the input makes it 4"},
        {[](auto& a) { a.stride = {1}; }, "there are 1 values of stride, but the input makes it 2"},
        {[](auto& a) { a.padding = {}; },
         "there are 0 values of padding, but the input makes it 2"},
        {[](auto& a) { a.output_padding = {0}; },
         "there are 1 values of output_padding, but the input makes it 2"},
        {[](auto& a) {
             a.dilation = {1, 1, 1};
         },
         "there are 3 values of dilation, but the input makes it 2"},
        {[](auto& a) { a.groups = 0; }, "groups is 0, but must be at least 1"},
        {[](auto& a) { a.groups = 4; }, "Cin is 14, but must be a multiple of the 4 groups"},
        {[](auto& a) { a.weight.lengths[0] = 7; },
         "the first length of the weight tensor is 7, but must be the input's Cin, 14"},
        {[](auto& a) { a.output_padding[0] = 2; },
         "the output padding in H of a 2D transposed convolution is 2, but must be less than the "
         "stride, 2, or the dilation, 1"},
        {[](auto& a) {
             a.input.strides = {-1, 1, 1, 1};
         },
         "the stride of N of the input tensor is -1, but strides must not be negative"},
    };
    for(const auto& c : cases)
    {
        PyTorchConvTranspose a = arguments();
        c.spoil(a);
        EXPECT_EQ(make_conv_transpose(a).valid.reason, c.reason);
    }
}

} // namespace
} // namespace ck
