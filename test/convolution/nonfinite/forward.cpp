// Forward, a kernel of each engine.
//
// Labels: emulated on two targets, not sanitized
#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;
using enum Pipeline;

TEST(NonFiniteForward, Dl)
{
    check<ForwardDirection, half_t, tuning_of(dot_f32_8x4x2_f16, single_buffer, 2)>(channels_of(2));
}
TEST(NonFiniteForward, DlFloats)
{
    check<ForwardDirection, float, tuning_of(dot_f32_8x4x1_f32, double_buffer, 1)>(channels_of(1));
}
TEST(NonFiniteForward, Xdl)
{
    check<ForwardDirection, bhalf_t, tuning_of(mfma_f32_16x16x16_bf16_1k, double_buffer, 4)>(
        channels_of(4));
}
TEST(NonFiniteForward, Wmma)
{
    check<ForwardDirection, half_t, tuning_of(wmma_gfx11_f32_16x16x16_f16, double_buffer, 4)>(
        channels_of(4));
}
TEST(NonFiniteForward, TapsAndChannelsInOne)
{
    check<ForwardDirection, half_t, merged(dot_f32_8x4x2_f16, 1, 1)>(channels_of(1));
}
TEST(NonFiniteForward, GroupsAsOne)
{
    check<ForwardDirection, half_t, merged(dot_f32_8x4x2_f16, 4, 4)>(problems_of_small_groups());
}
TEST(NonFiniteForward, GroupsAsOneDoubles)
{
    check<ForwardDirection, double, merged(dot_f64_8x4x1_f64, 2, 2)>(problems_of_small_groups());
}
TEST(NonFiniteForward, GroupsAsOneXdl)
{
    check<ForwardDirection, half_t, merged(mfma_f32_16x16x16_f16, 4, 4)>(
        problems_of_small_groups());
}
TEST(NonFiniteForward, GroupsAsOneWmma)
{
    check<ForwardDirection, bhalf_t, merged(wmma_gfx12_f32_16x16x16_bf16, 4, 4)>(
        problems_of_small_groups());
}
TEST(NonFiniteForward, Depthwise)
{
    check<ForwardDirection, half_t, depthwise()>(depthwise_problems());
}
#if !defined(CK_LANGUAGE_HIP)
TEST(NonFiniteForward, Mma)
{
    check<ForwardDirection, half_t, tuning_of(mma_f32_16x8x16_f16, single_buffer, 4)>(
        channels_of(4));
}
TEST(NonFiniteForward, GroupsAsOneMma)
{
    check<ForwardDirection, half_t, merged(mma_f32_16x8x16_f16, 4, 4)>(problems_of_small_groups());
}
TEST(NonFiniteForward, GroupsAsOneTf32)
{
    check<ForwardDirection, float, merged(mma_f32_16x8x8_tf32, 4, 4), tf32_t>(
        problems_of_small_groups());
}
TEST(NonFiniteForward, MmaWithAsynchronousCopies)
{
    check<ForwardDirection, half_t, tuning_of(mma_f32_16x8x16_f16, async_copies, 8)>(
        channels_of(8));
}
TEST(NonFiniteForward, Tf32)
{
    check<ForwardDirection, float, tuning_of(mma_f32_16x8x8_tf32, double_buffer, 4), tf32_t>(
        channels_of(4));
}
#endif

} // namespace
} // namespace ck::test
