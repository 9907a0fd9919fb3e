// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/measured_time.hpp"

#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"

#include <gtest/gtest.h>

#include "tables/wgmma.hpp"
#include "tables/xdl.hpp"

namespace ck::tensor_operation::device {
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
    EXPECT_GT(line_of(of_maps, false, false).start, 0);
    for(const bool by_pixels : {false, true})
    {
        EXPECT_EQ(line_of(of_amd, by_pixels, false).at(1234), 1234);
        EXPECT_FALSE(weighs_bytes(of_amd, by_pixels));
    }
    EXPECT_TRUE(weighs_bytes(of_maps, false));
    EXPECT_FALSE(weighs_bytes(of_maps, true));
}

TEST(MeasuredTime, RowsThatBeginWithinALineTakeLonger)
{
    EXPECT_EQ(weight(64, 64), 1);
    EXPECT_GT(weight(96, 64), 1.05);
    EXPECT_GT(weight(40, 64), weight(96, 64));
    EXPECT_GT(weight(64, 72), 1.05);
    EXPECT_LT(weight(40, 72), 1.4);
}

} // namespace
} // namespace ck::tensor_operation::device
