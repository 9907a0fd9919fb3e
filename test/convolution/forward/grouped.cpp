// Labels: not sanitized
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"

#include "convolution/grouped_operation.hpp"

namespace ck::test {
namespace {

/// Y = 2 * conv + 0.5 * D with one residual, for problems of one rank.
template <index_t rank, class T, GemmTuning tuning>
void expect_right(unsigned seed)
{
    using L         = Layouts<rank>;
    using Op        = tensor_operation::device::DeviceGroupedConvFwdImplicitGemm<rank,
                                                                          typename L::Input,
                                                                          typename L::Weight,
                                                                          Tuple<typename L::Output>,
                                                                          typename L::Output,
                                                                          T,
                                                                          T,
                                                                          Tuple<T>,
                                                                          T,
                                                                          PassThrough,
                                                                          PassThrough,
                                                                          Bilinear,
                                                                          tuning>;
    using Reference = tensor_operation::host::
        ReferenceConvFwd<rank, T, T, T, PassThrough, PassThrough, Bilinear, 0, 0, 1>;
    expect_right_groups<false, 1, rank, T, Op, Reference>(seed, tuning, Bilinear{2.f, .5f});
}

using enum arch::Matrix;

TEST(ForwardGrouped, XdlInTwoDimensions)
{
    expect_right<2, half_t, small_tuning(mfma_f32_32x32x8_f16, 8, 8, Pipeline::single_buffer)>(1);
}
TEST(ForwardGrouped, XdlBf16InThreeDimensions)
{
    expect_right<3,
                 bhalf_t,
                 small_tuning(mfma_f32_16x16x16_bf16_1k, 4, 4, Pipeline::double_buffer)>(2);
}
TEST(ForwardGrouped, WmmaInOneDimension)
{
    expect_right<1,
                 half_t,
                 small_tuning(wmma_gfx11_f32_16x16x16_f16, 8, 8, Pipeline::single_buffer)>(3);
}
TEST(ForwardGrouped, DlInTwoDimensionsForAnyChannels)
{
    expect_right<2, float, dl_tuning(dot_f32_8x4x1_f32)>(4);
}
constexpr GemmTuning merged(GemmTuning t)
{
    t.reduction = Reduction::merged;
    return t;
}
TEST(ForwardGrouped, DlWithMergedReductionInOneDimension)
{
    expect_right<1, float, merged(dl_tuning(dot_f32_8x4x1_f32, Pipeline::double_buffer))>(6);
}
#if !defined(CK_LANGUAGE_HIP)
TEST(ForwardGrouped, MmaWithAsynchronousCopies)
{
    expect_right<2, half_t, small_tuning(mma_f32_16x8x16_f16, 8, 8, Pipeline::async_copies)>(5);
}
TEST(ForwardGrouped, WgmmaWithOverlappedMultiplications)
{
    expect_right<2, half_t, wgmma_tuning(wgmma_f32_16x8x16_f16, 8)>(6);
}
#endif

} // namespace
} // namespace ck::test
