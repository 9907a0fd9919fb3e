// Rows of Composable Kernel's tables whose slices, loads or threads no kernel here takes unchanged:
// they compile, and compute what plain loops do.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_multiple_d_xdl_cshuffle_v1.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_xdl_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_dl_multiple_d_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_abd_xdl_cshuffle.hpp"

#include "tensor_operation/gpu/device/impl/channels_last_checks.hpp"

namespace ck::test::of_rows_that_are_fitted {
namespace {

using namespace tensor_operation::device;
using namespace tensor_layout::convolution;

template <index_t... Is>
using S = Sequence<Is...>;

/// The values of a row of a table, except types and layouts.
struct Row
{
    index_t threads, m, n, k, xdl, tiles_m, tiles_n, a_vector, b_vector, c_vector, groups = 1;
};

template <class T>
using Acc = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, float>;

#define CK_ROW(r) r.threads, r.m, r.n, r.k
#define CK_TILES(r) r.xdl, r.xdl, r.tiles_m, r.tiles_n
#define CK_OPERATIONS PassThrough, PassThrough, PassThrough
#define CK_TRANSFER(dim, vector) S<4, 16, 1>, S<1, 0, 2>, S<1, 0, 2>, dim, vector, 8, 1
#define CK_GROUPED(T) Tuple<>, NHWGK, T, T, Acc<T>, T, Tuple<>, T, CK_OPERATIONS
#define CK_GROUPED_DATA(T) Tuple<>, NHWGC, T, T, Acc<T>, T, Tuple<>, T, CK_OPERATIONS

template <class T_, Row r>
struct ForwardRow
{
    using T = T_;
    using Op =
        DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<2,
                                                     NHWGC,
                                                     GKYXC,
                                                     CK_GROUPED(T),
                                                     ConvolutionForwardSpecialization::Default,
                                                     GemmSpecialization::MNKPadding,
                                                     1,
                                                     CK_ROW(r),
                                                     8,
                                                     8,
                                                     CK_TILES(r),
                                                     CK_TRANSFER((r.groups > 1 ? 1 : 2),
                                                                 r.a_vector),
                                                     CK_TRANSFER(2, r.b_vector),
                                                     1,
                                                     1,
                                                     S<1, 16, 1, 4>,
                                                     r.c_vector,
                                                     T,
                                                     T,
                                                     make_default_loop_scheduler(),
                                                     r.groups>;
};

template <class T_, Row r>
struct BackwardDataRow
{
    using T  = T_;
    using Op = DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1<
        2,
        NHWGK,
        GKYXC,
        CK_GROUPED_DATA(T),
        ConvolutionBackwardDataSpecialization::Default,
        true,
        true,
        1,
        CK_ROW(r),
        8,
        8,
        CK_TILES(r),
        CK_TRANSFER(2, r.a_vector),
        CK_TRANSFER(1, r.b_vector),
        1,
        1,
        S<1, 16, 1, 4>,
        r.c_vector>;
};

#define CK_WEIGHT_TRANSFER(vector) S<1, 4, 16, 1>, S<0, 3, 1, 2>, S<0, 2, 1, 3>, 2, vector, 4, true
template <class T_, Row r>
struct WeightRow
{
    static constexpr index_t rank = 2;
    using T                       = T_;
    using Weight                  = T_;
    using InOperation             = PassThrough;
    using WeiOperation            = PassThrough;
    using OutOperation            = PassThrough;
    using Op =
        DeviceGroupedConvBwdWeight_Xdl_CShuffle<2,
                                                NHWGC,
                                                GKYXC,
                                                NHWGK,
                                                T,
                                                T,
                                                T,
                                                Acc<T>,
                                                CK_OPERATIONS,
                                                ConvolutionBackwardWeightSpecialization::Default,
                                                r.threads,
                                                r.m,
                                                r.n,
                                                r.k / 8,
                                                8,
                                                CK_TILES(r),
                                                CK_WEIGHT_TRANSFER(r.a_vector),
                                                CK_WEIGHT_TRANSFER(r.b_vector),
                                                1,
                                                1,
                                                S<1, 16, 1, 4>,
                                                r.c_vector>;
};

/// A row with fewer threads than a wave.
struct DlRow
{
    using T = float;
    using Op =
        DeviceGroupedConvFwdDlMultipleD_NHWC_KYXC_NHWK<2,
                                                       float,
                                                       float,
                                                       Tuple<>,
                                                       float,
                                                       float,
                                                       NHWGC,
                                                       GKYXC,
                                                       Tuple<>,
                                                       NHWGK,
                                                       CK_OPERATIONS,
                                                       ConvolutionForwardSpecialization::Default,
                                                       GemmSpecialization::MNKPadding,
                                                       8,
                                                       16,
                                                       4,
                                                       16,
                                                       1,
                                                       2,
                                                       4,
                                                       1,
                                                       S<8, 1>,
                                                       S<1, 1>,
                                                       S<16, 1, 2, 1>,
                                                       S<1, 1, 8, 1>,
                                                       S<1, 2, 0, 3>,
                                                       S<1, 2, 0, 3>,
                                                       S<1, 1, 1, 1>,
                                                       S<1, 2, 0, 3>,
                                                       S<1, 1, 1, 1>,
                                                       S<8, 1, 1, 1>,
                                                       S<2, 1, 4, 1>,
                                                       S<1, 2, 0, 3>,
                                                       S<1, 2, 0, 3>,
                                                       S<1, 1, 1, 1>,
                                                       S<1, 2, 0, 3>,
                                                       S<1, 1, 1, 1>,
                                                       S<0, 1, 2, 3, 4, 5>,
                                                       5,
                                                       1>;
};

const ConvParam channels{2, 2, 2, 40, 24, {3, 2}, {7, 6}, {1, 2}, {1, 1}, {1, 0}, {1, 1}};
const ConvParam single_channels{2, 16, 2, 1, 1, {3, 3}, {7, 6}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
const ConvParam odd_channels{2, 2, 2, 7, 5, {3, 3}, {5, 6}, {2, 1}, {1, 1}, {1, 1}, {1, 1}};

template <class C>
void expect_right_weight(const ConvParam& p)
{
    typename C::Op op;
    const Tensors<C> t(p, channels_last);
    const auto argument = t.argument(1);
    CK_SKIP_WITHOUT(C::Op::Kernel::requirement, op.WhyNotSupported(&argument));
    EXPECT_EQ(differences(computed(op, argument, t.w), t.expected()), 0u);
}

// threads, m n k, xdl, tiles of a wave, vectors
constexpr Row long_loads{256, 128, 128, 16, 32, 2, 2, 8, 8, 4};
constexpr Row half_slices_32{256, 128, 128, 16, 32, 2, 2, 8, 8, 8};
constexpr Row half_slices_16{64, 64, 16, 16, 16, 4, 1, 4, 4, 1};
constexpr Row merged{64, 64, 16, 16, 16, 4, 1, 4, 1, 1, 8};
constexpr Row idle_threads{256, 16, 256, 64, 16, 1, 4, 8, 8, 4};
constexpr Row of_48_rows{64, 48, 64, 32, 16, 3, 4, 4, 2, 2};
constexpr Row of_80_rows{64, 80, 32, 32, 16, 5, 2, 1, 4, 2};
constexpr Row of_112_columns{64, 32, 112, 32, 16, 2, 7, 4, 4, 2};
constexpr Row of_224_rows{256, 224, 256, 64, 16, 7, 8, 8, 8, 8};

TEST(FittedRows, ForwardOfFloatsInLoadsOf32Bytes)
{
    expect_right_forward<ForwardRow<float, long_loads>>(channels);
}
TEST(FittedRows, ForwardOfIntegersInSlicesOf16)
{
    expect_right_forward<ForwardRow<std::int8_t, half_slices_32>>(channels);
}
TEST(FittedRows, ForwardInSlicesOf16)
{
    expect_right_forward<ForwardRow<half_t, half_slices_16>>(channels);
    expect_right_forward<ForwardRow<bhalf_t, half_slices_16>>(channels);
}
TEST(FittedRows, ForwardOfMergedGroupsInSlicesOf16)
{
    expect_right_forward<ForwardRow<half_t, merged>>(single_channels);
    expect_right_forward<ForwardRow<bhalf_t, merged>>(single_channels);
}
TEST(FittedRows, ForwardWithMoreThreadsThanLoads)
{
    expect_right_forward<ForwardRow<half_t, idle_threads>>(channels);
    expect_right_forward<ForwardRow<bhalf_t, idle_threads>>(channels);
}
TEST(FittedRows, ForwardOfDotProductsWithFewerThreadsThanAWave)
{
    expect_right_forward<DlRow>(odd_channels);
}
TEST(FittedRows, BackwardData)
{
    expect_right_backward_data<BackwardDataRow<float, long_loads>>(channels);
    expect_right_backward_data<BackwardDataRow<bhalf_t, half_slices_16>>(channels);
    expect_right_backward_data<BackwardDataRow<half_t, idle_threads>>(channels);
}
TEST(FittedRows, BackwardWeight)
{
    expect_right_weight<WeightRow<float, long_loads>>(channels);
    expect_right_weight<WeightRow<half_t, half_slices_16>>(channels);
    expect_right_weight<WeightRow<bhalf_t, idle_threads>>(channels);
}

TEST(FittedRows, TilesWhoseSidesAreNoPowersOfTwo)
{
    expect_right_weight<WeightRow<half_t, of_48_rows>>(channels);
    expect_right_weight<WeightRow<bhalf_t, of_80_rows>>(channels);
    expect_right_weight<WeightRow<float, of_112_columns>>(channels);
    expect_right_forward<ForwardRow<std::int8_t, of_224_rows>>(channels);
    expect_right_backward_data<BackwardDataRow<std::int8_t, of_224_rows>>(channels);
    expect_right_backward_data<BackwardDataRow<half_t, of_112_columns>>(channels);
}

TEST(FittedRows, OthersStayAsTheyAre)
{
    // 48 rows along the reduction are shared; along themselves they are not.
    EXPECT_EQ((ForwardRow<half_t, of_48_rows>::Op::Operation::tuning.block_tile.m), 48);
    EXPECT_EQ((WeightRow<half_t, of_48_rows>::Op::Operation::Gemm::tuning.block_tile.m), 32);
    EXPECT_EQ((ForwardRow<half_t, of_224_rows>::Op::Operation::tuning.block_tile.m), 224);
    EXPECT_EQ((ForwardRow<std::int8_t, of_224_rows>::Op::Operation::tuning.block_tile.m), 128);
    constexpr Row sound{256, 128, 128, 32, 32, 2, 2, 8, 4, 8};
    constexpr GemmTuning t = ForwardRow<half_t, sound>::Op::Operation::tuning;
    EXPECT_EQ(t.block_tile.k, 32);
    EXPECT_EQ(t.a_vector, 8);
    EXPECT_EQ(t.b_vector, 4);
    constexpr GemmTuning changed = ForwardRow<float, long_loads>::Op::Operation::tuning;
    EXPECT_EQ(changed.block_tile.k, 16);
    EXPECT_EQ(changed.a_vector, 4);
    EXPECT_EQ((ForwardRow<half_t, merged>::Op::Operation::tuning.block_tile.k), 32);
    EXPECT_EQ(DlRow::Op::Operation::tuning.block_tile.n, 8);
}

} // namespace
} // namespace ck::test::of_rows_that_are_fitted

#undef CK_GROUPED
#undef CK_GROUPED_DATA
#undef CK_OPERATIONS
#undef CK_ROW
#undef CK_TILES
#undef CK_TRANSFER
#undef CK_WEIGHT_TRANSFER
