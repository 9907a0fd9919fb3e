// Composable Kernel's positional names of 2025 and 2026: results, type strings, and what
// CShuffleDataType does.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_multiple_d_wmma_cshuffle_v3.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_multiple_d_xdl_cshuffle_v3.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_two_stage_wmma_cshuffle_v3.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_wmma_cshuffle_v3.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_xdl_cshuffle_v3.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_xdl_waveletmodel_cshuffle_v3.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_abd_wmma_cshuffle_v3.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_abd_xdl_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_abd_xdl_waveletmodel_cshuffle_v3.hpp"

#include "tensor_operation/gpu/device/impl/channels_last_checks.hpp"

namespace ck::test::of_newer_positional {
namespace {

using namespace tensor_operation::device;
using namespace tensor_layout::convolution;
using Special = ConvolutionBackwardWeightSpecialization;

template <index_t... Is>
using S = Sequence<Is...>;

#define CK_OPERATIONS PassThrough, PassThrough, PassThrough
#define CK_WEIGHT(T) 2, NHWGC, GKYXC, NHWGK, T, T, T, float, CK_OPERATIONS, Special::Default
#define CK_TRANSFER(vector) S<4, 16, 1>, S<2, 0, 1>, S<1, 0, 2>, 1, vector, 4, false
#define CK_ALONG_K(vector) S<4, 16, 1>, S<1, 0, 2>, S<1, 0, 2>, 2, vector, 8, 1
#define CK_ALONG_N(vector) S<4, 16, 1>, S<0, 2, 1>, S<0, 2, 1>, 1, vector, 8, 1
#define CK_SHUFFLE 1, 1, S<1, 16, 1, 4>, 2
#define CK_V3 BlockGemmPipelineScheduler::Intrawave, BlockGemmPipelineVersion::v2

using WeightV3      = DeviceGroupedConvBwdWeight_Xdl_CShuffleV3<CK_WEIGHT(half_t),
                                                           64,
                                                           32,
                                                           32,
                                                           32,
                                                           8,
                                                           32,
                                                           32,
                                                           1,
                                                           1,
                                                           CK_TRANSFER(4),
                                                           CK_TRANSFER(4),
                                                           CK_SHUFFLE,
                                                           CK_V3>;
using WeightWavelet = DeviceGroupedConvBwdWeight_Xdl_WaveletModel_CShuffleV3<CK_WEIGHT(bhalf_t),
                                                                             2,
                                                                             64,
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
                                                                             CK_SHUFFLE>;
using WeightWmma    = DeviceGroupedConvBwdWeight_Wmma_CShuffleV3<CK_WEIGHT(half_t),
                                                              32,
                                                              16,
                                                              16,
                                                              32,
                                                              8,
                                                              16,
                                                              16,
                                                              1,
                                                              1,
                                                              CK_TRANSFER(2),
                                                              CK_TRANSFER(2),
                                                              CK_SHUFFLE,
                                                              CK_V3>;
using TwoStageWmma  = DeviceGroupedConvBwdWeightTwoStage_Wmma_CShuffleV3<CK_WEIGHT(bhalf_t),
                                                                        32,
                                                                        16,
                                                                        16,
                                                                        32,
                                                                        8,
                                                                        16,
                                                                        16,
                                                                        1,
                                                                        1,
                                                                        CK_TRANSFER(2),
                                                                        CK_TRANSFER(2),
                                                                        CK_SHUFFLE,
                                                                        CK_V3,
                                                                        4>;
#define CK_FORWARD(T)                                                                              \
    2, NHWGC, GKYXC, Tuple<>, NHWGK, T, T, float, T, Tuple<>, T, CK_OPERATIONS,                    \
        ConvolutionForwardSpecialization::Default, GemmSpecialization::MNKPadding
struct ForwardWmma
{
    using T  = half_t;
    using Op = DeviceGroupedConvFwdMultipleABD_Wmma_CShuffle_V3<CK_FORWARD(T),
                                                                128,
                                                                64,
                                                                64,
                                                                32,
                                                                8,
                                                                8,
                                                                16,
                                                                16,
                                                                2,
                                                                2,
                                                                CK_ALONG_K(8),
                                                                CK_ALONG_K(8),
                                                                CK_SHUFFLE,
                                                                CK_V3>;
};
template <index_t merged = 1>
struct ForwardWavelet
{
    static constexpr index_t of_filter = merged > 1 ? 1 : 8;

