// The host's side of Conv3DBackpropInput: which problems it takes, what it says of others, and the
// shares it cuts dX into.
//
// Cases not sanitized: ObjectTiling.EveryRowOnce
#include "ck/tensor_operation/gpu/conv_object/object_tiling.hpp"

#include <gtest/gtest.h>

#include "lib/conv_backprop/conv3d_bp_input_api.h"
#include <set>
#include <tuple>

namespace ck::conv_object {
namespace {

using namespace ConvBackpropApi;

const Platform large{arch::Target::sm90, 132};

/// The main problem: dX (1, 128, 11, 128, 128), W (256, 128, 3, 3, 3), dY (1, 256, 9, 128, 128).
Conv3DBpInputTiling main_problem(const Platform& platform)
{
    Conv3DBpInputTiling t(platform);
    EXPECT_TRUE(t.SetWeightShape(256, 128, 3, 3, 3));
    EXPECT_TRUE(t.SetGradOutputShape(1, 256, 9, 128, 128));
    EXPECT_TRUE(t.SetInputShape(1, 128, 11, 128, 128));
    EXPECT_TRUE(t.SetPadding(0, 0, 1, 1, 1, 1));
    return t;
}

void expect_refusal(Conv3DBpInputTiling t, const char* part)
{
    TConv3DBackpropInputTiling data;
    EXPECT_EQ(t.GetTiling(data), -1) << part;
    EXPECT_NE(t.GetReason().find(part), std::string::npos) << t.GetReason();
}

TEST(ObjectTiling, SharesOfTheMainProblem)
{
    auto t = main_problem(large);
    TConv3DBackpropInputTiling data;
    ASSERT_EQ(t.GetTiling(data), 0) << t.GetReason();
    EXPECT_EQ(t.GetReason(), "");
    EXPECT_EQ(data.threads(), 256u);
    EXPECT_EQ(data.workgroups(), 1408u); // a row of W each, one block
    EXPECT_LE(2 * data.ldsBytes(), 227u << 10);
    const Share s = data.share(128 + 5);
    EXPECT_EQ(s.singleShapeM, 128u);
    EXPECT_EQ(s.singleShapeK, 256u * 27);
    EXPECT_EQ(s.singleShapeN, 128u);
    EXPECT_EQ(s.dinStartIdx, 1u);
    EXPECT_EQ(s.curHoStartIdx, 5 - 1); // (Kh - 1) - pad = 1 row above
    EXPECT_EQ(s.offsetA, 0u);
    EXPECT_EQ(s.offsetB, 0u);
    EXPECT_EQ(s.offsetC, 0u);
}

TEST(ObjectTiling, OffsetsSelectImageAndChannels)
{
    Conv3DBpInputTiling t(large);
    ASSERT_TRUE(t.SetWeightShape(20, 70, 1, 3, 2));
    ASSERT_TRUE(t.SetGradOutputShape(2, 20, 3, 4, 5));
    ASSERT_TRUE(t.SetInputShape(2, 70, 3, 6, 6));
    ASSERT_TRUE(t.SetSingleShape(12, 32)); // 9 shares of 2 rows, 3 of channels, 2 images
    TConv3DBackpropInputTiling data;
    ASSERT_EQ(t.GetTiling(data), 0) << t.GetReason();
    ASSERT_EQ(data.workgroups(), 54u);
    const Share s = data.share(53);
    EXPECT_EQ(s.imageIdx, 1u);
    EXPECT_EQ(s.cinStartIdx, 64u);
    EXPECT_EQ(s.singleShapeN, 6u);
    EXPECT_EQ(s.singleShapeM, 12u);
    EXPECT_EQ(s.dinStartIdx, 2u);
    EXPECT_EQ(s.curHoStartIdx, 4 - 2);
    EXPECT_EQ(s.offsetA, 3u * 2 * 4 * 5 * 16);                   // D C1 H W C0 of dY
    EXPECT_EQ(s.offsetB, 4u * 3 * 2 * 32 * 16);                  // Kh Kw Np C0
    EXPECT_EQ(s.offsetC, 3u * 5 * 6 * 6 * 16 + 4u * 6 * 6 * 16); // and blocks of channels of dX
}

TEST(ObjectTiling, EveryRowOnce)
{
    for(const index_t compute_units : {1, 7, 132})
        for(const std::int64_t stride : {1, 2, 3})
        {
            Conv3DBpInputTiling t({arch::Target::gfx90a, compute_units});
            ASSERT_TRUE(t.SetWeightShape(16, 200, 3, 3, 3));
            const auto out = [&](std::int64_t in) { return (in - 3) / stride + 1; };
            ASSERT_TRUE(t.SetGradOutputShape(3, 16, out(5), out(14), out(23)));
            ASSERT_TRUE(t.SetInputShape(3, 200, 5, 14, 23));
            ASSERT_TRUE(t.SetStride(stride, stride, stride));
            TConv3DBackpropInputTiling data;
            ASSERT_EQ(t.GetTiling(data), 0) << t.GetReason();
            std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> rows;
            for(std::uint32_t i = 0; i < data.workgroups(); ++i)
            {
                const Share s = data.share(i);
                const auto first =
                    s.dinStartIdx * 14 + static_cast<std::uint32_t>(s.curHoStartIdx + data.up_pad);
                for(std::uint64_t r = 0; r < s.singleShapeM / 23; ++r)
                    for(std::uint32_t c = 0; c < s.singleShapeN; ++c)
                        EXPECT_TRUE(rows.insert({s.imageIdx, s.cinStartIdx + c, first + r}).second);
            }
            EXPECT_EQ(rows.size(), 3u * 200 * 5 * 14) << compute_units << ' ' << stride;
        }
}

TEST(ObjectTiling, TransposedConvolutionFollowsFromTheOthers)
{
    Conv3DBpInputTiling t(large);
    ASSERT_TRUE(t.SetWeightShape(32, 16, 2, 3, 4));
    ASSERT_TRUE(t.SetGradOutputShape(1, 32, 3, 4, 5));
    ASSERT_TRUE(t.SetStride(1, 2, 3));
    ASSERT_TRUE(t.SetDilation(1, 2, 1));
    ASSERT_TRUE(t.SetPadding(0, 0, 1, 2, 1, 0));
    ASSERT_TRUE(t.SetOutputPadding(0, 1, 2));
    TConv3DBackpropInputTiling data;
    ASSERT_EQ(t.GetTiling(data), 0) << t.GetReason();
    const auto& dim = data.transform.dimension;
    EXPECT_EQ(dim[0].input, (3 - 1) * 1 + 1 + 1);
    EXPECT_EQ(dim[1].input, (4 - 1) * 2 - 3 + 4 + 1 + 1);
    EXPECT_EQ(dim[2].input, (5 - 1) * 3 - 1 + 3 + 2 + 1);
    for(const auto& [d, h, w] : {std::tuple{1, 0, 0}, {0, 2, 0}, {0, 0, 3}})
    {
        ASSERT_TRUE(t.SetOutputPadding(d, h, w));
        expect_refusal(t, "must be below the stride");
    }
}

TEST(ObjectTiling, SettersRefuseWhatIsNoShape)
{
    Conv3DBpInputTiling t(large);
    EXPECT_FALSE(t.SetWeightShape(0, 1, 1, 1, 1));
    EXPECT_FALSE(t.SetWeightShape(1, 1, 1, -1, 1));
    EXPECT_FALSE(t.SetGradOutputShape(1, 1, 1, 1, 0));
    EXPECT_FALSE(t.SetInputShape(1, std::int64_t{1} << 40, 1, 1, 1));
    EXPECT_FALSE(t.SetStride(0, 1, 1));
    EXPECT_FALSE(t.SetDilation(1, 1, -2));
    EXPECT_FALSE(t.SetOutputPadding(-1, 0, 0));
    EXPECT_TRUE(t.SetPadding(-1, 0, 0, 0, 0, -3));
    EXPECT_FALSE(t.SetPadding(std::int64_t{-1} << 40, 0, 0, 0, 0, 0));
    EXPECT_FALSE(t.SetBase(96));
    EXPECT_FALSE(t.SetSingleShape(-1, 16));
    const auto gm = TPosition::GM;
    EXPECT_FALSE(t.SetWeightType(gm, ConvFormat::NDC1HWC0, ConvDtype::BF16));
    EXPECT_FALSE(t.SetGradOutputType(gm, ConvFormat::FRACTAL_Z_3D, ConvDtype::BF16));
    EXPECT_FALSE(t.SetGradInputType(gm, ConvFormat::FRACTAL_Z_3D, ConvDtype::BF16));
    expect_refusal(t, "SetWeightShape and SetGradOutputShape"); // nothing of it was taken
}

TEST(ObjectTiling, SettersSayWhatTheyRefuse)
{
    Conv3DBpInputTiling t = main_problem(large);
    EXPECT_EQ(t.GetReason(), "");
    const auto refused = [&](bool set, const char* why) {
        EXPECT_FALSE(set) << why;
        EXPECT_EQ(t.GetReason(), why);
    };
    refused(t.SetWeightShape(0, 1, 1, 1, 1),
            "SetWeightShape: cout is 0, but must be from 1 to 1073741824");
    refused(t.SetGradOutputShape(1, 1, 1, -3, 1),
            "SetGradOutputShape: h is -3, but must be from 1 to 1073741824");
    refused(t.SetInputShape(1, std::int64_t{1} << 40, 1, 1, 1),
            "SetInputShape: c is 1099511627776, but must be from 1 to 1073741824");
    refused(t.SetPadding(1, 1, 1, 1, 1, std::int64_t{-1} << 40),
            "SetPadding: right is -1099511627776, but must be from -1073741824 to 1073741824");
    refused(t.SetStride(1, 0, 1), "SetStride: h is 0, but must be from 1 to 1073741824");
    refused(t.SetDilation(1, 1, -2), "SetDilation: w is -2, but must be from 1 to 1073741824");
    refused(t.SetOutputPadding(-1, 0, 0),
            "SetOutputPadding: d is -1, but must be from 0 to 1073741824");
    refused(t.SetBase(96), "SetBase: base is 96, but must be 128 or 64");
    refused(t.SetSingleShape(0, -16),
            "SetSingleShape: singleShapeN is -16, but must be from 0 to 1073741824");
    const auto gm = TPosition::GM;
    refused(t.SetWeightType(gm, ConvFormat::NDC1HWC0, ConvDtype::BF16),
            "SetWeightType: the format is NDC1HWC0, but must be FRACTAL_Z_3D, NCDHW or NDHWC");
    refused(t.SetGradOutputType(gm, ConvFormat::ND, ConvDtype::BF16),
            "SetGradOutputType: the format is ND, but must be NDC1HWC0, NCDHW or NDHWC");
    refused(t.SetGradInputType(gm, ConvFormat::FRACTAL_Z_3D, ConvDtype::BF16),
            "SetGradInputType: the format is FRACTAL_Z_3D, but must be NDC1HWC0, NCDHW or NDHWC");
    refused(t.SetWeightType(TPosition{3}, ConvFormat::NCDHW, ConvDtype::BF16),
            "SetWeightType: the position is number 3, but must be GM");
    refused(t.SetWeightType(gm, ConvFormat{9}, ConvDtype::BF16),
            "SetWeightType: the format is number 9, but must be FRACTAL_Z_3D, NCDHW or NDHWC");
    refused(t.SetWeightType(gm, ConvFormat::NCDHW, ConvDtype{5}),
            "SetWeightType: the type is number 5, but must be FLOAT16 or BF16");

    TConv3DBackpropInputTiling data;
    EXPECT_EQ(t.GetTiling(data), 0) << t.GetReason(); // nothing of it was taken
    EXPECT_EQ(t.GetReason(), "");
    EXPECT_EQ(data.workgroups(), 1408u); // as in the main problem
}

TEST(ObjectTiling, RefusesWithAReason)
{
    auto t = main_problem(large);
    t.SetGradOutputShape(1, 255, 9, 128, 128);
    expect_refusal(t, "dY has 255 channels, but W has 256");
    t = main_problem(large);
    t.SetGradOutputShape(1, 256, 8, 128, 128);
    expect_refusal(t, "dY is 8x128x128, but dX, W, stride, dilation and pads make it 9x128x128");
    t = main_problem(large);
    t.SetInputShape(2, 128, 11, 128, 128);
    expect_refusal(t, "dX has 2 images");
    t = main_problem(large);
    t.SetSingleShape(100, 0);
    expect_refusal(t, "whole rows of W of dX, which are 128 long");
    t = main_problem(large);
    t.SetSingleShape(0, 24);
    expect_refusal(t, "must be a multiple of 16");
    t = main_problem(large);
    t.SetWeightType(TPosition::GM, ConvFormat::FRACTAL_Z_3D, ConvDtype::BF16);
    expect_refusal(t, "different types");
    t = main_problem(large);
    t.SetInputShape(1, 128, 4000, 4000, 4000);
    t.SetGradOutputShape(1, 256, 3998, 4000, 4000);
    expect_refusal(t, "2^31");
    t = main_problem(large);
    t.SetWeightShape(256, 20, 3, 3, 3);
    t.SetInputShape(1, 20, 11, 128, 128);
    t.SetGradInputType(TPosition::GM, ConvFormat::NDHWC, ConvDtype::FLOAT16);
    expect_refusal(t, "dX is NDHWC and has 20 channels, no multiple of 8");
}

TEST(ObjectTiling, EachTargetHasItsInstruction)
{
    using enum arch::Target;
    for(const auto& [target, instruction] : {std::pair{gfx908, arch::Matrix::mfma_f32_32x32x8_f16},
                                             {gfx942, arch::Matrix::mfma_f32_32x32x8_f16},
                                             {gfx950, arch::Matrix::mfma_f32_32x32x8_f16},
                                             {gfx11, arch::Matrix::wmma_gfx11_f32_16x16x16_f16},
                                             {gfx12, arch::Matrix::wmma_gfx12_f32_16x16x16_f16},
                                             {gfx10, arch::Matrix::dot_f32_8x4x2_f16},
                                             {other_nvidia, arch::Matrix::dot_f32_8x4x2_f16},
                                             {sm80, arch::Matrix::mma_f32_16x8x16_f16},
                                             {sm90, arch::Matrix::mma_f32_16x8x16_f16}})
    {
        auto t = main_problem({target, 100});
        TConv3DBackpropInputTiling data;
        ASSERT_EQ(t.GetTiling(data), 0) << t.GetReason();
        EXPECT_EQ(data.instruction, static_cast<std::int32_t>(instruction)) << arch::name(target);
    }
}

} // namespace
} // namespace ck::conv_object
