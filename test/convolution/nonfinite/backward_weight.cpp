// Backward weight, a kernel of each engine.
//
// Labels: emulated on two targets, not sanitized
#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;
using enum Pipeline;

TEST(NonFiniteBackwardWeight, Dl)
{
    check_weight<half_t, tuning_of(dot_f32_8x4x2_f16, single_buffer, 2)>(channels_of(2));
}
TEST(NonFiniteBackwardWeight, DlFloats)
{
    check_weight<float, tuning_of(dot_f32_8x4x1_f32, double_buffer, 1)>(channels_of(1));
}
TEST(NonFiniteBackwardWeight, Xdl)
{
    check_weight<bhalf_t, tuning_of(mfma_f32_16x16x16_bf16_1k, double_buffer, 4)>(channels_of(4));
}
TEST(NonFiniteBackwardWeight, Wmma)
{
    check_weight<half_t, tuning_of(wmma_gfx11_f32_16x16x16_f16, double_buffer, 4)>(channels_of(4));
}
TEST(NonFiniteBackwardWeight, GroupsAsOne)
{
    check_weight<half_t, tuning_of(dot_f32_8x4x2_f16, double_buffer, 1)>(
        problems_of_small_groups());
}
#if !defined(CK_LANGUAGE_HIP)
TEST(NonFiniteBackwardWeight, Mma)
{
    check_weight<half_t, tuning_of(mma_f32_16x8x16_f16, single_buffer, 4)>(channels_of(4));
}
TEST(NonFiniteBackwardWeight, MmaWithAsynchronousCopies)
{
    check_weight<half_t, tuning_of(mma_f32_16x8x16_f16, async_copies, 8)>(channels_of(8));
}
TEST(NonFiniteBackwardWeight, Tf32)
{
    check_weight<float, tuning_of(mma_f32_16x8x8_tf32, double_buffer, 4), tf32_t>(channels_of(4));
}
#endif

} // namespace
} // namespace ck::test
