// Labels: not sanitized
#include "convolution/forward/expect_right.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

TEST(ForwardGrouped, XdlInTwoDimensions)
{
    expect_forward_right<2,
                         half_t,
                         small_tuning(mfma_f32_32x32x8_f16, 8, 8, Pipeline::single_buffer)>(1);
}
TEST(ForwardGrouped, XdlBf16InThreeDimensions)
{
    expect_forward_right<3,
                         bhalf_t,
                         small_tuning(mfma_f32_16x16x16_bf16_1k, 4, 4, Pipeline::double_buffer)>(2);
}
TEST(ForwardGrouped, WmmaInOneDimension)
{
    expect_forward_right<1,
                         half_t,
                         small_tuning(wmma_gfx11_f32_16x16x16_f16, 8, 8, Pipeline::single_buffer)>(
        3);
}
TEST(ForwardGrouped, DlInTwoDimensionsForAnyChannels)
{
    expect_forward_right<2, float, dl_tuning(dot_f32_8x4x1_f32)>(4);
}
constexpr GemmTuning merged(GemmTuning t)
{
    t.reduction = Reduction::merged;
    return t;
}
TEST(ForwardGrouped, DlWithMergedReductionInOneDimension)
{
    expect_forward_right<1, float, merged(dl_tuning(dot_f32_8x4x1_f32, Pipeline::double_buffer))>(
        6);
}
#if !defined(CK_LANGUAGE_HIP)
TEST(ForwardGrouped, MmaWithAsynchronousCopies)
{
    expect_forward_right<2,
                         half_t,
                         small_tuning(mma_f32_16x8x16_f16, 8, 8, Pipeline::async_copies)>(5);
}
#endif

} // namespace
} // namespace ck::test
