// Image to column and back on random problems: strides, dilations, uneven pads, groups, odd
// channels, memory with gaps and with channels first.
//
// Labels: emulated on one target
// Cases not sanitized: ColumnToImage.IsTheReferences
#include "convolution/rearrange/rearrange.hpp"

namespace ck::test {
namespace {

template <class Way>
void expect_all_right()
{
    expect_right<Way, 1, float, 1>(1);
    expect_right<Way, 2, float, 1>(2);
    expect_right<Way, 3, float, 1>(3, 4);
    expect_right<Way, 2, float, 4>(4);
    expect_right<Way, 1, half_t, 8>(5);
    expect_right<Way, 2, half_t, 2>(6);
    expect_right<Way, 3, bhalf_t, 4>(7, 4);
    expect_right<Way, 2, bhalf_t, 1>(8);
    expect_right<Way, 2, std::int8_t, 1>(9);
    expect_right<Way, 3, std::int8_t, 4>(10, 4);
}

TEST(ImageToColumn, IsTheReferences) { expect_all_right<ImageToColumn>(); }
TEST(ColumnToImage, IsTheReferences) { expect_all_right<ColumnToImage>(); }

/// Fractions overlap: the order in which they are added decides the result.
TEST(ColumnToImage, AddsUpInTheReferencesOrder)
{
    const ConvParam p(2, 2, 3, 1, 5, {3, 3}, {9, 8}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    expect_right<ColumnToImage, 2, float, 1>(p, Placement::packed, true);
    expect_right<ColumnToImage, 2, half_t, 1>(p, Placement::gaps, true);
}

/// These are corners that draws may miss.
TEST(Rearrange, TakesCornersOfTheLattice)
{
    for(const ConvParam& p :
        {ConvParam(2, 1, 2, 1, 3, {2, 2}, {4, 5}, {5, 7}, {1, 1}, {0, 0}, {3, 3}), // strides beyond
         ConvParam(2, 1, 1, 1, 1, {5, 5}, {3, 3}, {1, 1}, {1, 1}, {2, 2}, {2, 2}), // long filters
         ConvParam(2, 2, 1, 1, 2, {1, 1}, {4, 4}, {1, 1}, {3, 3}, {0, 0}, {0, 0}), // 1x1
         ConvParam(2, 1, 2, 1, 2, {2, 3}, {9, 9}, {2, 4}, {4, 2}, {3, 0}, {1, 5}),
         ConvParam(2, 1, 1, 1, 2, {3, 3}, {8, 8}, {1, 1}, {1, 1}, {-2, 1}, {1, -3}), // crops
         ConvParam(2, 1, 2, 1, 2, {3, 3}, {2, 2}, {1, 1}, {2, 2}, {0, 0}, {0, 0}),   // no windows
         ConvParam(2, 3, 0, 1, 2, {3, 3}, {4, 4}, {1, 1}, {1, 1}, {1, 1}, {1, 1})})  // no images
    {
        expect_right<ImageToColumn, 2, float, 1>(p, Placement::packed);
        expect_right<ColumnToImage, 2, float, 1>(p, Placement::packed);
    }
}

} // namespace
} // namespace ck::test
