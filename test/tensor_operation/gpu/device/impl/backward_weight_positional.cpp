// Composable Kernel's positional names of backward weight: results, workspaces, type strings, and
// what is refused.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_dl.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_multiple_d_xdl_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_two_stage_xdl_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_wmma_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_xdl_cshuffle.hpp"

#include "convolution/backward_weight/weight.hpp"

namespace ck::test::of_backward_weight_positional {
namespace {

using namespace tensor_operation::device;
using namespace tensor_layout::convolution;
using Special = ConvolutionBackwardWeightSpecialization;

template <index_t... Is>
using S = Sequence<Is...>;

#define CK_OPERATIONS PassThrough, PassThrough, PassThrough
#define CK_TRANSFER(vector) S<1, 4, 16, 1>, S<0, 3, 1, 2>, S<0, 2, 1, 3>, 2, vector, 4, true

template <Special special, class ComputeA = half_t, class ComputeB = ComputeA>
using Xdl       = DeviceGroupedConvBwdWeight_Xdl_CShuffle<2,
                                                    NHWGC,
                                                    GKYXC,
                                                    NHWGK,
                                                    half_t,
                                                    half_t,
                                                    half_t,
                                                    float,
                                                    CK_OPERATIONS,
                                                    special,
                                                    64,
                                                    32,
                                                    32,
                                                    4,
                                                    8,
                                                    32,
                                                    32,
                                                    1,
                                                    1,
                                                    CK_TRANSFER(4),
                                                    CK_TRANSFER(4),
                                                    1,
                                                    1,
                                                    S<1, 16, 1, 4>,
                                                    2,
                                                    ComputeA,
                                                    ComputeB>;
using MultipleD = DeviceGroupedConvBwdWeightMultipleD_Xdl_CShuffle<2,
                                                                   NHWGC,
                                                                   GKYXC,
                                                                   NHWGK,
                                                                   Tuple<GKYXC>,
                                                                   float,
                                                                   float,
                                                                   float,
                                                                   float,
                                                                   Tuple<float>,
                                                                   PassThrough,
                                                                   Bilinear,
                                                                   PassThrough,
                                                                   Special::Default,
                                                                   64,
                                                                   32,
                                                                   32,
                                                                   4,
                                                                   4,
                                                                   32,
                                                                   32,
                                                                   1,
                                                                   1,
                                                                   CK_TRANSFER(4),
                                                                   CK_TRANSFER(2),
                                                                   1,
                                                                   1,
                                                                   S<1, 16, 1, 4>,
                                                                   4>;
using TwoStage =
    DeviceGroupedConvBwdWeightTwoStage_Xdl_CShuffle<2,
                                                    NGCHW,
                                                    GKYXC,
                                                    NGKHW,
                                                    bhalf_t,
                                                    bhalf_t,
                                                    bhalf_t,
                                                    float,
                                                    CK_OPERATIONS,
                                                    Special::Default,
                                                    64,
                                                    16,
                                                    16,
                                                    32,
                                                    8,
                                                    16,
                                                    16,
                                                    1,
                                                    1,
                                                    S<4, 16, 1>,
                                                    S<2, 0, 1>,
                                                    S<1, 0, 2>,
                                                    1,
                                                    2,
                                                    4,
                                                    false,
                                                    S<4, 16, 1>,
                                                    S<2, 0, 1>,
                                                    S<1, 0, 2>,
                                                    1,
                                                    2,
                                                    4,
                                                    false,
                                                    1,
                                                    1,
                                                    S<1, 8, 1, 8>,
                                                    2,
                                                    BlockGemmPipelineScheduler::Interwave,
                                                    BlockGemmPipelineVersion::v5,
                                                    4,
                                                    bhalf_t,
                                                    bhalf_t,
                                                    2,
                                                    4>;
using Wmma = DeviceGroupedConvBwdWeight_Wmma_CShuffle<3,
                                                      NDHWGC,
                                                      GKZYXC,
                                                      NDHWGK,
                                                      half_t,
                                                      half_t,
                                                      half_t,
                                                      float,
                                                      CK_OPERATIONS,
                                                      Special::Default,
                                                      32,
                                                      16,
                                                      16,
                                                      4,
                                                      8,
                                                      16,
                                                      16,
                                                      1,
                                                      1,
                                                      S<4, 8, 1>,
                                                      S<2, 0, 1>,
                                                      S<1, 0, 2>,
                                                      1,
                                                      2,
                                                      8,
                                                      true,
                                                      S<4, 8, 1>,
                                                      S<2, 0, 1>,
                                                      S<1, 0, 2>,
                                                      1,
                                                      2,
                                                      8,
                                                      true,
                                                      1,
                                                      1,
                                                      S<1, 8, 1, 4>,
                                                      2>;

#define CK_DL_TRANSFER S<1, 4, 1, 1, 1>, S<1, 4, 1, 16, 1>, S<0, 2, 3, 1, 4>, S<0, 2, 3, 1, 4>
using Dl = DeviceGroupedConvBwdWeight_Dl<1,
                                         NWGC,
                                         GKXC,
                                         NWGK,
                                         float,
                                         float,
                                         float,
                                         float,
                                         CK_OPERATIONS,
                                         Special::Filter1x1Stride1Pad0,
                                         64,
                                         32,
                                         16,
                                         16,
                                         1,
                                         4,
                                         2,
                                         1,
                                         S<8, 1>,
                                         S<8, 1>,
                                         CK_DL_TRANSFER,
                                         S<1, 1, 1, 2, 1>,
                                         S<0, 2, 3, 1, 4>,
                                         S<1, 1, 1, 1, 1>,
                                         CK_DL_TRANSFER,
                                         S<1, 1, 1, 1, 1>,
                                         S<0, 2, 3, 1, 4>,
                                         S<1, 1, 1, 1, 1>,
                                         S<0, 1, 2, 3, 4, 5>,
                                         5,
                                         1>;

template <index_t rank_, class T_, class Op_>
struct Named
{
    static constexpr index_t rank = rank_;
    using T                       = T_;
    using Weight                  = T_;
    using InOperation             = PassThrough;
    using WeiOperation            = PassThrough;
    using OutOperation            = PassThrough;
    using Op                      = Op_;
};

template <class Case>
void expect_right(const ConvParam& p, Order order)
{
    typename Case::Op op;
    for(const index_t split : {1, 3})
    {
        SCOPED_TRACE(testing::Message() << p << ", split_k " << split);
        Tensors<Case> t(p, order);
        const auto argument = t.argument(split);
        EXPECT_TRUE(split == 1 || op.GetWorkSpaceSize(&argument) > 0) << "one slice alone";
        EXPECT_EQ(differences(computed(op, argument, t.w), t.expected()), 0u);
    }
}

/// Why the operation refuses the problem; empty if it does not.
template <class Case>
std::string why_not(const ConvParam& p, Order order)
{
    const Tensors<Case> t(p, order);
    const auto argument = t.argument(1);
    typename Case::Op op;
    EXPECT_EQ(op.IsSupportedArgument(&argument), op.WhyNotSupported(&argument).empty());
    return op.WhyNotSupported(&argument);
}

TEST(BackwardWeightPositional, Xdl)
{
    using C = Named<2, half_t, Xdl<Special::Default>>;
    const ConvParam p{2, 2, 3, 36, 12, {2, 3}, {8, 9}, {1, 2}, {1, 1}, {1, 0}, {0, 1}};
    CK_SKIP_WITHOUT(arch::Requirement::mfma, why_not<C>(p, channels_last));
    expect_right<C>(p, channels_last);

    // Without a workspace, dW is computed in one part.
    const Tensors<C> t(p, channels_last);
    const auto argument = t.argument(3);
    Xdl<Special::Default> op;
    EXPECT_GT(op.GetWorkSpaceSize(&argument), 0u);
    ASSERT_TRUE(op.IsSupportedArgument(&argument));
    op.MakeInvokerPointer()->Run(&argument);
    EXPECT_EQ(differences(t.w.result(), t.expected()), 0u);
}

TEST(BackwardWeightPositional, XdlOfHalvesComputedAsEightBitFloats)
{
    using C = Named<2, half_t, Xdl<Special::Default, bf8_t, f8_t>>;
    const ConvParam p{2, 1, 3, 36, 12, {2, 1}, {6, 5}, {1, 1}, {1, 1}, {1, 0}, {0, 0}};
    EXPECT_EQ(on_other_generation(C::Op::Operation::tuning).instruction,
              arch::Matrix::mfma_f32_32x32x8_bf16_1k);
    CK_SKIP_WITHOUT(arch::Requirement::mfma_bf16_1k, why_not<C>(p, channels_last));
    expect_right<C>(p, channels_last);
}

TEST(BackwardWeightPositional, TwoStageReadsPixelsInPlace)
{
    using C = Named<2, bhalf_t, TwoStage>;
    const ConvParam p{2, 2, 2, 18, 5, {2, 2}, {4, 5}, {1, 1}, {1, 1}, {1, 0}, {0, 1}};
    CK_SKIP_WITHOUT(arch::Requirement::mfma_bf16_1k, why_not<C>(p, pixels_last));
    expect_right<C>(p, pixels_last);
    expect_right<C>({2, 8, 2, 1, 1, {3, 3}, {4, 4}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, pixels_last);
}

TEST(BackwardWeightPositional, WmmaOfBothGenerations)
{
    EXPECT_EQ(on_other_generation(Wmma::Operation::tuning).instruction,
              arch::Matrix::wmma_gfx12_f32_16x16x16_f16);
    using C = Named<3, half_t, Wmma>;
    const ConvParam p{
        3, 2, 4, 18, 6, {1, 2, 2}, {2, 3, 3}, {1, 1, 2}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}};
    if(!device_has(arch::Requirement::wmma_gfx12))
    {
        CK_SKIP_WITHOUT(arch::Requirement::wmma_gfx11, why_not<C>(p, channels_last));
    }
    expect_right<C>(p, channels_last);
}

TEST(BackwardWeightPositional, Dl)
{
    expect_right<Named<1, float, Dl>>({1, 2, 2, 34, 5, {1}, {9}, {1}, {1}, {0}, {0}},
                                      channels_last);
    EXPECT_NE(
        (why_not<Named<1, float, Dl>>({1, 2, 2, 34, 5, {3}, {9}, {1}, {1}, {1}, {1}}, channels_last)
             .find("Filter1x1Stride1Pad0")),
        std::string::npos);
}

TEST(BackwardWeightPositional, MultipleD)
{
    using C = Named<2, float, MultipleD>;
    const ConvParam p{2, 1, 2, 36, 4, {2, 3}, {5, 4}, {1, 1}, {1, 1}, {0, 1}, {1, 1}};
    const Tensors<C> t(p, channels_last);
    Mirrored<float> d(t.w.host.mDesc);
    d.fill_with_integers();
    const auto lengths  = array_of<2>(d.host.GetLengths()),
               strides  = array_of<2>(d.host.GetStrides());
    const auto argument = MultipleD::MakeArgument(t.x.device.GetDeviceBuffer(),
                                                  t.w.device.GetDeviceBuffer(),
                                                  t.y.device.GetDeviceBuffer(),
                                                  {d.device.GetDeviceBuffer()},
                                                  array_of<2>(t.x.host.GetLengths()),
                                                  array_of<2>(t.x.host.GetStrides()),
                                                  lengths,
                                                  strides,
                                                  array_of<2>(t.y.host.GetLengths()),
                                                  array_of<2>(t.y.host.GetStrides()),
                                                  {lengths},
                                                  {strides},
                                                  array_of<2>(p.conv_filter_strides_),
                                                  array_of<2>(p.conv_filter_dilations_),
                                                  array_of<2>(p.input_left_pads_),
                                                  array_of<2>(p.input_right_pads_),
                                                  {},
                                                  Bilinear{2.f, -3.f},
                                                  {},
                                                  2);
    MultipleD op;
    CK_SKIP_WITHOUT(arch::Requirement::mfma, op.WhyNotSupported(&argument));
    EXPECT_NE(op.WhyNotSupported(&argument).find("workspace"), std::string::npos);
    std::vector<float> expected = t.expected();
    for(std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = 2 * expected[i] - 3 * d.host.mData[i];
    EXPECT_EQ(differences(computed(op, argument, t.w), expected), 0u);
}

TEST(BackwardWeightPositional, RefusesWhatDoesNotFitItsVectorsAndSpecialisation)
{
    const auto problem = [](index_t k, index_t c, index_t filter, index_t stride) {
        return ConvParam{
            2, 1, 1, k, c, {filter, filter}, {4, 4}, {stride, stride}, {1, 1}, {0, 0}, {0, 0}};
    };
    using Any = Named<2, half_t, Xdl<Special::Default>>;
    CK_SKIP_WITHOUT(arch::Requirement::mfma, why_not<Any>(problem(8, 8, 1, 1), channels_last));
    EXPECT_EQ(why_not<Any>(problem(128, 256, 3, 1), channels_last), "");
    EXPECT_NE(why_not<Any>(problem(129, 256, 3, 1), channels_last).find("K is 129"),
              std::string::npos);
    EXPECT_NE(why_not<Any>(problem(128, 257, 3, 1), channels_last).find("C is 257"),
              std::string::npos);
    using One = Named<2, half_t, Xdl<Special::Filter1x1Stride1Pad0>>;
    EXPECT_EQ(why_not<One>(problem(8, 8, 1, 1), channels_last), "");
    EXPECT_NE(why_not<One>(problem(8, 8, 3, 1), channels_last).find("Filter1x1Stride1Pad0"),
              std::string::npos);
    EXPECT_NE(why_not<One>(problem(8, 8, 1, 2), channels_last).find("Filter1x1Stride1Pad0"),
              std::string::npos);
    using Three = Named<2, half_t, Xdl<Special::Filter3x3>>;
    EXPECT_NE(why_not<Three>(problem(8, 8, 1, 1), channels_last).find("a filter length is 1"),
              std::string::npos);
    EXPECT_NE(why_not<Three>(problem(8, 8, 3, 1), channels_last).find("C is 8, but"),
              std::string::npos);
}

TEST(BackwardWeightPositional, TypeStringsAreComposableKernels)
{
    EXPECT_EQ(Xdl<Special::Filter1x1Stride1Pad0>{}.GetTypeString(),
              "DeviceGroupedConvBwdWeight_Xdl_CShuffle<64, 32, 32, 4, Filter1x1Stride1Pad0, 8, 1, "
              "1, 4, 4, 4, 4, 1, 1, 2>");
    EXPECT_EQ(MultipleD{}.GetTypeString(),
              "DeviceGroupedConvBwdWeightMultipleD_Xdl_CShuffle<64, 32, 32, 4, Default, 4, 1, 1, "
              "4, 4, 2, 4, 1, 1, 4>");
    EXPECT_EQ(TwoStage{}.GetTypeString(),
              "DeviceGroupedConvBwdWeightTwoStage_Xdl_CShuffle<64, 16, 16, 32, Default, 8, 1, 1, "
              "2, 4, 2, 4, 1, 1, 2, BlkGemmPipelineScheduler: Interwave, BlkGemmPipelineVersion: "
              "v5, 4, TransposeTransferSrcScalarPerVector: 2, TransposeTransferDstScalarPerVector: "
              "4>");
    EXPECT_EQ(Wmma{}.GetTypeString(),
              "DeviceGroupedConvBwdWeight_Wmma_CShuffle<32, 16, 16, 4, Default, 8, 2, 8, 2, 8, 1, "
              "1, 2>");
    EXPECT_EQ(Dl{}.GetTypeString(),
              "DeviceGroupedConvBwdWeight_Dl<64, 32, 16, 16, Filter1x1Stride1Pad0, 1>");
}

TEST(BackwardWeightPositional, TuningsAreWhatThePositionsSay)
{
    constexpr GemmTuning xdl = Xdl<Special::Default>::Operation::tuning;
    EXPECT_EQ(xdl.block_tile.k, 32);
    EXPECT_EQ(xdl.wave_n, 32);
    EXPECT_EQ(xdl.b_vector, 4);
    EXPECT_EQ(xdl.c_vector, 2);
    EXPECT_EQ(xdl.pipeline, Pipeline::single_buffer);
    EXPECT_EQ(TwoStage::Operation::tuning.pipeline, Pipeline::double_buffer);
    EXPECT_EQ(TwoStage::Operation::tuning.a_vector, 1) << "pixels are contiguous, not channels";
    EXPECT_EQ(Dl::Operation::tuning.wave_m, 32);
    EXPECT_EQ(Dl::Operation::tuning.wave_n, 8);
    EXPECT_EQ(Dl::Operation::tuning.a_vector, 2);
}

} // namespace
} // namespace ck::test::of_backward_weight_positional

#undef CK_DL_TRANSFER
#undef CK_OPERATIONS
#undef CK_TRANSFER
