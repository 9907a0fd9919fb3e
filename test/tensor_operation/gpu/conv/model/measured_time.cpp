// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/measured_time.hpp"

#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"

#include <gtest/gtest.h>

#include "tables/wgmma.hpp"
#include "tables/xdl.hpp"

namespace ck::tensor_operation::device::measured_time {
namespace {

constexpr GemmTuning of_maps =
                         tables::wgmma<Direction::forward, arch::Matrix::wgmma_f32_16x8x16_f16>[0],
                     of_amd = tables::xdl<Direction::forward, tables::xdl_f16>[0];

/// Returns weighted bytes over moved ones: forward of 1x1, f16.
double weight(long_index_t k, long_index_t c)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 8, k, c, {1, 1}, {28, 28}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    constexpr ElementBytes halves{2, 2, 2};
    return weighted_bytes<ForwardDirection>(p, halves) / moved_bytes<ForwardDirection>(p, halves);
}

TEST(MeasuredTime, LinesAreOfNvidiaAlone)
{
    ASSERT_EQ(of_maps.pipeline, Pipeline::tensor_maps);
    EXPECT_GT(line_of(of_maps, Computed::y, false).start, 0);
    for(const Computed c : {Computed::y, Computed::dx, Computed::dw})
    {
        EXPECT_EQ(line_of(of_amd, c, false).at(1234), 1234);
        EXPECT_FALSE(weighs_bytes(of_amd, c == Computed::dw));
    }
    EXPECT_TRUE(weighs_bytes(of_maps, false));
    EXPECT_FALSE(weighs_bytes(of_maps, true));
}

TEST(MeasuredTime, PartialsAreAddedUpByAnotherLaunch)
{
    constexpr GemmTuning of_channel_slices =
        tables::channel_slice_weight<arch::Matrix::wgmma_f32_16x8x16_f16>[0];
    const Line line = line_of(of_channel_slices, Computed::dw, true);
    EXPECT_GT(line.at(1000, true), line.at(1000, false));
    EXPECT_EQ(line_of(of_maps, Computed::y, false).at(1000, true),
              line_of(of_maps, Computed::y, false).at(1000));
}

TEST(MeasuredTime, RowsThatBeginWithinALineTakeLonger)
{
    EXPECT_EQ(weight(64, 64), 1);
    EXPECT_GT(weight(96, 64), 1.05);
    EXPECT_GT(weight(40, 64), weight(96, 64));
    EXPECT_GT(weight(64, 72), 1.05);
    EXPECT_LT(weight(40, 72), 1.4);
}

TEST(MeasuredTime, BytesTakeLongerThanModelsOfHalvesSay)
{
    const auto channel_slices = [](const GemmTuning& t) {
        return line_of(t, Computed::y, true).at(1000);
    };
    EXPECT_EQ(channel_slices(tables::channel_slices<arch::Matrix::wgmma_f32_16x8x16_f16>[0]), 1000);
    EXPECT_GT(channel_slices(tables::i8_channel_slices[0]), 1000);
    EXPECT_GT(channel_slices(tables::e4m3_channel_slices[0]),
              channel_slices(tables::i8_channel_slices[0]));
    // Windows: of int8 half a word at a time takes longer than whole words, of e4m3, whose
    // conversions count, it does not; with strides both take longer still.
    GemmTuning t{};
    t.window         = {.y = 3, .x = 3};
    const auto check = [&]<class T>(T, bool half_longer) {
        t.a_vector         = 4;
        const double words = windows_longer_for<T>(t);
        t.a_vector         = 2;
        const double half  = windows_longer_for<T>(t);
        t.window.stride    = 2;
        EXPECT_GT(words, 1);
        EXPECT_GT(half, 1);
        EXPECT_EQ(half > words, half_longer);
        EXPECT_GT(windows_longer_for<T>(t), half);
        t.window.stride = 1;
    };
    check(std::int8_t{}, true);
    check(f8_ocp_t{}, false);
    EXPECT_EQ(windows_longer_for<half_t>(t), 1);
    EXPECT_EQ(direct_longer_for<half_t>(), 1);
    EXPECT_GT(direct_longer_for<f8_ocp_t>(), direct_longer_for<std::int8_t>());
}

} // namespace
} // namespace ck::tensor_operation::device::measured_time
