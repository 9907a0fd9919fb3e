// Labels: not sanitized
#include "convolution/grouped.hpp"

#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"

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
    const Scale twice{2.f};
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
        y.fill_with_integers(), w.fill_with_integers(), x.fill_with_nan();
        Op op;
        const auto argument = op.MakeArgumentPointer(y.device.GetDeviceBuffer(),
                                                     w.device.GetDeviceBuffer(),
                                                     {},
                                                     x.device.GetDeviceBuffer(),
                                                     array_of<rank>(y.host.GetLengths()),
                                                     array_of<rank>(y.host.GetStrides()),
                                                     array_of<rank>(w.host.GetLengths()),
                                                     array_of<rank>(w.host.GetStrides()),
                                                     {},
                                                     {},
                                                     array_of<rank>(x.host.GetLengths()),
                                                     array_of<rank>(x.host.GetStrides()),
                                                     array_of<rank>(p.conv_filter_strides_),
                                                     array_of<rank>(p.conv_filter_dilations_),
                                                     array_of<rank>(p.input_left_pads_),
                                                     array_of<rank>(p.input_right_pads_),
                                                     {},
                                                     {},
                                                     twice);
        CK_SKIP_WITHOUT(Op::Kernel::requirement, op.WhyNotSupported(argument.get()));
        ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
        op.MakeInvokerPointer()->Run(argument.get());
        const std::vector<T> got = x.result();

        Tensor<T> expected(x.host.mDesc);
        auto reference   = Reference::MakeInvoker();
        const auto plain = Reference::MakeArgument(expected,
                                                   w.host,
                                                   y.host,
                                                   p.conv_filter_strides_,
                                                   p.conv_filter_dilations_,
                                                   p.input_left_pads_,
                                                   p.input_right_pads_,
                                                   twice,
                                                   {},
                                                   {});
        reference.Run(plain);
        EXPECT_EQ(differences(got, expected.mData), 0u);
        ++ran;
    }
    EXPECT_EQ(ran, 5);
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
