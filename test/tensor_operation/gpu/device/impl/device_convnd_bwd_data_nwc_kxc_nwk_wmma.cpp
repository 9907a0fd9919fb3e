// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_nwc_kxc_nwk_wmma.hpp"

#include "tensor_operation/gpu/device/impl/positional.hpp"

namespace ck::test::of_device_convnd_bwd_data_nwc_kxc_nwk_wmma {

namespace {

template <class T, ConvolutionBackwardDataSpecialization specialization, arch::Target generation>
using Wmma  = tensor_operation::device::DeviceConvNdBwdDataNwcKxcNwk_Wmma<2,
                                                                         T,
                                                                         T,
                                                                         T,
                                                                         float,
                                                                         PassThrough,
                                                                         PassThrough,
                                                                         PassThrough,
                                                                         specialization,
                                                                         generation,
                                                                         128,
                                                                         128,
                                                                         64,
                                                                         32,
                                                                         64,
                                                                         32,
                                                                         8,
                                                                         4,
                                                                         2>;
using Gfx11 = Wmma<half_t, any_filter, arch::Target::gfx11>;
using Gfx12 = Wmma<bhalf_t, filter_1x1, arch::Target::gfx12>;

} // namespace

TEST(Wmma, TuningIsWhatThePositionsSay)
{
    GemmTuning expected{.block_tile  = {128, 64, 32},
                        .wave_m      = 64,
                        .wave_n      = 32,
                        .instruction = arch::Matrix::wmma_gfx11_f32_16x16x16_f16,
                        .a_vector    = 8,
                        .b_vector    = 4,
                        .c_vector    = 2};
    EXPECT_TRUE(equal(tuning<Gfx11>, expected));
    expected.instruction = arch::Matrix::wmma_gfx12_f32_16x16x16_bf16;
    EXPECT_TRUE(equal(tuning<Gfx12>, expected));
}

TEST(Wmma, GenerationsHaveDifferentNames)
{
    EXPECT_EQ(Gfx11{}.GetTypeString(),
              "DeviceConvNdBwdDataNwcKxcNwk_Wmma<128, 128, 64, 32, 64, 32, "
              "wmma_gfx11_f32_16x16x16_f16, 8, 4, 2, single_buffer, 1>");
    EXPECT_EQ(Gfx12{}.GetTypeString(),
              "DeviceConvNdBwdDataNwcKxcNwk_Wmma<128, 128, 64, 32, 64, 32, "
              "wmma_gfx12_f32_16x16x16_bf16, 8, 4, 2, single_buffer, 1> Filter1x1Stride1Pad0");
}

TEST(Wmma, RunsOnItsGenerationAndRefusesOthers)
{
    const arch::Target target = current_target();
    if(meets(target, arch::Requirement::wmma_gfx11))
        expect_vectors_checked<Gfx11>();
    else
        EXPECT_NE(why_not<Gfx11>({}).find("gfx11"), std::string::npos);
    if(meets(target, arch::Requirement::wmma_gfx12))
        expect_1x1_checked<Gfx12>();
    else
        EXPECT_NE(why_not<Gfx12>({}).find("gfx12"), std::string::npos);
}

} // namespace ck::test::of_device_convnd_bwd_data_nwc_kxc_nwk_wmma
