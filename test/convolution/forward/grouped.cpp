// Labels: not sanitized
#include "convolution/grouped.hpp"

#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"

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
    const Bilinear bilinear{2.f, .5f};
    int ran = 0;
    for(const ConvParam& p : problems(rank, std::max(tuning.a_vector, tuning.c_vector), seed, 5))
    {
        SCOPED_TRACE(testing::Message() << p);
        Mirrored<T> x(
            utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<typename L::Input>(p));
        Mirrored<T> w(
            utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<typename L::Weight>(p));
        Mirrored<T> y(
            utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<typename L::Output>(
                p));
        Mirrored<T> d(y.host.mDesc);
        x.fill_with_integers(), w.fill_with_integers(), d.fill_with_integers(), y.fill_with_nan();
        const auto y_lengths = array_of<rank>(y.host.GetLengths()),
                   y_strides = array_of<rank>(y.host.GetStrides());
        Op op;
        const auto argument = op.MakeArgumentPointer(x.device.GetDeviceBuffer(),
                                                     w.device.GetDeviceBuffer(),
                                                     {d.device.GetDeviceBuffer()},
                                                     y.device.GetDeviceBuffer(),
                                                     array_of<rank>(x.host.GetLengths()),
                                                     array_of<rank>(x.host.GetStrides()),
                                                     array_of<rank>(w.host.GetLengths()),
                                                     array_of<rank>(w.host.GetStrides()),
                                                     {y_lengths},
                                                     {y_strides},
                                                     y_lengths,
                                                     y_strides,
                                                     array_of<rank>(p.conv_filter_strides_),
                                                     array_of<rank>(p.conv_filter_dilations_),
                                                     array_of<rank>(p.input_left_pads_),
                                                     array_of<rank>(p.input_right_pads_),
                                                     {},
                                                     {},
                                                     bilinear);
        CK_SKIP_WITHOUT(Op::Kernel::requirement, op.WhyNotSupported(argument.get()));
        ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
        op.MakeInvokerPointer()->Run(argument.get());
        const std::vector<T> got = y.result();

        Tensor<T> expected(y.host.mDesc);
        auto reference   = Reference::MakeInvoker();
        const auto plain = Reference::MakeArgument(x.host,
                                                   w.host,
                                                   expected,
                                                   p.conv_filter_strides_,
                                                   p.conv_filter_dilations_,
                                                   p.input_left_pads_,
                                                   p.input_right_pads_,
                                                   {},
                                                   {},
                                                   bilinear,
                                                   {},
                                                   {},
                                                   {d.host});
        reference.Run(plain);
        EXPECT_EQ(differences(got, expected.mData), 0u);
        ++ran;
    }
    EXPECT_EQ(ran, 5);
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
