// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/measured_time.hpp"

#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

constexpr GemmTuning tuning(arch::Matrix instruction, Pipeline pipeline)
{
    return {.block_tile  = {128, 64, 64},
            .wave_m      = 16,
            .wave_n      = 64,
            .instruction = instruction,
            .a_vector    = 8,
            .b_vector    = 8,
            .c_vector    = 8,
            .pipeline    = pipeline,
            .stages      = 4};
}
constexpr GemmTuning of_maps = tuning(arch::Matrix::wgmma_f32_16x8x16_f16, Pipeline::tensor_maps),
                     of_amd  = tuning(arch::Matrix::mfma_f32_32x32x8_f16, Pipeline::double_buffer);

/// Forward of 1x1, f16, over what moved_bytes() says.
double weight(long_index_t k, long_index_t c)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 8, k, c, {1, 1}, {28, 28}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    constexpr ElementBytes halves{2, 2, 2};
    return weighted_bytes<ForwardDirection>(p, halves) / moved_bytes<ForwardDirection>(p, halves);
}

TEST(MeasuredTime, LinesAreOfNvidiaAlone)
{
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
