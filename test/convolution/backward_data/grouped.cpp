// Labels: not sanitized
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"

#include "convolution/grouped_operation.hpp"

namespace ck::test {
namespace {

/// dX = 2 * conv, for problems of one rank.
template <index_t rank, class T, GemmTuning tuning>
void expect_right(unsigned seed)
{
    using L         = Layouts<rank>;
    using Op        = tensor_operation::device::DeviceGroupedConvBwdDataImplicitGemm<rank,
                                                                              typename L::Output,
                                                                              typename L::Weight,
                                                                              Tuple<>,
                                                                              typename L::Input,
                                                                              T,
                                                                              T,
                                                                              Tuple<>,
                                                                              T,
                                                                              PassThrough,
                                                                              PassThrough,
                                                                              Scale,
                                                                              tuning>;
    using Reference = tensor_operation::host::
        ReferenceConvBwdData<rank, T, T, T, Scale, PassThrough, PassThrough>;
    expect_right_groups<true, 0, rank, T, Op, Reference>(seed, tuning, Scale{2.f});
}

using enum arch::Matrix;

TEST(BackwardDataGrouped, XdlInTwoDimensions)
{
    expect_right<2, half_t, small_tuning(mfma_f32_16x16x16_f16, 8, 8, Pipeline::single_buffer)>(11);
}
TEST(BackwardDataGrouped, DlInOneDimensionForAnyChannels)
{
    expect_right<1, half_t, dl_tuning(dot_f32_8x4x2_f16)>(13);
}

#if !defined(CK_LANGUAGE_HIP)
TEST(BackwardDataGrouped, MmaInThreeDimensions)
{
    expect_right<3, half_t, small_tuning(mma_f32_16x8x16_f16, 8, 8, Pipeline::async_copies)>(12);
}
TEST(BackwardDataGrouped, WgmmaWithOverlappedMultiplications)
{
    expect_right<3, bhalf_t, wgmma_tuning(wgmma_f32_16x8x16_bf16, 8)>(14);
}
#endif

} // namespace
} // namespace ck::test
