// Composable Kernel's positional names of backward weight that take D tensors, leave the tiles to a
// GEMM, or have no groups: values, refusals, type strings.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_conv2d_backward_weight_xdl_c_shuffle_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_explicit.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_explicit_xdl.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_multiple_d_wmma_cshuffle_v3.hpp"

#include "convolution/backward_weight/weight.hpp"

namespace ck::test::of_newer_weight_positional {
namespace {

using namespace tensor_operation::device;
using namespace tensor_layout::convolution;
using Special = ConvolutionBackwardWeightSpecialization;

template <index_t... Is>
using S = Sequence<Is...>;

#define CK_OPERATIONS PassThrough, PassThrough, PassThrough
#define CK_TRANSFER(vector) S<4, 16, 1>, S<2, 0, 1>, S<1, 0, 2>, 1, vector, 4, false
#define CK_SHUFFLE 1, 1, S<1, 16, 1, 4>, 2

using MultipleDWmma =
    DeviceGroupedConvBwdWeightMultipleD_Wmma_CShuffleV3<2,
                                                        NHWGC,
                                                        GKYXC,
                                                        NHWGK,
                                                        Tuple<GKYXC>,
                                                        half_t,
                                                        half_t,
                                                        half_t,
                                                        float,
                                                        Tuple<half_t>,
                                                        PassThrough,
                                                        Bilinear,
                                                        PassThrough,
                                                        Special::Default,
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
                                                        BlockGemmPipelineScheduler::Intrawave,
                                                        BlockGemmPipelineVersion::v2>;
struct SomeGemm; // has no effect
#define CK_EXPLICIT(T) 2, NHWGC, GKYXC, NHWGK, T, T, T, CK_OPERATIONS, SomeGemm
template <class T>
using Explicit = DeviceGroupedConvBwdWeight_Explicit_Xdl<CK_EXPLICIT(T)>;
template <class T>
using ExplicitOfAny = DeviceGroupedConvBwdWeight_Explicit<CK_EXPLICIT(T)>;
using Packed = DeviceConv2dBwdWeightXdl_C_Shuffle_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<
    half_t,
    half_t,
    half_t,
    float,
    CK_OPERATIONS,
    64,
    32,
    32,
    4,
    8,
    32,
    32,
    1,
    1,
    S<1, 4, 16, 1>,
    S<0, 3, 1, 2>,
    S<0, 2, 1, 3>,
    2,
    4,
    4,
    true,
    S<1, 4, 16, 1>,
    S<0, 3, 1, 2>,
    S<0, 2, 1, 3>,
    2,
    4,
    4,
    true,
    CK_SHUFFLE>;

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

const ConvParam channels{2, 2, 2, 40, 24, {3, 2}, {7, 6}, {1, 2}, {1, 1}, {1, 0}, {1, 1}};
const ConvParam pointwise{2, 2, 2, 40, 24, {1, 1}, {5, 6}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};

template <class C>
void expect_right(const ConvParam& p)
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

TEST(NewerWeightPositional, ExplicitOfEachType)
{
    expect_right<WeightCase<half_t, Explicit<half_t>>>(pointwise);
    expect_right<WeightCase<half_t, ExplicitOfAny<half_t>>>(pointwise);
    expect_right<WeightCase<bhalf_t, ExplicitOfAny<bhalf_t>>>(pointwise);
    expect_right<WeightCase<float, ExplicitOfAny<float>>>(pointwise);
}
TEST(NewerWeightPositional, ExplicitOfDoubles)
{
    expect_right<WeightCase<double, Explicit<double>>>(pointwise);
    expect_right<WeightCase<double, ExplicitOfAny<double>>>(pointwise);
}
TEST(NewerWeightPositional, ExplicitOfIntegers)
{
    expect_right<WeightCase<std::int8_t, Explicit<std::int8_t>>>(pointwise);
    expect_right<WeightCase<std::int8_t, ExplicitOfAny<std::int8_t>>>(pointwise);
}

TEST(NewerWeightPositional, ExplicitRefusesLargerFilters)
{
    const Tensors<WeightCase<half_t, Explicit<half_t>>> t(channels, channels_last);
    const auto argument = t.argument(1);
    CK_SKIP_WITHOUT(Explicit<half_t>::Kernel::requirement,
                    Explicit<half_t>().WhyNotSupported(&argument));
    EXPECT_NE(Explicit<half_t>().WhyNotSupported(&argument).find("Filter1x1Stride1Pad0"),
              std::string::npos);
}

/// With D tensors, through the overload whose lengths are of the type Index.
template <class Index>
void expect_right_multiple_d()
{
    using C = WeightCase<half_t, MultipleDWmma>;
    const Tensors<C> t(channels, channels_last);
    Mirrored<half_t> d(t.w.host.mDesc);
    d.fill_with_integers();
    const auto wide = [](const auto& values) {
        std::array<Index, 5> r{};
        std::copy(values.begin(), values.end(), r.begin());
        return r;
    };
    const auto pair = [](const std::vector<long_index_t>& values) {
        return std::array<Index, 2>{static_cast<Index>(values[0]), static_cast<Index>(values[1])};
    };
    const auto lengths = wide(d.host.GetLengths()), strides = wide(d.host.GetStrides());
    MultipleDWmma op;
    for(const index_t split : {1, 2})
    {
        const auto argument =
            op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                   t.w.device.GetDeviceBuffer(),
                                   t.y.device.GetDeviceBuffer(),
                                   std::array<const void*, 1>{d.device.GetDeviceBuffer()},
                                   wide(t.x.host.GetLengths()),
                                   wide(t.x.host.GetStrides()),
                                   lengths,
                                   strides,
                                   wide(t.y.host.GetLengths()),
                                   wide(t.y.host.GetStrides()),
                                   std::array<std::array<Index, 5>, 1>{lengths},
                                   std::array<std::array<Index, 5>, 1>{strides},
                                   pair(channels.conv_filter_strides_),
                                   pair(channels.conv_filter_dilations_),
                                   pair(channels.input_left_pads_),
                                   pair(channels.input_right_pads_),
                                   PassThrough{},
                                   Bilinear{2.f, -3.f},
                                   PassThrough{},
                                   split);
        CK_SKIP_WITHOUT(MultipleDWmma::Kernel::requirement, op.WhyNotSupported(argument.get()));
        EXPECT_NE(op.WhyNotSupported(argument.get()).find("workspace"), std::string::npos);
        const Workspace workspace(op.GetWorkSpaceSize(argument.get()));
        op.SetWorkSpacePointer(argument.get(), workspace.pointer());
        ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
        op.MakeInvokerPointer()->Run(argument.get());
        std::vector<half_t> expected = t.expected();
        for(std::size_t i = 0; i < expected.size(); ++i)
            expected[i] = type_convert<half_t>(2 * type_convert<float>(expected[i]) -
                                               3 * type_convert<float>(d.host.mData[i]));
        EXPECT_EQ(differences(t.w.result(), expected), 0u) << "split_k " << split;
    }
}
TEST(NewerWeightPositional, MultipleDWmma) { expect_right_multiple_d<index_t>(); }
TEST(NewerWeightPositional, MultipleDWmmaOf64Bits) { expect_right_multiple_d<long_index_t>(); }

/// An argument of one group, from lists.
template <class T>
auto listed(const T& t, const ConvParam& p, index_t split_k)
{
    const auto list = [](const std::vector<long_index_t>& values) {
        return std::vector<index_t>(values.begin(), values.end());
    };
    return Packed().MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                        t.w.device.GetDeviceBuffer(),
                                        t.y.device.GetDeviceBuffer(),
                                        static_cast<index_t>(p.N_),
                                        static_cast<index_t>(p.K_),
                                        static_cast<index_t>(p.C_),
                                        list(p.input_spatial_lengths_),
                                        list(p.filter_spatial_lengths_),
                                        list(p.output_spatial_lengths_),
                                        list(p.conv_filter_strides_),
                                        list(p.conv_filter_dilations_),
                                        list(p.input_left_pads_),
                                        list(p.input_right_pads_),
                                        PassThrough{},
                                        PassThrough{},
                                        PassThrough{},
                                        split_k);
}

