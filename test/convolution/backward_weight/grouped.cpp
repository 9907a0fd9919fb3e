#include "convolution/grouped.hpp"

#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_implicit_gemm.hpp"

namespace ck::test {
namespace {

/// With exactly the workspace asked for.
template <index_t rank, class T, class Weight, GemmTuning tuning>
void expect_right(unsigned seed)
{
    using L         = Layouts<rank>;
    using Op        = tensor_operation::device::DeviceGroupedConvBwdWeightImplicitGemm<rank,
                                                                                typename L::Input,
                                                                                typename L::Weight,
                                                                                typename L::Output,
                                                                                T,
                                                                                Weight,
                                                                                T,
                                                                                PassThrough,
                                                                                PassThrough,
                                                                                PassThrough,
                                                                                tuning>;
    using Reference = tensor_operation::host::
        ReferenceConvBwdWeight<rank, T, Weight, T, PassThrough, PassThrough, PassThrough>;
    int ran = 0;
    for(const ConvParam& p : problems(rank, std::max(tuning.a_vector, tuning.c_vector), seed, 4))
        for(const index_t split : {1, 3, 64})
        {
            SCOPED_TRACE(testing::Message() << p << ", split_k " << split);
            Mirrored<T> x(
                utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<typename L::Input>(
                    p));
            Mirrored<Weight> w(
                utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<typename L::Weight>(
                    p));
            Mirrored<T> y(utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<
                          typename L::Output>(p));
            x.fill_with_integers(), y.fill_with_integers(), w.fill_with_nan();
            Op op;
            const auto argument = op.MakeArgumentPointer(x.device.GetDeviceBuffer(),
                                                         w.device.GetDeviceBuffer(),
                                                         y.device.GetDeviceBuffer(),
                                                         array_of<rank>(x.host.GetLengths()),
                                                         array_of<rank>(x.host.GetStrides()),
                                                         array_of<rank>(w.host.GetLengths()),
                                                         array_of<rank>(w.host.GetStrides()),
                                                         array_of<rank>(y.host.GetLengths()),
                                                         array_of<rank>(y.host.GetStrides()),
                                                         array_of<rank>(p.conv_filter_strides_),
                                                         array_of<rank>(p.conv_filter_dilations_),
                                                         array_of<rank>(p.input_left_pads_),
                                                         array_of<rank>(p.input_right_pads_),
                                                         {},
                                                         {},
                                                         {},
                                                         split);
            if(!arch::meets(current_target(), Op::Kernel::requirement))
            {
                EXPECT_NE(op.WhyNotSupported(argument.get()), "");
                ASSERT_FALSE(arch::emulated) << "the host has every engine";
                GTEST_SKIP() << op.WhyNotSupported(argument.get());
            }
            const std::size_t bytes = op.GetWorkSpaceSize(argument.get());
            EXPECT_TRUE(split != 1 || bytes == 0);
            DeviceMem workspace(bytes);
            workspace.SetValue(std::numeric_limits<float>::quiet_NaN());
            op.SetWorkSpacePointer(argument.get(), workspace.GetDeviceBuffer());
            ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
            op.MakeInvokerPointer()->Run(argument.get());
            const std::vector<Weight> got = w.result();

            Tensor<Weight> expected(w.host.mDesc);
            auto reference   = Reference::MakeInvoker();
            const auto plain = Reference::MakeArgument(x.host,
                                                       expected,
                                                       y.host,
                                                       p.conv_filter_strides_,
                                                       p.conv_filter_dilations_,
                                                       p.input_left_pads_,
                                                       p.input_right_pads_,
                                                       {},
                                                       {},
                                                       {});
            reference.Run(plain);
            EXPECT_EQ(differences(got, expected.mData), 0u);
            ++ran;
        }
    EXPECT_EQ(ran, 12);
}

using enum arch::Matrix;

TEST(BackwardWeight, XdlInTwoDimensions)
{
    expect_right<2,
                 half_t,
                 half_t,
                 small_tuning(mfma_f32_32x32x8_f16, 8, 4, Pipeline::single_buffer)>(21);
}
TEST(BackwardWeight, XdlBf16WithFloatWeightsInThreeDimensions)
{
    expect_right<3,
                 bhalf_t,
                 float,
                 small_tuning(mfma_f32_16x16x16_bf16_1k, 4, 4, Pipeline::double_buffer)>(22);
}
TEST(BackwardWeight, MmaWithAsynchronousCopies)
{
    expect_right<2,
                 half_t,
                 half_t,
                 small_tuning(mma_f32_16x8x16_f16, 8, 4, Pipeline::async_copies)>(23);
}
TEST(BackwardWeight, DlInOneDimensionForAnyChannels)
{
    expect_right<1, float, float, small_tuning(dot_f32_8x4x1_f32, 1, 1, Pipeline::single_buffer)>(
        24);
}
TEST(BackwardWeightTwoStage, WgmmaWithOverlappedMultiplications)
{
    expect_right<2, half_t, half_t, wgmma_tuning(wgmma_f32_16x8x16_f16, 4)>(25);
}

TEST(BackwardWeight, Int8WithSumsOfIntegers)
{
    constexpr GemmTuning tuning{.block_tile  = {32, 64, 64},
                                .wave_m      = 32,
                                .wave_n      = 32,
                                .instruction = mfma_i32_16x16x16_i8,
                                .a_vector    = 4,
                                .b_vector    = 4,
                                .c_vector    = 4};
    expect_right<2, std::int8_t, std::int32_t, tuning>(25);
}

} // namespace
} // namespace ck::test
