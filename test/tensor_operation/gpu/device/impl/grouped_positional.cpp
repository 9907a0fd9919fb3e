// Composable Kernel's positional names of forward and grouped backward data: the tuning that the
// positions make, the type string, and what is refused.
//
// Labels: not sanitized
#include "ck/ck.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_conv2d_bwd_data_xdl_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_conv2d_fwd_xdl_c_shuffle_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_conv2d_fwd_xdl_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_conv3d_fwd_xdl_ndhwc_kzyxc_ndhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_multiple_d_wmma_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_multiple_d_xdl_cshuffle_v1.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_dl_multiple_d_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_dl_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_abd_xdl_cshuffle_v3.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_d_wmma_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_d_xdl_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_d_xdl_large_tensor_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include "stand_in.hpp"
namespace ck::test::of_grouped_positional {
namespace {

using namespace tensor_operation::device;
using namespace tensor_layout::convolution;
using PassThrough = tensor_operation::element_wise::PassThrough;
using Forward     = ConvolutionForwardSpecialization;
using Backward    = ConvolutionBackwardDataSpecialization;

template <index_t... Is>
using S = Sequence<Is...>;

#define CK_TYPES(T, Ds) T, T, float, T, Ds, T
#define CK_OPERATIONS PassThrough, PassThrough, PassThrough
#define CK_TRANSFER(dim, vector) S<4, 64, 1>, S<1, 0, 2>, S<1, 0, 2>, dim, vector, 8, 1

template <Forward special, index_t groups = 1>
using Xdl    = DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<2,
                                                         NHWGC,
                                                         GKYXC,
                                                         Tuple<>,
                                                         NHWGK,
                                                         CK_TYPES(half_t, Tuple<>),
                                                         CK_OPERATIONS,
                                                         special,
                                                         GemmSpecialization::MNKPadding,
                                                         1,
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
                                                         CK_TRANSFER(2, 8),
                                                         CK_TRANSFER(2, (groups > 1 ? 1 : 8)),
                                                         1,
                                                         1,
                                                         S<1, 32, 1, 8>,
                                                         8,
                                                         half_t,
                                                         half_t,
                                                         make_default_loop_scheduler(),
                                                         groups>;
using OldXdl = DeviceGroupedConvFwdMultipleD_Xdl_CShuffle<2,
                                                          NHWGC,
                                                          GKYXC,
                                                          Tuple<>,
                                                          NHWGK,
                                                          CK_TYPES(half_t, Tuple<>),
                                                          CK_OPERATIONS,
                                                          Forward::Default,
                                                          GemmSpecialization::MNKPadding,
                                                          1,
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
                                                          CK_TRANSFER(2, 8),
                                                          CK_TRANSFER(2, 8),
                                                          1,
                                                          1,
                                                          S<1, 32, 1, 8>,
                                                          8>;
static_assert(std::is_same_v<OldXdl, Xdl<Forward::Default>>);
template <BlockGemmPipelineVersion version>
using V3 = DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle_V3<2,
                                                           NHWGC,
                                                           GKYXC,
                                                           Tuple<>,
                                                           NHWGK,
                                                           CK_TYPES(bhalf_t, Tuple<>),
                                                           CK_OPERATIONS,
                                                           Forward::Default,
                                                           GemmSpecialization::MNKPadding,
                                                           256,
                                                           64,
                                                           64,
                                                           32,
                                                           8,
                                                           8,
                                                           16,
                                                           16,
                                                           2,
                                                           2,
                                                           CK_TRANSFER(2, 8),
                                                           CK_TRANSFER(2, 8),
                                                           1,
                                                           1,
                                                           S<1, 32, 1, 8>,
                                                           8,
                                                           BlockGemmPipelineScheduler::Intrawave,
                                                           version>;
using Large =
    DeviceGroupedConvFwdMultipleD_Xdl_CShuffle_Large_Tensor<2,
                                                            NHWGC,
                                                            GKYXC,
                                                            Tuple<>,
                                                            NHWGK,
                                                            CK_TYPES(float, Tuple<>),
                                                            CK_OPERATIONS,
                                                            Forward::Default,
                                                            GemmSpecialization::MNKPadding,
                                                            1,
                                                            256,
                                                            64,
                                                            64,
                                                            16,
                                                            4,
                                                            4,
                                                            32,
                                                            32,
                                                            1,
                                                            1,
                                                            CK_TRANSFER(2, 4),
                                                            CK_TRANSFER(2, 4),
                                                            1,
                                                            1,
                                                            S<1, 16, 1, 16>,
                                                            4>;
using Wmma = DeviceGroupedConvFwdMultipleD_Wmma_CShuffle<2,
                                                         NHWGC,
                                                         GKYXC,
                                                         Tuple<>,
                                                         NHWGK,
                                                         CK_TYPES(half_t, Tuple<>),
                                                         CK_OPERATIONS,
                                                         Forward::Filter1x1Pad0,
                                                         GemmSpecialization::MNKPadding,
                                                         1,
                                                         128,
                                                         64,
                                                         64,
                                                         32,
                                                         8,
                                                         16,
                                                         16,
                                                         2,
                                                         2,
                                                         CK_TRANSFER(2, 8),
                                                         CK_TRANSFER(2, 8),
                                                         1,
                                                         1,
                                                         S<1, 32, 1, 4>,
                                                         8>;

#define CK_DL                                                                                      \
    Forward::Default, GemmSpecialization::MNKPadding, 256, 64, 64, 16, 2, 4, 4, 1, S<8, 2>,        \
        S<8, 2>, S<8, 1, 1, 2>, S<2, 1, 128, 1>, S<1, 2, 0, 3>, S<1, 2, 0, 3>, S<4, 1, 1, 2>,      \
        S<1, 2, 0, 3>, S<1, 1, 1, 2>, S<8, 1, 1, 2>, S<2, 1, 128, 1>, S<1, 2, 0, 3>,               \
        S<1, 2, 0, 3>, S<4, 1, 1, 2>, S<1, 2, 0, 3>, S<1, 1, 1, 2>, S<0, 1, 2, 3, 4, 5>, 5, 4
using DlMultipleD = DeviceGroupedConvFwdDlMultipleD_NHWC_KYXC_NHWK<2,
                                                                   half_t,
                                                                   half_t,
                                                                   Tuple<>,
                                                                   half_t,
                                                                   float,
                                                                   NHWGC,
                                                                   GKYXC,
                                                                   Tuple<>,
                                                                   NHWGK,
                                                                   CK_OPERATIONS,
                                                                   CK_DL>;
using Dl          = DeviceGroupedConvFwdDl_NHWC_KYXC_NHWK<2,
                                                 half_t,
                                                 half_t,
                                                 half_t,
                                                 float,
                                                 NHWGC,
                                                 GKYXC,
                                                 NHWGK,
                                                 CK_OPERATIONS,
                                                 CK_DL>;

using BackwardXdl =
    DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1<2,
                                                      NHWGK,
                                                      GKYXC,
                                                      Tuple<>,
                                                      NHWGC,
                                                      CK_TYPES(half_t, Tuple<>),
                                                      CK_OPERATIONS,
                                                      Backward::Filter1x1Stride1Pad0,
                                                      true,
                                                      true,
                                                      1,
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
                                                      CK_TRANSFER(2, 8),
                                                      CK_TRANSFER(1, 8),
                                                      1,
                                                      1,
                                                      S<1, 32, 1, 8>,
                                                      8>;
using BackwardWmma = DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle<2,
                                                                     NHWGK,
                                                                     GKYXC,
                                                                     Tuple<>,
                                                                     NHWGC,
                                                                     CK_TYPES(half_t, Tuple<>),
                                                                     CK_OPERATIONS,
                                                                     Backward::Default,
                                                                     128,
                                                                     64,
                                                                     64,
                                                                     4,
                                                                     8,
                                                                     16,
                                                                     16,
                                                                     2,
                                                                     2,
                                                                     CK_TRANSFER(2, 8),
                                                                     CK_TRANSFER(1, 8),
                                                                     1,
                                                                     1,
                                                                     S<1, 32, 1, 4>,
                                                                     8>;

#define CK_LEGACY(special)                                                                         \
    half_t, half_t, half_t, float, CK_OPERATIONS, special, 256, 64, 64, 4, 8, 32, 32, 1, 1
using Legacy2d = DeviceConv2dFwdXdl_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<
    CK_LEGACY(Forward::Filter1x1Stride1Pad0),
    CK_TRANSFER(2, 8),
    CK_TRANSFER(2, 8),
    7,
    1>;
using LegacyShuffle = DeviceConv2dFwdXdl_C_Shuffle_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<
    CK_LEGACY(Forward::Default),
    CK_TRANSFER(2, 8),
    CK_TRANSFER(2, 8),
    1,
    1,
    S<1, 1, 32, 1, 1, 8>,
    8>;
using Legacy3d = DeviceConv3dFwdXdl_Input_N_Di_Hi_Wi_C_Weight_K_Z_Y_X_C_Output_N_Do_Ho_Wo_K<
    CK_LEGACY(Forward::Default),
    CK_TRANSFER(2, 8),
    CK_TRANSFER(2, 8),
    7,
    1>;
using LegacyBackward =
    DeviceConv2dBwdDataXdl_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<CK_LEGACY(
                                                                               Backward::Default),
                                                                           CK_TRANSFER(2, 8),
                                                                           CK_TRANSFER(1, 8),
                                                                           7,
                                                                           1>;

TEST(GroupedPositional, TypeStringsAreComposableKernels)
{
    EXPECT_EQ((Xdl<Forward::Filter3x3, 8>{}.GetTypeString()),
              "DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<256, 64, 64, 32, Filter3x3, 32, 32, 1, "
              "1, 8, 1, 8, 1, 1, 8>");
    EXPECT_EQ(V3<BlockGemmPipelineVersion::v4>{}.GetTypeString(),
              "DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle_V3<256, 64, 64, 32, Default, 16, 16, "
              "2, 2, 8, 8, 8, 1, 1, BlkGemmPipelineScheduler: Intrawave, BlkGemmPipelineVersion: "
              "v4>");
    EXPECT_EQ(Large{}.GetTypeString(),
              "DeviceGroupedConvFwdMultipleD_Xdl_CShuffle_Large_Tensor<256, 64, 64, 16, Default, "
              "32, 32, 1, 1, 4, 4, 4, 1, 1>");
    EXPECT_EQ(Wmma{}.GetTypeString(),
              "DeviceGroupedConvFwdMultipleD_Wmma_CShuffle<128, 64, 64, 32, Filter1x1Pad0, 8, 16, "
              "16, 2, 2> AEnableLds: 1, BEnableLds: 1, ABlockTransferSrcScalarPerVector: 8, "
              "BBlockTransferSrcScalarPerVector: 8");
    EXPECT_EQ(DlMultipleD{}.GetTypeString(),
              "DeviceGroupedConvFwdDlMultipleD_NHWC_KYXC_NHWK<256, 64, 64, 16, Default, 2>");
    EXPECT_EQ(Dl{}.GetTypeString(),
              "DeviceGroupedConvFwdDl_NHWC_KYXC_NHWK<256, 64, 64, 16, Default, 2>");
    EXPECT_EQ(BackwardXdl{}.GetTypeString(),
              "DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1<256, 64, 64, 32, 8, 8, "
              "Filter1x1Stride1Pad0, 32, 32, 1, 1, 8, 8, 1, 1>");
    EXPECT_EQ(BackwardWmma{}.GetTypeString(),
              "DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle<128, 64, 64, 32, Default, 8, 8, 8>");
    EXPECT_EQ(Legacy2d{}.GetTypeString(),
              "DeviceConv2dFwdXdl_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<256, 64, 64, 4, "
              "Filter1x1Stride1Pad0, 8, 32, 32, 1, 1, 8, 8, 8, 8>");
}

template <class Op>
void expect_argument_says_its_workspace()
{
    Op op;
    const typename Op::Argument argument{};
    EXPECT_EQ(argument.GetWorkspaceSizeBytes(), op.GetWorkSpaceSize(&argument));
}

TEST(GroupedPositional, ArgumentsSayTheirWorkspace)
{
    expect_argument_says_its_workspace<Xdl<Forward::Default>>();
    expect_argument_says_its_workspace<BackwardXdl>();
    expect_argument_says_its_workspace<Legacy2d>();
}

template <class Operation>
constexpr GemmTuning tuning = Operation::Operation::tuning;

TEST(GroupedPositional, TuningsAreWhatThePositionsSay)
{
    constexpr GemmTuning t = tuning<V3<BlockGemmPipelineVersion::v4>>;
    EXPECT_EQ(t.block_tile.m, 64);
    EXPECT_EQ(t.block_tile.k, 32);
    EXPECT_EQ(t.wave_m, 32);
    EXPECT_EQ(t.wave_n, 32);
    EXPECT_EQ(t.instruction, arch::Matrix::mfma_f32_16x16x16_bf16_1k);
    EXPECT_EQ(t.pipeline, Pipeline::double_buffer);
    EXPECT_EQ(tuning<V3<BlockGemmPipelineVersion::v1>>.pipeline, Pipeline::single_buffer);
    EXPECT_EQ(tuning<Dl>.instruction, arch::Matrix::dot_f32_8x4x2_f16);
    EXPECT_EQ(tuning<Dl>.a_vector, 8);
    EXPECT_EQ(tuning<Dl>.b_vector, 8);
    EXPECT_EQ(tuning<Dl>.wave_m, 32);
    EXPECT_EQ(tuning<BackwardWmma>.block_tile.k, 32);
    EXPECT_EQ(tuning<Wmma>.wave_n, 32);
    EXPECT_EQ(tuning<Xdl<Forward::Default>>.reduction, Reduction::by_tap);
    constexpr GemmTuning merged = tuning<Xdl<Forward::Default, 8>>;
    EXPECT_EQ(merged.reduction, Reduction::merged);
    EXPECT_EQ(merged.merged_groups, 8);
    EXPECT_EQ(on_other_generation(tuning<Wmma>).instruction,
              arch::Matrix::wmma_gfx12_f32_16x16x16_f16);
}

struct Problem
{
    index_t G = 2, C = 16, K = 16, filter = 3, stride = 1, pad = 1;
};

/// Why an operation with D tensors refuses a problem in NHWGC with images of 8 x 8.
template <class Op>
std::string why_not(const Problem& p)
{
    const index_t out = (8 + 2 * p.pad - p.filter) / p.stride + 1;
    using A5          = std::array<index_t, 5>;
    const A5 x{p.G, 1, p.C, 8, 8}, xs{p.C, 64 * p.G * p.C, 1, 8 * p.G * p.C, p.G * p.C};
    const index_t f = p.filter;
    const A5 w{p.G, p.K, p.C, f, f}, ws{p.K * f * f * p.C, f * f * p.C, 1, f * p.C, p.C};
    const A5 y{p.G, 1, p.K, out, out},
        ys{p.K, out * out * p.G * p.K, 1, out * p.G * p.K, p.G * p.K};
    constexpr bool forward = Op::Operation::Direction::a == Role::input;
    Op op;
    const auto a = Op::MakeArgument(nullptr,
                                    nullptr,
                                    {},
                                    nullptr,
                                    forward ? x : y,
                                    forward ? xs : ys,
                                    w,
                                    ws,
                                    {},
                                    {},
                                    forward ? y : x,
                                    forward ? ys : xs,
                                    {p.stride, p.stride},
                                    {1, 1},
                                    {p.pad, p.pad},
                                    {p.pad, p.pad},
                                    {},
                                    {},
                                    {});
    EXPECT_EQ(op.IsSupportedArgument(&a), op.WhyNotSupported(&a).empty());
    return op.WhyNotSupported(&a);
}

void expect_refusal(const std::string& reason, const char* what)
{
    EXPECT_NE(reason.find(what), std::string::npos) << "the reason is '" << reason << "'";
}

TEST(GroupedPositional, SupportsByVectorsAndSpecialisation)
{
    if(!is_xdl_supported())
    {
        expect_refusal(why_not<Xdl<Forward::Default>>({}), "mfma");
        return;
    }
    const Problem one{.filter = 1, .pad = 0}, one_strided{.filter = 1, .stride = 2, .pad = 0};
    EXPECT_EQ(why_not<Xdl<Forward::Default>>({}), "");
    expect_refusal(why_not<Xdl<Forward::Default>>({.C = 12}), "C is 12");
    expect_refusal(why_not<Xdl<Forward::Default>>({.K = 12}), "K is 12");
    EXPECT_EQ(why_not<Xdl<Forward::OddC>>({}), "");
    EXPECT_EQ(why_not<Xdl<Forward::Filter1x1Pad0>>(one_strided), "");
    expect_refusal(why_not<Xdl<Forward::Filter1x1Pad0>>({}), "Filter1x1Pad0");
    EXPECT_EQ(why_not<Xdl<Forward::Filter1x1Stride1Pad0>>(one), "");
    expect_refusal(why_not<Xdl<Forward::Filter1x1Stride1Pad0>>(one_strided),
                   "Filter1x1Stride1Pad0");
    expect_refusal(why_not<Xdl<Forward::Filter3x3>>({}), "C is 16");
    expect_refusal(why_not<Xdl<Forward::Filter3x3, 8>>({.G = 8, .C = 1, .K = 1, .filter = 5}),
                   "length is 5");
    EXPECT_EQ(why_not<BackwardXdl>(one), "");
    expect_refusal(why_not<BackwardXdl>({}), "Filter1x1Stride1Pad0");
}

#if defined(CK_RUNTIME_HOST)
TEST(GroupedPositional, AnswerAsTheDeviceThatTheHostStandsInFor)
{
    if(!stands_in("gfx1100"))
        return;
    const Problem one{.filter = 1, .pad = 0};
    EXPECT_EQ(why_not<Wmma>(one), "");
    expect_refusal(why_not<Xdl<Forward::Default>>({}), "MFMA");
}
#endif

TEST(GroupedPositional, NumGroupsToMergeMustDivideTheGroups)
{
    using Merged = Xdl<Forward::Default, 8>;
    CK_SKIP_WITHOUT(arch::Requirement::mfma, why_not<Merged>({.G = 16, .C = 1, .K = 1}));
    EXPECT_EQ(why_not<Merged>({.G = 16, .C = 1, .K = 1}), "");
    expect_refusal(why_not<Merged>({.G = 12, .C = 1, .K = 1}), "G is 12, not a multiple of the 8");
}

template <class Op>
std::string why_not_legacy(index_t rank, index_t c)
{
    const std::vector<index_t> one(static_cast<std::size_t>(rank), 1),
        zero(static_cast<std::size_t>(rank), 0), eight(static_cast<std::size_t>(rank), 8);
    const auto a = Op::MakeArgument(
        nullptr, nullptr, nullptr, 1, 16, c, eight, one, eight, one, one, zero, zero, {}, {}, {});
    return Op::supports(a).reason;
}

TEST(GroupedPositional, LegacyNames)
{
    EXPECT_NE(LegacyShuffle{}.GetTypeString(), LegacyBackward{}.GetTypeString());
    CK_SKIP_WITHOUT(arch::Requirement::mfma, why_not_legacy<Legacy2d>(2, 16));
    EXPECT_EQ(why_not_legacy<Legacy2d>(2, 16), "");
    expect_refusal(why_not_legacy<Legacy2d>(2, 12), "C is 12");
    EXPECT_EQ(why_not_legacy<LegacyShuffle>(2, 16), "");
    EXPECT_EQ(why_not_legacy<Legacy3d>(3, 16), "");
    EXPECT_EQ(why_not_legacy<LegacyBackward>(2, 16), "");
}

} // namespace
} // namespace ck::test::of_grouped_positional

#undef CK_DL
#undef CK_LEGACY
#undef CK_OPERATIONS
#undef CK_TRANSFER
#undef CK_TYPES
