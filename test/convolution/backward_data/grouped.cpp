// Labels: not sanitized
#include "convolution/backward_data/expect_right.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

TEST(BackwardDataGrouped, XdlInTwoDimensions)
{
    expect_backward_data_right<2,
                               half_t,
                               small_tuning(mfma_f32_16x16x16_f16, 8, 8, Pipeline::single_buffer)>(
        11);
}
TEST(BackwardDataGrouped, DlInOneDimensionForAnyChannels)
{
    expect_backward_data_right<1, half_t, dl_tuning(dot_f32_8x4x2_f16)>(13);
}

#if !defined(CK_LANGUAGE_HIP)
TEST(BackwardDataGrouped, MmaInThreeDimensions)
{
    expect_backward_data_right<3,
                               half_t,
                               small_tuning(mma_f32_16x8x16_f16, 8, 8, Pipeline::async_copies)>(12);
}
#endif

} // namespace
} // namespace ck::test
