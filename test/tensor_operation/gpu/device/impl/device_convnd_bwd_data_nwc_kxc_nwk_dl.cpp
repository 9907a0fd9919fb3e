// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_nwc_kxc_nwk_dl.hpp"

#include "tensor_operation/gpu/device/impl/positional.hpp"

namespace ck::test::of_device_convnd_bwd_data_nwc_kxc_nwk_dl {

namespace {

template <class T,
          ConvolutionBackwardDataSpecialization specialization,
          index_t k1,
          index_t a_k0,
          index_t b,
          index_t c>
using Dl        = tensor_operation::device::DeviceConvNdBwdDataNwcKxcNwk_Dl<2,
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
                                                                     16,
                                                                     k1,
                                                                     4,
                                                                     4,
                                                                     1,
                                                                     S<8, 2>,
                                                                     S<4, 4>,
                                                                     S<8, 1, 1, k1>,
                                                                     S<2, 1, 128, 1>,
                                                                     S<1, 2, 0, 3>,
                                                                     S<1, 2, 0, 3>,
                                                                     S<a_k0, 1, 1, k1>,
                                                                     S<1, 2, 0, 3>,
                                                                     S<1, 1, 1, k1>,
                                                                     S<1, 1, 8, k1>,
                                                                     S<16, 1, 16, 1>,
                                                                     S<0, 3, 1, 2>,
                                                                     S<0, 3, 1, 2>,
                                                                     S<1, 1, b, 1>,
                                                                     S<0, 3, 1, 2>,
                                                                     S<1, 1, 1, k1>,
                                                                     S<0, 1, 2, 3, 4, 5>,
                                                                     5,
                                                                     c>;
using Default16 = Dl<half_t, any_filter, 2, 4, 8, 4>;
using Special32 = Dl<float, filter_1x1, 1, 4, 2, 4>;

} // namespace

TEST(Dl, TuningIsWhatThePositionsSay)
{
    // 16 x 16 threads of 8 x 4 elements of C; 8 x 4 lanes are a wave.
    EXPECT_TRUE(equal(tuning<Default16>,
                      {.block_tile  = {128, 64, 32},
                       .wave_m      = 64,
                       .wave_n      = 16,
                       .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                       .a_vector    = 8,
                       .b_vector    = 4, // 8 would be wider than the lanes along C's columns
                       .c_vector    = 4}));
    EXPECT_TRUE(equal(tuning<Special32>,
                      {.block_tile  = {128, 64, 16},
                       .wave_m      = 64,
                       .wave_n      = 16,
                       .instruction = arch::Matrix::dot_f32_8x4x1_f32,
                       .a_vector    = 4,
                       .b_vector    = 2,
                       .c_vector    = 4}));
    EXPECT_EQ(tensor_operation::device::positional::dl_instruction<bhalf_t>(),
              arch::Matrix::dot_f32_8x4x2_bf16);
    EXPECT_EQ(tensor_operation::device::positional::dl_instruction<std::int8_t>(),
              arch::Matrix::dot_i32_8x4x4_i8);
}

TEST(Dl, TypeStringIsComposableKernels)
{
    EXPECT_EQ(Default16{}.GetTypeString(), "DeviceConvNdBwdDataNwcKxcNwk_Dl<256, 128, 64, 16, 2>");
    EXPECT_EQ(Special32{}.GetTypeString(),
              "DeviceConvNdBwdDataNwcKxcNwk_Dl<256, 128, 64, 16, 1> Filter1x1Stride1Pad0");
}

TEST(Dl, RefusesChannelsThatAreNoWholeVectors) { expect_vectors_checked<Default16>(); }

TEST(Dl, RefusesOtherThan1x1WhenSpecialisedForIt) { expect_1x1_checked<Special32>(); }

} // namespace ck::test::of_device_convnd_bwd_data_nwc_kxc_nwk_dl