    using T  = bhalf_t;
    using Op = DeviceGroupedConvFwdMultipleABD_Xdl_WaveletModel_CShuffleV3<CK_FORWARD(T),
                                                                           1,
                                                                           256,
                                                                           256,
                                                                           64,
                                                                           64,
                                                                           32,
                                                                           8,
                                                                           8,
                                                                           32,
                                                                           32,
                                                                           1,
                                                                           1,
                                                                           CK_ALONG_K(8),
                                                                           CK_ALONG_K(of_filter),
                                                                           CK_SHUFFLE,
                                                                           T,
                                                                           T,
                                                                           merged>;
};
#define CK_DATA(T)                                                                                 \
    2, NHWGK, GKYXC, Tuple<>, NHWGC, T, T, float, T, Tuple<>, T, CK_OPERATIONS,                    \
        ConvolutionBackwardDataSpecialization::Default, true, true
struct DataV3
{
    using T  = half_t;
    using Op = DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffleV3<CK_DATA(T),
                                                                256,
                                                                64,
                                                                64,
                                                                32,
                                                                8,
                                                                8,
                                                                32,
                                                                32,
                                                                1,
                                                                1,
                                                                CK_ALONG_K(8),
                                                                CK_ALONG_N(4),
                                                                CK_SHUFFLE,
                                                                CK_V3,
                                                                T,
                                                                T,
                                                                true,
                                                                true>;
};
struct DataWmma
{
    using T  = bhalf_t;
    using Op = DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle_V3<CK_DATA(T),
                                                                  128,
                                                                  64,
                                                                  64,
                                                                  32,
                                                                  8,
                                                                  8,
                                                                  16,
                                                                  16,
                                                                  2,
                                                                  2,
                                                                  CK_ALONG_K(8),
                                                                  CK_ALONG_N(4),
                                                                  CK_SHUFFLE,
                                                                  CK_V3>;
};

/// A tuning of one wave, tiles of 32 x 32, slices of k.
#define CK_ONE_WAVE(k)                                                                             \
    1, 64, 32, 32, k, 8, 8, 32, 32, 1, 1, CK_ALONG_K(8), CK_ALONG_K(8), 1, 1, S<1, 16, 1, 4>, 4

/// int8 with an operation that sees the sum as CShuffle.
template <class CShuffle>
using Halved =
    DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<2,
                                                 NHWGC,
                                                 GKYXC,
                                                 Tuple<>,
                                                 NHWGK,
                                                 std::int8_t,
                                                 std::int8_t,
                                                 std::int32_t,
                                                 CShuffle,
                                                 Tuple<>,
                                                 std::int8_t,
                                                 PassThrough,
                                                 PassThrough,
                                                 Scale,
                                                 ConvolutionForwardSpecialization::Default,
                                                 GemmSpecialization::MNKPadding,
                                                 CK_ONE_WAVE(64)>;

/// Halves whose result is wider than CShuffleDataType, and PassThrough.
template <class CShuffle>
using Wider =
    DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<2,
                                                 NHWGC,
                                                 GKYXC,
                                                 Tuple<>,
                                                 NHWGK,
                                                 half_t,
                                                 half_t,
                                                 float,
                                                 CShuffle,
                                                 Tuple<>,
                                                 float,
                                                 CK_OPERATIONS,
                                                 ConvolutionForwardSpecialization::Default,
                                                 GemmSpecialization::MNKPadding,
                                                 CK_ONE_WAVE(32)>;

const ConvParam channels{2, 2, 2, 40, 24, {3, 2}, {7, 6}, {1, 2}, {1, 1}, {1, 0}, {1, 1}};

template <class C>
void expect_right_weight(const ConvParam& p)
{
    typename C::Op op;
    for(const index_t split : {1, 3})
    {
        const Tensors<C> t(p, channels_last);
        const auto argument = t.argument(split);
        CK_SKIP_WITHOUT(C::Op::Kernel::requirement, op.WhyNotSupported(&argument));
        EXPECT_EQ(differences(computed(op, argument, t.w), t.expected()), 0u);
    }
}

template <class T_, class Op_>
struct WeightCase
{
    static constexpr index_t rank = 2;
    using T                       = T_;
    using Weight                  = T_;
    using InOperation             = PassThrough;
    using WeiOperation            = PassThrough;
    using OutOperation            = PassThrough;
    using Op                      = Op_;
};

TEST(NewerPositional, WeightV3) { expect_right_weight<WeightCase<half_t, WeightV3>>(channels); }
TEST(NewerPositional, WeightWavelet)
{
    expect_right_weight<WeightCase<bhalf_t, WeightWavelet>>(channels);
}
TEST(NewerPositional, WeightWmma) { expect_right_weight<WeightCase<half_t, WeightWmma>>(channels); }
TEST(NewerPositional, WeightTwoStageWmma)
{
    expect_right_weight<WeightCase<bhalf_t, TwoStageWmma>>(channels);
}
TEST(NewerPositional, ForwardWmma) { expect_right_forward<ForwardWmma>(channels); }
TEST(NewerPositional, ForwardWavelet) { expect_right_forward<ForwardWavelet<>>(channels); }
TEST(NewerPositional, ForwardWaveletOfMergedGroups)
{
    const ConvParam depthwise{2, 16, 2, 1, 1, {3, 3}, {7, 6}, {1, 2}, {1, 1}, {1, 0}, {1, 1}};
    expect_right_forward<ForwardWavelet<8>>(depthwise);
    EXPECT_EQ(ForwardWavelet<8>::Op::Operation::tuning.merged_groups, 8);
}
TEST(NewerPositional, BackwardDataV3) { expect_right_backward_data<DataV3>(channels); }
TEST(NewerPositional, BackwardDataWmma) { expect_right_backward_data<DataWmma>(channels); }

TEST(NewerPositional, SlicesAreAsDeepAsThreadClustersSay)
{
    EXPECT_EQ(WeightV3::Operation::tuning.block_tile.k, 32);      // K0PerBlock is 32, K1 8
    EXPECT_EQ(WeightWavelet::Operation::tuning.block_tile.k, 32); // K0PerBlock is 4
}

TEST(NewerPositional, TypeStrings)
{
    EXPECT_EQ(
        WeightV3().GetTypeString().find("DeviceGroupedConvBwdWeight_Xdl_CShuffleV3<64, 32, 32, "),
        0u);
    EXPECT_NE(DataV3::Op().GetTypeString().find("DirectLoad, Large_Tensor>"), std::string::npos);
    EXPECT_TRUE(ForwardWavelet<8>::Op().GetTypeString().ends_with(", 1, 256, 8>"));
    EXPECT_EQ(WeightV3().GetObjectName(), "DeviceGroupedConvBwdWeight_Xdl_CShuffleV3");
    EXPECT_EQ(WeightV3().GetTemplateInfo()->find("64, 32, 32, "), 0u);
    EXPECT_EQ(WeightV3().GetInstanceString(), WeightV3().GetTypeString());
}

/// As in Composable Kernel: the sum becomes a CShuffleDataType, then the operation sees it.
template <class CShuffle>
void expect_converted_first()
{
    ThreeTensors<std::int8_t> t(channels);
    for(auto* const operand : {&t.x, &t.w}) // sums of up to 288
    {
        std::fill(operand->host.mData.begin(),
                  operand->host.mData.end(),
                  static_cast<std::int8_t>(operand == &t.x ? 2 : 1));
        operand->device.ToDevice(operand->host.mData.data());
    }
    t.y.fill_with_nan();
    Halved<CShuffle> op;
    auto argument = op.MakeArgument(t.x.device.GetDeviceBuffer(),
                                    t.w.device.GetDeviceBuffer(),
                                    {},
                                    t.y.device.GetDeviceBuffer(),
                                    array_of<2>(t.x.host.GetLengths()),
                                    array_of<2>(t.x.host.GetStrides()),
                                    array_of<2>(t.w.host.GetLengths()),
                                    array_of<2>(t.w.host.GetStrides()),
                                    {},
                                    {},
                                    array_of<2>(t.y.host.GetLengths()),
                                    array_of<2>(t.y.host.GetStrides()),
                                    array_of<2>(channels.conv_filter_strides_),
                                    array_of<2>(channels.conv_filter_dilations_),
                                    array_of<2>(channels.input_left_pads_),
                                    array_of<2>(channels.input_right_pads_),
                                    {},
                                    {},
                                    Scale{-.5f});
    CK_SKIP_WITHOUT(Halved<CShuffle>::Kernel::requirement, op.WhyNotSupported(&argument));
    ASSERT_EQ(op.WhyNotSupported(&argument), "");
    op.MakeInvoker().Run(argument);

    using Reference = tensor_operation::host::ReferenceConvFwd<2,
                                                               std::int8_t,
                                                               std::int8_t,
                                                               std::int32_t,
                                                               PassThrough,
                                                               PassThrough,
                                                               PassThrough>;
    Tensor<std::int32_t> sum(t.y.host.mDesc);
    Reference::MakeInvoker().Run(Reference::MakeArgument(t.x.host,
                                                         t.w.host,
                                                         sum,
                                                         channels.conv_filter_strides_,
                                                         channels.conv_filter_dilations_,
                                                         channels.input_left_pads_,
                                                         channels.input_right_pads_,
                                                         {},
                                                         {},
                                                         {}));
    std::vector<std::int8_t> expected(sum.mData.size());
    std::size_t others = 0; // half of the low bits is not the low bits of half
    for(std::size_t i = 0; i < expected.size(); ++i)
    {
        Scale{-.5f}(expected[i], type_convert<CShuffle>(sum.mData[i]));
        std::int8_t of_sum = 0;
        Scale{-.5f}(of_sum, sum.mData[i]);
        others += of_sum != expected[i];
    }
    EXPECT_EQ(differences(t.y.result(), expected), 0u);
    EXPECT_EQ(others > 0, (std::is_same_v<CShuffle, std::int8_t>));
}

TEST(NewerPositional, SumsAreConvertedToCShuffleDataTypeFirst)
{
    expect_converted_first<std::int8_t>();
    expect_converted_first<std::int32_t>();
    expect_converted_first<float>();
}

/// Rounded to CShuffle, though float has room for the sum.
template <class CShuffle>
void expect_rounded_first()
{
    ThreeTensors<half_t> t(channels);
    for(auto* const operand : {&t.x, &t.w})
    {
        auto& values = operand->host.mData;
        for(std::size_t i = 0; i < values.size(); ++i)
            values[i] = type_convert<half_t>(static_cast<float>(7 + i % 5));
        operand->device.ToDevice(values.data());
    }
    Mirrored<float> y(t.y.host.mDesc);
    y.fill_with_nan();
    Wider<CShuffle> op;
    auto argument = op.MakeArgument(t.x.device.GetDeviceBuffer(),
                                    t.w.device.GetDeviceBuffer(),
                                    {},
                                    y.device.GetDeviceBuffer(),
                                    array_of<2>(t.x.host.GetLengths()),
                                    array_of<2>(t.x.host.GetStrides()),
                                    array_of<2>(t.w.host.GetLengths()),
                                    array_of<2>(t.w.host.GetStrides()),
                                    {},
                                    {},
                                    array_of<2>(y.host.GetLengths()),
                                    array_of<2>(y.host.GetStrides()),
                                    array_of<2>(channels.conv_filter_strides_),
                                    array_of<2>(channels.conv_filter_dilations_),
                                    array_of<2>(channels.input_left_pads_),
                                    array_of<2>(channels.input_right_pads_),
                                    {},
                                    {},
                                    {});
    CK_SKIP_WITHOUT(Wider<CShuffle>::Kernel::requirement, op.WhyNotSupported(&argument));
    ASSERT_EQ(op.WhyNotSupported(&argument), "");
    op.MakeInvoker().Run(argument);

    using Reference = tensor_operation::host::
        ReferenceConvFwd<2, half_t, half_t, float, PassThrough, PassThrough, PassThrough>;
    Tensor<float> sum(y.host.mDesc);
    Reference::MakeInvoker().Run(Reference::MakeArgument(t.x.host,
                                                         t.w.host,
                                                         sum,
                                                         channels.conv_filter_strides_,
                                                         channels.conv_filter_dilations_,
                                                         channels.input_left_pads_,
                                                         channels.input_right_pads_,
                                                         {},
                                                         {},
                                                         {}));
    std::vector<float> expected(sum.mData.size());
    for(std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = type_convert<float>(type_convert<CShuffle>(sum.mData[i]));
    EXPECT_EQ(differences(y.result(), expected), 0u);
    EXPECT_EQ(expected == sum.mData, (std::is_same_v<CShuffle, float>)); // halves have no room
}

TEST(NewerPositional, PassThroughRoundsToCShuffleDataTypeFirst)
{
    expect_rounded_first<half_t>();
    expect_rounded_first<float>();
}

} // namespace
} // namespace ck::test::of_newer_positional
