// Labels: not sanitized, not on AMD
// The engine Wgmma in every direction, apart from the other engines: script/test runs this program
// without arguments.
#include "convolution/backward_data/expect_right.hpp"
#include "convolution/backward_weight/expect_right.hpp"
#include "convolution/forward/expect_right.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

TEST(Wgmma, ForwardWithOverlappedMultiplications)
{
    expect_forward_right<2, half_t, wgmma_tuning(wgmma_f32_16x8x16_f16, 8)>(6);
}
TEST(Wgmma, BackwardDataWithOverlappedMultiplications)
{
    expect_backward_data_right<3, bhalf_t, wgmma_tuning(wgmma_f32_16x8x16_bf16, 8)>(14);
}
TEST(Wgmma, BackwardWeightWithOverlappedMultiplications)
{
    expect_weight_right<Case<2, half_t, half_t, wgmma_tuning(wgmma_f32_16x8x16_f16, 4)>>(91, 8);
}

} // namespace
} // namespace ck::test
