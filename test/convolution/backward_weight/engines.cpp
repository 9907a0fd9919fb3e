#include "convolution/backward_weight/weight.hpp"

namespace ck::test {
namespace {

/// Random problems of both channel-last orders, each with several splits: more than there are
/// slices among them.
template <class C>
void expect_right(unsigned seed, index_t vector)
{
    typename C::Op op;
    int ran = 0, in_one_stage = 0;
    for(const Order order : {channels_last, groups_first})
        for(const ConvParam& p : problems(C::rank, vector, seed++, 3))
        {
            Tensors<C> t(p, order);
            const auto any = t.argument(1);
            CK_SKIP_WITHOUT(C::Op::Kernel::requirement, op.WhyNotSupported(&any));
            const auto expected = t.expected();
            for(const index_t split : {1, 2, 7, 1000, -1})
            {
                SCOPED_TRACE(testing::Message() << p << ", split_k " << split);
                t.w.fill_with_nan();
                const auto argument = t.argument(split);
                EXPECT_LE(argument.plan.split.parts, split == -1 ? 1000 : split);
                EXPECT_EQ(argument.plan.one_stage(), op.GetWorkSpaceSize(&argument) == 0);
                in_one_stage += argument.plan.one_stage();
                EXPECT_EQ(differences(computed(op, argument, t.w), expected), 0u);
                ++ran;
            }
        }
    EXPECT_EQ(ran, 30);
    EXPECT_GT(in_one_stage, 0);
    EXPECT_LT(in_one_stage, 30);
}

using enum arch::Matrix;
using enum Pipeline;

TEST(BackwardWeight, XdlInTwoDimensions)
{
    expect_right<Case<2, half_t, half_t, small_tuning(mfma_f32_32x32x8_f16, 8, 4, single_buffer)>>(
        21, 8);
}
TEST(BackwardWeight, XdlBf16WithFloatWeightsInThreeDimensions)
{
    expect_right<
        Case<3, bhalf_t, float, small_tuning(mfma_f32_16x16x16_bf16_1k, 4, 4, double_buffer)>>(31,
                                                                                               4);
}
TEST(BackwardWeight, XdlFloatInOneDimension)
{
    expect_right<Case<1, float, float, small_tuning(mfma_f32_32x32x2_f32, 2, 2, single_buffer)>>(41,
                                                                                                 2);
}
TEST(BackwardWeight, WmmaOfGfx11InThreeDimensions)
{
    expect_right<
        Case<3, half_t, half_t, small_tuning(wmma_gfx11_f32_16x16x16_f16, 4, 4, double_buffer)>>(51,
                                                                                                 4);
}
TEST(BackwardWeight, WmmaOfGfx12InOneDimension)
{
    expect_right<
        Case<1, bhalf_t, bhalf_t, small_tuning(wmma_gfx12_f32_16x16x16_bf16, 8, 8, single_buffer)>>(
        61, 8);
}
constexpr GemmTuning int8_tuning(arch::Matrix id)
{
    return {.block_tile  = {32, 64, 64},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = id,
            .a_vector    = 4,
            .b_vector    = 4,
            .c_vector    = 4};
}
TEST(BackwardWeight, XdlInt8WithIntegerWeights)
{
    expect_right<Case<2, std::int8_t, std::int32_t, int8_tuning(mfma_i32_16x16x16_i8)>>(101, 4);
}
TEST(BackwardWeight, WmmaInt8InThreeDimensions)
{
    expect_right<Case<3, std::int8_t, std::int8_t, int8_tuning(wmma_gfx11_i32_16x16x16_iu8)>>(111,
                                                                                              4);
}
TEST(BackwardWeight, DlInOneDimensionForAnyChannels)
{
    expect_right<Case<1, float, float, dl_tuning(dot_f32_8x4x1_f32)>>(81, 1);
}

#if !defined(CK_LANGUAGE_HIP)
TEST(BackwardWeight, MmaWithAsynchronousCopies)
{
    expect_right<Case<2, half_t, half_t, small_tuning(mma_f32_16x8x16_f16, 8, 4, async_copies)>>(71,
                                                                                                 8);
}
TEST(BackwardWeight, WgmmaWithOverlappedMultiplications)
{
    expect_right<Case<2, half_t, half_t, wgmma_tuning(wgmma_f32_16x8x16_f16, 4)>>(91, 8);
}
#endif

} // namespace
} // namespace ck::test
