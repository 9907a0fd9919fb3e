#include "ck/convolution/folded_width.hpp"

#include <gtest/gtest.h>

namespace ck::test {
namespace {

using L = long_index_t;

ConvProblem patches(L c, std::array<L, 2> filter, std::array<L, 2> input, std::array<L, 2> stride)
{
    return make_packed_problem<2>(1,
                                  2,
                                  8,
                                  c,
                                  {filter[0], filter[1]},
                                  {input[0], input[1]},
                                  {stride[0], stride[1]},
                                  {1, 1},
                                  {0, 0},
                                  {0, 0});
}

TEST(FoldWidth, PixelsOfAWindowAreOne)
{
    const ConvProblem p = patches(3, {4, 4}, {8, 12}, {4, 4}), r = fold_width(p, true);
    EXPECT_EQ(r.in_channels, 12);
    EXPECT_EQ(r.input, (Spatial{1, 8, 3}));
    EXPECT_EQ(r.filter, (Spatial{1, 4, 1}));
    EXPECT_EQ(r.stride, (Spatial{1, 4, 1}));
    EXPECT_EQ(r.output(), p.output());
    EXPECT_EQ(r.input_strides[5], 12);
    EXPECT_EQ(r.input_strides[4], 36);
    EXPECT_EQ(r.filter_strides[4], 12);
    EXPECT_EQ(r.output_strides, p.output_strides);
    EXPECT_EQ(flops(r), flops(p));
}

TEST(FoldWidth, OneChannelThatIsAPixel)
{
    const ConvProblem p = patches(1, {2, 8}, {8, 16}, {1, 8});
    EXPECT_EQ(fold_width(p, true).in_channels, 8);
}

TEST(FoldWidth, ColumnsThatNoWindowHas)
{
    const ConvProblem p = patches(3, {4, 4}, {8, 14}, {4, 4});
    EXPECT_EQ(fold_width(p, false).input[2], 3);
    EXPECT_EQ(fold_width(p, true).in_channels, 3); // dX has zeros there
}

TEST(FoldWidth, OtherProblemsStay)
{
    const ConvProblem p = patches(3, {4, 4}, {8, 12}, {4, 4});
    const auto stays    = [](const ConvProblem& other) {
        return fold_width(other, false).in_channels == other.in_channels;
    };
    EXPECT_FALSE(stays(p));
    EXPECT_TRUE(stays(patches(8, {4, 4}, {8, 12}, {4, 4}))); // long vectors as they are
    EXPECT_TRUE(stays(patches(3, {4, 4}, {8, 12}, {4, 2}))); // windows overlap
    EXPECT_TRUE(stays(patches(3, {4, 2}, {8, 12}, {4, 4}))); // or have gaps between them
    EXPECT_TRUE(stays(patches(3, {4, 1}, {8, 12}, {4, 1})));
    const auto with = [&](auto change) {
        ConvProblem q = p;
        change(q);
        return q;
    };
    EXPECT_TRUE(stays(with([](ConvProblem& q) { q.pad_low[2] = 4; })));
    EXPECT_TRUE(stays(with([](ConvProblem& q) { q.dilation[2] = 2; })));
    EXPECT_TRUE(stays(with([](ConvProblem& q) { q.input_strides[5] = 4; })));
    EXPECT_TRUE(stays(with([](ConvProblem& q) { q.filter_strides[2] = 16; })));
    EXPECT_TRUE(stays(make_packed_problem<2>(
        2, 2, 8, 3, {4, 4}, {8, 12}, {4, 4}, {1, 1}, {0, 0}, {0, 0}))); // groups between pixels
}

} // namespace
} // namespace ck::test
