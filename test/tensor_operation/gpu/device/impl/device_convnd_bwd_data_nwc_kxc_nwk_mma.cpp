// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_nwc_kxc_nwk_mma.hpp"

#include "tensor_operation/gpu/device/impl/positional.hpp"

namespace ck::test::of_device_convnd_bwd_data_nwc_kxc_nwk_mma {

namespace {

template <class T, class Compute, ConvolutionBackwardDataSpecialization specialization>
using Mma  = tensor_operation::device::DeviceConvNdBwdDataNwcKxcNwk_Mma<2,
                                                                       T,
                                                                       T,
                                                                       T,
                                                                       float,
                                                                       PassThrough,
                                                                       PassThrough,
                                                                       PassThrough,
                                                                       specialization,
                                                                       128,
                                                                       64,
                                                                       64,
                                                                       32,
                                                                       32,
                                                                       32,
                                                                       4,
                                                                       2,
                                                                       4,
                                                                       Pipeline::double_buffer,
                                                                       2,
                                                                       Compute>;
using F16  = Mma<half_t, half_t, any_filter>;
using Tf32 = Mma<float, tf32_t, filter_1x1>;

} // namespace

TEST(Mma, TuningIsWhatThePositionsSay)
{
    GemmTuning expected{.block_tile        = {64, 64, 32},
                        .wave_m            = 32,
                        .wave_n            = 32,
                        .instruction       = arch::Matrix::mma_f32_16x8x16_f16,
                        .a_vector          = 4,
                        .b_vector          = 2,
                        .c_vector          = 4,
                        .pipeline          = Pipeline::double_buffer,
                        .min_blocks_per_cu = 2};
    EXPECT_TRUE(equal(tuning<F16>, expected));
    expected.instruction = arch::Matrix::mma_f32_16x8x8_tf32;
    EXPECT_TRUE(equal(tuning<Tf32>, expected));
}

TEST(Mma, Tf32ShowsInTheName)
{
    EXPECT_EQ(Tf32{}.GetTypeString(),
              "DeviceConvNdBwdDataNwcKxcNwk_Mma<128, 64, 64, 32, 32, 32, mma_f32_16x8x8_tf32, 4, "
              "2, 4, double_buffer, 2> Filter1x1Stride1Pad0");
}

TEST(Mma, SupportsByVectorsAndSpecialisation)
{
    if(!meets(current_target(), arch::Requirement::mma_sync))
    {
        EXPECT_NE(why_not<F16>({}).find("mma.sync"), std::string::npos);
        return;
    }
    expect_vectors_checked<F16>();
    expect_1x1_checked<Tf32>();
}

} // namespace ck::test::of_device_convnd_bwd_data_nwc_kxc_nwk_mma
