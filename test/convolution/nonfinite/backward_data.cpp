// Backward data, a kernel of each engine.
//
// Labels: emulated on two targets, not sanitized
#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;
using enum Pipeline;

TEST(NonFiniteBackwardData, Dl)
{
    check<BackwardDataDirection, half_t, tuning_of(dot_f32_8x4x2_f16, single_buffer, 2)>(
        channels_of(2));
}
TEST(NonFiniteBackwardData, DlFloats)
{
    check<BackwardDataDirection, float, tuning_of(dot_f32_8x4x1_f32, double_buffer, 1)>(
        channels_of(1));
}
TEST(NonFiniteBackwardData, Xdl)
{
    check<BackwardDataDirection, bhalf_t, tuning_of(mfma_f32_16x16x16_bf16_1k, double_buffer, 4)>(
        channels_of(4));
}
TEST(NonFiniteBackwardData, Wmma)
{
    check<BackwardDataDirection, half_t, tuning_of(wmma_gfx11_f32_16x16x16_f16, double_buffer, 4)>(
        channels_of(4));
}
TEST(NonFiniteBackwardData, TapsAndChannelsInOne)
{
    check<BackwardDataDirection, half_t, merged(dot_f32_8x4x2_f16, 1, 1)>(channels_of(1));
}
TEST(NonFiniteBackwardData, GroupsAsOne)
{
    check<BackwardDataDirection, half_t, merged(dot_f32_8x4x2_f16, 4, 4)>(
        problems_of_small_groups());
}
TEST(NonFiniteBackwardData, GroupsAsOneXdl)
{
    check<BackwardDataDirection, half_t, merged(mfma_f32_16x16x16_f16, 4, 4)>(
        problems_of_small_groups());
}
TEST(NonFiniteBackwardData, GroupsAsOneWmma)
{
    check<BackwardDataDirection, bhalf_t, merged(wmma_gfx12_f32_16x16x16_bf16, 4, 4)>(
        problems_of_small_groups());
}
TEST(NonFiniteBackwardData, Depthwise)
{
    check<BackwardDataDirection, half_t, depthwise()>(depthwise_problems());
}
#if !defined(CK_LANGUAGE_HIP)
TEST(NonFiniteBackwardData, Mma)
{
    check<BackwardDataDirection, half_t, tuning_of(mma_f32_16x8x16_f16, single_buffer, 4)>(
        channels_of(4));
}
TEST(NonFiniteBackwardData, GroupsAsOneMma)
{
    check<BackwardDataDirection, half_t, merged(mma_f32_16x8x16_f16, 4, 4)>(
        problems_of_small_groups());
}
TEST(NonFiniteBackwardData, GroupsAsOneTf32)
{
    check<BackwardDataDirection, float, merged(mma_f32_16x8x8_tf32, 4, 4), tf32_t>(
        problems_of_small_groups());
}
TEST(NonFiniteBackwardData, MmaWithAsynchronousCopies)
{
    check<BackwardDataDirection, half_t, tuning_of(mma_f32_16x8x16_f16, async_copies, 8)>(
        channels_of(8));
}
TEST(NonFiniteBackwardData, Tf32)
{
    check<BackwardDataDirection, float, tuning_of(mma_f32_16x8x8_tf32, double_buffer, 4), tf32_t>(
        channels_of(4));
}
#endif

} // namespace
} // namespace ck::test
