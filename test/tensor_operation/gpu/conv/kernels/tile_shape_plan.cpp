// How tiles cut an image, and what their windows contain.
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/tile_shape_plan.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

ConvProblem image(long_index_t rows, long_index_t columns, long_index_t taps, long_index_t stride)
{
    const long_index_t pad = taps / 2;
    return make_packed_problem<2>(1,
                                  1,
                                  8,
                                  8,
                                  {taps, taps},
                                  {rows, columns},
                                  {stride, stride},
                                  {1, 1},
                                  {pad, pad},
                                  {pad, pad});
}
TileShape shape(const ConvProblem& p, index_t least_width, index_t room)
{
    return best_tile_shape(p, p.output_lengths(), 64, least_width, room);
}

TEST(TileShape, HasTheFewestTilesAndOfTheseTheFewestPixels)
{
    const TileShape square = shape(image(32, 32, 3, 1), 1, 1000);
    EXPECT_EQ(square.width, 8); // as many tiles as of 16x4 or 64x1, whose windows have more pixels
    EXPECT_EQ(square.pixels(), 10 * 10);
    EXPECT_EQ(square.segments.of_image(), 4 * 4);
    const TileShape row = shape(image(1, 100, 3, 1), 1, 1000);
    EXPECT_EQ(row.width, 64);
    EXPECT_EQ(row.segments.of_image(), 2);
    EXPECT_EQ(shape(image(14, 4, 3, 1), 1, 1000).width, 4);
}
TEST(TileShape, IsAtLeastSoWide) { EXPECT_EQ(shape(image(32, 32, 3, 1), 16, 1000).width, 16); }
TEST(TileShape, HasWholeMultiplesOfColumns)
{
    const ConvProblem strided = image(64, 64, 3, 2);
    EXPECT_EQ(best_tile_shape(strided, strided.output_lengths(), 64, 8, 1000, 2).pixels(), 18 * 17);
    EXPECT_EQ(best_tile_shape(strided, strided.output_lengths(), 64, 8, 18 * 17 - 1, 2).width, 0);
}
TEST(TileShape, FitsOrIsNone)
{
    const ConvProblem strided = image(64, 64, 3, 2);
    EXPECT_EQ(shape(strided, 1, 17 * 17).width, 8);
    EXPECT_EQ(shape(strided, 1, 17 * 17 - 1).width, 0);
}

} // namespace
} // namespace ck::tensor_operation::device
