// Predictions for dW of first layers: the times of an H200, with the rows that are made for them.
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/weight_cost.hpp"

#include <gtest/gtest.h>

#include "tables/mma.hpp"

namespace ck::tensor_operation::device::first_layer_weight_time {
namespace {

constexpr auto rows = tables::first_layer_weight_rows<arch::Matrix::mma_f32_16x8x16_f16>;

constexpr double multiprocessors = 132; // those of an H200

/// A launch of blocks that fill an H200, for this many pixels of dY.
double cycles(const GemmTuning& t, double pixels, double halo, double bytes, double more_bytes = 0)
{
    const double blocks = multiprocessors * t.min_blocks_per_cu;
    return predicted_time(t,
                          FirstLayerWeightLaunch{
                              blocks, pixels / blocks / t.block_tile.k, halo, 1, bytes, more_bytes},
                          static_cast<index_t>(multiprocessors));
}

/// 64 images of 224x224, 4 to 64 channels, 7x7, stride 2: 126 us, of which instructions need 39.
TEST(FirstLayerWeightTime, OfSevenTapsIsThatOfInstructions)
{
    const double pixels = 64. * 112 * 112, bytes = 2 * (pixels * 64 + 64. * 224 * 224 * 4),
                 time = cycles(rows[3], pixels, 38 * 21, bytes);
    EXPECT_GT(time, pixels / 16 * 28 * 4 * 1.6 / multiprocessors);
    EXPECT_NEAR(time / 1755, 126, 20);
    EXPECT_GT(cycles(rows[3], pixels, 38 * 21, bytes, 2e7), time + 6000);
}
/// 128 images, 3 to 32 channels, 3x3: 64 images take 50 us.
TEST(FirstLayerWeightTime, OfThreeTapsIsLongerThanThatOfMemory)
{
    const double pixels = 128. * 112 * 112, bytes = 2 * (pixels * 32 + 128. * 224 * 224 * 3);
    const double time = cycles(rows[0], pixels, 34 * 33, bytes);
    EXPECT_NEAR(time / 1755, 95, 12);
    EXPECT_GT(time, bytes / 2400);
    EXPECT_LT(time, .6 * cycles(rows[2], pixels, 34 * 17, bytes)) << "of 7x7";
}

} // namespace
} // namespace ck::tensor_operation::device::first_layer_weight_time