TEST(NewerWeightPositional, PackedWithoutGroups)
{
    using C = WeightCase<half_t, Packed>;
    ConvParam p{2, 1, 2, 40, 24, {3, 2}, {7, 6}, {1, 2}, {1, 1}, {1, 0}, {1, 1}};
    Packed op;
    for(const index_t split : {1, 3})
    {
        const Tensors<C> t(p, channels_last);
        const auto argument = listed(t, p, split);
        CK_SKIP_WITHOUT(Packed::Kernel::requirement, op.WhyNotSupported(argument.get()));
        const Workspace workspace(op.GetWorkSpaceSize(argument.get()));
        EXPECT_EQ(op.GetWorkSpaceSize(argument.get()) > 0, split > 1);
        op.SetWorkSpacePointer(argument.get(), workspace.pointer());
        ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
        op.MakeInvokerPointer()->Run(argument.get());
        EXPECT_EQ(differences(t.w.result(), t.expected()), 0u) << "split_k " << split;
    }
    expect_right<C>(p); // from arrays of lengths and strides, as in the API

    const Tensors<C> t(p, channels_last);
    p.input_left_pads_.push_back(1);
    const auto argument = listed(t, p, 1);
    EXPECT_FALSE(op.IsSupportedArgument(argument.get()));
    EXPECT_NE(op.WhyNotSupported(argument.get()).find("there are 3 left pads"), std::string::npos)
        << op.WhyNotSupported(argument.get());
}

TEST(NewerWeightPositional, TypeStrings)
{
    EXPECT_EQ(Explicit<half_t>().GetTypeString().find("DeviceGroupedConvBwdWeight_Explicit_Xdl<"),
              0u);
    EXPECT_EQ(ExplicitOfAny<half_t>().GetTypeString().find("DeviceGroupedConvBwdWeight_Explicit<"),
              0u);
    EXPECT_EQ(MultipleDWmma().GetTypeString().find(
                  "DeviceGroupedConvBwdWeightMultipleD_Wmma_CShuffleV3<"),
              0u);
    EXPECT_EQ(Packed().GetTypeString(),
              "DeviceConv2dBwdWeightXdl_C_Shuffle_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<"
              "64, 32, 32, 4, Default, 8, 1, 1, 4, 4, 4, 4, 1, 1, 2>");
}

} // namespace
} // namespace ck::test::of_newer_weight_positional

#undef CK_EXPLICIT
#undef CK_OPERATIONS
#undef CK_SHUFFLE
#undef CK_TRANSFER
