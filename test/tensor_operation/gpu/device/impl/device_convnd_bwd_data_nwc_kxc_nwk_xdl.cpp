// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_nwc_kxc_nwk_xdl.hpp"

#include "ck/host_utility/device_prop.hpp"

#include "tensor_operation/gpu/device/impl/positional.hpp"

namespace ck::test::of_device_convnd_bwd_data_nwc_kxc_nwk_xdl {

namespace {

template <class T,
          ConvolutionBackwardDataSpecialization specialization,
          index_t k1,
          index_t a,
          index_t b,
          index_t c,
          index_t rank = 2>
using Xdl       = tensor_operation::device::DeviceConvNdBwdDataNwcKxcNwk_Xdl<rank,
                                                                       T,
                                                                       T,
                                                                       T,
                                                                       float,
                                                                       PassThrough,
                                                                       PassThrough,
                                                                       PassThrough,
                                                                       specialization,
                                                                       256,
                                                                       128,
                                                                       64,
                                                                       4,
                                                                       k1,
                                                                       32,
                                                                       32,
                                                                       2,
                                                                       1,
                                                                       S<4, 64, 1>,
                                                                       S<1, 0, 2>,
                                                                       S<1, 0, 2>,
                                                                       2,
                                                                       a,
                                                                       k1,
                                                                       true,
                                                                       S<4, 64, 1>,
                                                                       S<2, 0, 1>,
                                                                       S<0, 2, 1>,
                                                                       1,
                                                                       b,
                                                                       2,
                                                                       true,
                                                                       7,
                                                                       c>;
using Default16 = Xdl<half_t, any_filter, 8, 8, 4, 1>;
using Special16 = Xdl<half_t, filter_1x1, 8, 8, 4, 1>;
using Default32 = Xdl<float, any_filter, 4, 4, 2, 4, 3>;
using Scalar16  = Xdl<bhalf_t, any_filter, 8, 1, 1, 1, 1>;

} // namespace

TEST(Xdl, TuningIsWhatThePositionsSay)
{
    EXPECT_TRUE(equal(tuning<Default16>,
                      {.block_tile  = {128, 64, 32},
                       .wave_m      = 64,
                       .wave_n      = 32,
                       .instruction = arch::Matrix::mfma_f32_32x32x8_f16,
                       .a_vector    = 8,
                       .b_vector    = 4,
                       .c_vector    = 1}));
    EXPECT_TRUE(equal(tuning<Default32>,
                      {.block_tile  = {128, 64, 16},
                       .wave_m      = 64,
                       .wave_n      = 32,
                       .instruction = arch::Matrix::mfma_f32_32x32x2_f32,
                       .a_vector    = 4,
                       .b_vector    = 2,
                       .c_vector    = 4}));
    EXPECT_EQ(tuning<Scalar16>.instruction, arch::Matrix::mfma_f32_32x32x8_bf16_1k);
    using tensor_operation::device::positional::xdl_instruction;
    EXPECT_EQ((xdl_instruction<half_t, half_t, 16, 16>()), arch::Matrix::mfma_f32_16x16x16_f16);
    EXPECT_EQ((xdl_instruction<bhalf_t, bhalf_t, 16, 16>()),
              arch::Matrix::mfma_f32_16x16x16_bf16_1k);
    EXPECT_EQ((xdl_instruction<bf8_t, f8_t, 16, 16>()), arch::Matrix::mfma_f32_16x16x32_bf8_fp8);
    EXPECT_EQ((xdl_instruction<f8_t, bf8_t, 32, 32>()), arch::Matrix::mfma_f32_32x32x16_fp8_bf8);
    EXPECT_EQ((xdl_instruction<std::int8_t, std::int8_t, 32, 32>()),
              arch::Matrix::mfma_i32_32x32x8_i8);
    EXPECT_EQ((xdl_instruction<float, float, 16, 16>()), arch::Matrix::mfma_f32_16x16x4_f32);
}

TEST(Xdl, TypeStringIsComposableKernels)
{
    EXPECT_EQ(Default16{}.GetTypeString(),
              "DeviceConvNdBwdDataNwcKxcNwk_Xdl<256, 128, 64, 4, 8, 2, 1, 8, 8, 4, 2>");
    EXPECT_EQ(Special16{}.GetTypeString(),
              "DeviceConvNdBwdDataNwcKxcNwk_Xdl<256, 128, 64, 4, 8, 2, 1, 8, 8, 4, 2> "
              "Filter1x1Stride1Pad0");
    EXPECT_EQ(Default32{}.GetTypeString(),
              "DeviceConvNdBwdDataNwcKxcNwk_Xdl<256, 128, 64, 4, 4, 2, 1, 4, 4, 2, 2>");
}

TEST(Xdl, SupportsByVectorsAndSpecialisation)
{
    if(!is_xdl_supported())
    {
        EXPECT_NE(why_not<Default16>({}).find("MFMA"), std::string::npos);
        return;
    }
    expect_vectors_checked<Default16>();
    expect_1x1_checked<Special16>();
}

} // namespace ck::test::of_device_convnd_bwd_data_nwc_kxc_nwk_xdl
