// The model of channel-slice windows, against predictions of the emulator's timing model.
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_window/cost.hpp"

#include <gtest/gtest.h>

#include "tables/channel_slice_windows.hpp"
#include <cmath>

namespace ck::tensor_operation::device::channel_slice_window_time {
namespace {

/// A row, what it is launched with, and the cycles that it takes on gfx942, of 304 compute units.
struct Timed
{
    GemmTuning tuning;
    ChannelSliceWindowLaunch launch;
    double cycles;
};
constexpr GemmTuning
row(index_t channels, index_t taps, index_t pixels, index_t waves, index_t room, index_t blocks)
{
    return tables::channel_slice_windows(
        arch::Matrix::mfma_f32_16x16x16_f16, channels, taps, pixels, waves, room, blocks);
}
constexpr GemmTuning three = row(16, 9, 256, 8, 324, 2), small = row(16, 9, 64, 4, 108, 3),
                     five = row(16, 25, 256, 8, 400, 1), wide = row(32, 9, 128, 8, 180, 2);
// Two rows of each problem follow each other, first the one that is faster.
constexpr Timed pairs[]{
    // 128 images of 56x56, 32 groups of 4 channels, 3x3
    {three, {8192, 14, 2, 9, 324, 205530112}, 111154},
    {small, {25088, 28, 3, 9, 100, 205530112}, 146773},
    // 128 images of 14x14, 32 groups of 16 channels, 3x3
    {three, {2048, 4, 2, 9, 324, 51527680}, 37895},
    {five, {2048, 7, 1, 9, 324, 51527680}, 45804},
    // 64 lines of 1000, 32 groups of 8 channels, 9 taps
    {three, {2048, 4, 2, 9, 264, 65572864}, 35193},
    {five, {2048, 7, 1, 9, 264, 65572864}, 43468},
};
constexpr Timed others[]{
    // 64 images of 28x28, 32 groups of 8 channels, 5x5
    {five, {2048, 7, 1, 25, 400, 51482624}, 76644},
    // one image of 14x14, 32 groups of 16 channels, 3x3: the first is predicted to be slower
    {small, {64, 1, 1, 9, 100, 548864}, 13224},
    {three, {16, 1, 1, 9, 324, 548864}, 14624},
    // 128 images of 14x14, 32 groups of 32 channels, 3x3
    {wide, {8192, 14, 2, 9, 180, 103350272}, 118640},
};

double predict(const Timed& l)
{
    constexpr index_t compute_units = 304;
    return predicted_time(l.tuning, l.launch, compute_units);
}
void expect_near(const Timed& l) { EXPECT_NEAR(std::log(predict(l) / l.cycles), 0, std::log(1.2)); }

TEST(ChannelSliceWindowTime, IsThatOfTheTimingModel)
{
    for(const Timed& l : pairs)
        expect_near(l);
    for(const Timed& l : others)
        expect_near(l);
}
TEST(ChannelSliceWindowTime, TellsTheFasterRow)
{
    for(std::size_t i = 0; i < std::size(pairs); i += 2)
        EXPECT_LT(predict(pairs[i]), predict(pairs[i + 1])) << "pair " << i / 2;
}

} // namespace
} // namespace ck::tensor_operation::device::channel_slice_window_time
