// Labels: not sanitized
#include "ck/library/utility/error_bound.hpp"

#include "convolution/backward_weight/expect_right.hpp"
#include <cmath>

namespace ck::test {
namespace {

using enum arch::Matrix;
using enum Pipeline;

TEST(BackwardWeight, XdlInTwoDimensions)
{
    expect_weight_right<
        Case<2, half_t, half_t, small_tuning(mfma_f32_32x32x8_f16, 8, 4, single_buffer)>>(21, 8);
}
TEST(BackwardWeight, XdlBf16WithFloatWeightsInThreeDimensions)
{
    expect_weight_right<
        Case<3, bhalf_t, float, small_tuning(mfma_f32_16x16x16_bf16_1k, 4, 4, double_buffer)>>(31,
                                                                                               4);
}
TEST(BackwardWeight, XdlFloatInOneDimension)
{
    expect_weight_right<
        Case<1, float, float, small_tuning(mfma_f32_32x32x2_f32, 2, 2, single_buffer)>>(41, 2);
}
TEST(BackwardWeight, XdlOfGfx950InTwoDimensions)
{
    expect_weight_right<
        Case<2, bhalf_t, bhalf_t, small_tuning(mfma_f32_32x32x16_bf16, 8, 4, single_buffer)>>(21,
                                                                                              8);
}
/// Lines of `m`, and of n, elements along the rows of both operands, loaded straight to LDS.
constexpr GemmTuning to_lds(arch::Matrix id, Tile tile, index_t wave_m, index_t wave_n)
{
    return {.block_tile  = tile,
            .wave_m      = wave_m,
            .wave_n      = wave_n,
            .instruction = id,
            .a_vector    = 8,
            .b_vector    = 8,
            .c_vector    = 4,
            .pipeline    = async_copies};
}
TEST(BackwardWeight, StraightToLdsInTwoDimensions)
{
    expect_weight_right<
        Case<2, half_t, half_t, to_lds(mfma_f32_32x32x16_f16, {64, 128, 32}, 32, 64)>>(171, 8);
}
TEST(BackwardWeight, StraightToLdsBf16InThreeDimensions)
{
    expect_weight_right<
        Case<3, bhalf_t, float, to_lds(mfma_f32_16x16x32_bf16, {64, 256, 64}, 64, 64)>>(181, 8);
}
TEST(BackwardWeight, WmmaOfGfx11InThreeDimensions)
{
    expect_weight_right<
        Case<3, half_t, half_t, small_tuning(wmma_gfx11_f32_16x16x16_f16, 4, 4, double_buffer)>>(51,
                                                                                                 4);
}
TEST(BackwardWeight, WmmaOfGfx12InOneDimension)
{
    expect_weight_right<
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
    expect_weight_right<Case<2, std::int8_t, std::int32_t, int8_tuning(mfma_i32_16x16x16_i8)>>(101,
                                                                                               4);
}
TEST(BackwardWeight, WmmaInt8InThreeDimensions)
{
    expect_weight_right<
        Case<3, std::int8_t, std::int8_t, int8_tuning(wmma_gfx11_i32_16x16x16_iu8)>>(111, 4);
}
constexpr GemmTuning double_tuning(arch::Matrix id, index_t vector)
{
    return {.block_tile  = {32, 64, 16},
            .wave_m      = 16,
            .wave_n      = 32,
            .instruction = id,
            .a_vector    = vector,
            .b_vector    = vector,
            .c_vector    = vector};
}
using XdlDoubles = Case<2, double, double, double_tuning(mfma_f64_16x16x4_f64, 2)>;
using DlDoubles  = Case<3, double, double, double_tuning(dot_f64_8x4x1_f64, 1)>;
TEST(BackwardWeight, XdlDoublesInTwoDimensions) { expect_weight_right<XdlDoubles>(121, 2); }
TEST(BackwardWeight, DlDoublesInThreeDimensions) { expect_weight_right<DlDoubles>(131, 1); }

/// Sums and partial sums of decimals are rounded as doubles.
TEST(BackwardWeight, DoublesStayWithinTheErrorBound)
{
    using C = DlDoubles;
    const ConvParam p{
        3, 2, 3, 20, 9, {1, 2, 3}, {2, 6, 5}, {1, 1, 2}, {1, 2, 1}, {0, 1, 1}, {1, 0, 1}};
    Tensors<C> t(p, channels_last);
    for(auto* const tensor : {&t.x, &t.y}) // thirds of floats are none
    {
        tensor->host.GenerateTensorValue(GeneratorTensor_3<double>{-1, 1});
        for(double& value : tensor->host.mData)
            value /= 3;
        tensor->device.ToDevice(tensor->host.mData.data());
    }
    const std::vector<double> expected = t.expected();
    double length                      = static_cast<double>(p.N_);
    for(const long_index_t out : p.output_spatial_lengths_)
        length *= static_cast<double>(out);
    // Twice: what is expected was added up in double, too.
    const double bound = 2 * utils::error_bound<double, double, double>(length, length / 9);
    EXPECT_LT(bound, 1e-9);
    for(const index_t split : {1, 3, -1})
    {
        typename C::Op op;
        const auto argument = t.argument(split);
        EXPECT_TRUE(split == -1 || argument.plan.split.partial_sums == split);
        const std::vector<double> got = computed(op, argument, t.w);
        std::size_t rounded           = 0;
        for(std::size_t i = 0; i < got.size(); ++i)
        {
            ASSERT_LE(std::abs(got[i] - expected[i]), bound) << i << ", split_k " << split;
            rounded += got[i] != static_cast<double>(static_cast<float>(got[i]));
        }
        EXPECT_GT(rounded, 0u) << "all are floats";
    }
}
TEST(BackwardWeight, DlInOneDimensionForAnyChannels)
{
    expect_weight_right<Case<1, float, float, dl_tuning(dot_f32_8x4x1_f32)>>(81, 1);
}

#if !defined(CK_LANGUAGE_HIP)
TEST(BackwardWeight, MmaWithAsynchronousCopies)
{
    expect_weight_right<
        Case<2, half_t, half_t, small_tuning(mma_f32_16x8x16_f16, 8, 4, async_copies)>>(71, 8);
}
TEST(BackwardWeight, MmaDoublesInOneDimension)
{
    expect_weight_right<Case<1, double, double, double_tuning(mma_f64_8x8x4_f64, 2)>>(151, 2);
}
TEST(BackwardWeight, MmaDoublesOfSm90InTwoDimensions)
{
    expect_weight_right<Case<2, double, double, double_tuning(mma_f64_16x8x8_f64, 1)>>(161, 1);
}
#endif

} // namespace
} // namespace ck::test
