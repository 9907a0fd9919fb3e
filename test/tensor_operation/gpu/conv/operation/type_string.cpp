// Names of operations: what clients search and count in them.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/operation/type_string.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace {

using namespace ck;
using namespace ck::tensor_operation::device;

constexpr GemmTuning xdl{.block_tile  = {256, 128, 32},
                         .wave_m      = 64,
                         .wave_n      = 64,
                         .instruction = arch::Matrix::mfma_f32_32x32x8_f16,
                         .a_vector    = 8,
                         .b_vector    = 4,
                         .c_vector    = 2};

std::string with_engine(arch::Matrix instruction)
{
    GemmTuning t  = xdl;
    t.instruction = instruction;
    return conv_kernel_string(Direction::forward, t);
}

/// The number of values between the first < and the first >, as MIOpen counts them.
std::size_t positions(const std::string& name)
{
    const std::size_t open = name.find('<'), close = name.find('>');
    return 1 + static_cast<std::size_t>(std::count(name.begin() + static_cast<long>(open),
                                                   name.begin() + static_cast<long>(close),
                                                   ','));
}

TEST(TypeString, BeginsAsComposableKernelSpellsIt)
{
    using enum Direction;
    const auto name = [](const OperationNames& names, Direction direction) {
        const std::string text = type_string_of(names, conv_kernel_string(direction, xdl));
        EXPECT_EQ(positions(text), 15u) << text;
        return text.substr(0, text.find('>') + 1);
    };
    EXPECT_EQ(name(grouped_forward_names, forward),
              "DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<512, 256, 128, 32, Default, 32, 32, 2, "
              "2, 8, 4, 2, 1, 1, 1>");
    EXPECT_EQ(name(grouped_backward_data_names, backward_data),
              "DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1<512, 256, 128, 32, 8, 8, Default, "
              "32, 32, 2, 2, 8, 4, 1, 1>");
    EXPECT_EQ(
        name(grouped_backward_weight_names, backward_weight),
        "DeviceGroupedConvBwdWeight_Xdl_CShuffle<512, 256, 128, 4, Default, 8, 2, 2, 8, 8, 4, "
        "8, 1, 1, 2>");
    EXPECT_TRUE(name(grouped_backward_weight_multiple_d_names, backward_weight)
                    .starts_with("DeviceGroupedConvBwdWeightMultipleD_Xdl_CShuffle<"));
}

TEST(TypeString, NamesTheOtherEngines)
{
    const auto begin = [](arch::Matrix instruction) {
        const std::string text = type_string_of(grouped_forward_names, with_engine(instruction));
        return text.substr(0, text.find('<'));
    };
    using enum arch::Matrix;
    EXPECT_EQ(begin(wmma_gfx11_f32_16x16x16_f16), "DeviceGroupedConvFwdMultipleD_Wmma_CShuffle");
    EXPECT_EQ(begin(dot_f32_8x4x2_f16), "DeviceGroupedConvFwdDlMultipleD_NHWC_KYXC_NHWK");
    EXPECT_EQ(begin(mma_f32_16x8x16_f16), "DeviceGroupedConvFwdMultipleABD_Mma");
    EXPECT_EQ(begin(wgmma_f32_16x8x16_f16), "DeviceGroupedConvFwdMultipleABD_Wgmma");
}

TEST(TypeString, TellsTuningsApart)
{
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        const std::string base  = conv_kernel_string(direction, xdl);
        const auto expect_other = [&](auto change) {
            GemmTuning t = xdl;
            change(t);
            EXPECT_NE(conv_kernel_string(direction, t), base);
        };
        expect_other([](GemmTuning& t) { t.block_tile.m *= 2; });
        expect_other([](GemmTuning& t) { t.block_tile.n *= 2; });
        expect_other([](GemmTuning& t) { t.block_tile.k *= 2; });
        expect_other([](GemmTuning& t) { t.block_tile.k += 4; });
        expect_other([](GemmTuning& t) { t.wave_m *= 2; });
        expect_other([](GemmTuning& t) { t.wave_n *= 2; });
        expect_other([](GemmTuning& t) { t.a_vector = 1; });
        expect_other([](GemmTuning& t) { t.b_vector = 1; });
        expect_other([](GemmTuning& t) { t.c_vector = 1; });
        expect_other([](GemmTuning& t) { t.pipeline = Pipeline::double_buffer; });
        expect_other([](GemmTuning& t) { t.pipeline = Pipeline::other; });
        expect_other([](GemmTuning& t) { t.min_blocks_per_cu = 2; });
        expect_other([](GemmTuning& t) { t.reduction = Reduction::merged; });
        expect_other([](GemmTuning& t) {
            t.reduction     = Reduction::merged;
            t.merged_groups = 2;
        });
        expect_other([](GemmTuning& t) { // wide in waves, half the instruction
            t.instruction = arch::Matrix::mfma_f32_16x16x16_f16;
            t.wave_m /= 2, t.wave_n /= 2, t.block_tile.m /= 2, t.block_tile.n /= 2;
        });
        EXPECT_NE(conv_kernel_string(direction, xdl, "Filter1x1Stride1Pad0"), base);
        EXPECT_EQ(base.find_first_of("+;=\n"), std::string::npos) << base;
    }
}

} // namespace
