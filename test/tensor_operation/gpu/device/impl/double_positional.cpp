// Composable Kernel's positional names with double: the instruction that the types choose, and
// results of numbers whose products and sums no float holds.
//
// Labels: not sanitized
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_multiple_d_xdl_cshuffle_v1.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_xdl_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_abd_xdl_cshuffle.hpp"

#include "convolution/backward_weight/weight.hpp"

namespace ck::test::of_double_positional {
namespace {

using namespace tensor_operation::device;
using namespace tensor_layout::convolution;

template <index_t... Is>
using S = Sequence<Is...>;

#define CK_TYPES                                                                                   \
    double, double, double, double, Tuple<>, double, PassThrough, PassThrough, PassThrough
#define CK_TILES 256, 128, 128, 16, 2, 2, 16, 16, 4, 4
#define CK_TRANSFER(dim) S<8, 32, 1>, S<1, 0, 2>, S<1, 0, 2>, dim, 2, 2, 1
#define CK_SHUFFLE 1, 1, S<1, 16, 1, 16>, 1

using Forward =
    DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<2,
                                                 NHWGC,
                                                 GKYXC,
                                                 Tuple<>,
                                                 NHWGK,
                                                 CK_TYPES,
                                                 ConvolutionForwardSpecialization::Default,
                                                 GemmSpecialization::MNKPadding,
                                                 1,
                                                 CK_TILES,
                                                 CK_TRANSFER(2),
                                                 CK_TRANSFER(2),
                                                 CK_SHUFFLE>;
using BackwardData = DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1<
    2,
    NHWGK,
    GKYXC,
    Tuple<>,
    NHWGC,
    CK_TYPES,
    ConvolutionBackwardDataSpecialization::Default,
    true,
    true,
    1,
    CK_TILES,
    CK_TRANSFER(2),
    CK_TRANSFER(1),
    CK_SHUFFLE>;

#define CK_WEIGHT_TRANSFER S<1, 4, 16, 1>, S<0, 3, 1, 2>, S<0, 2, 1, 3>, 2, 2, 2, true
using BackwardWeightXdl =
    DeviceGroupedConvBwdWeight_Xdl_CShuffle<2,
                                            NHWGC,
                                            GKYXC,
                                            NHWGK,
                                            double,
                                            double,
                                            double,
                                            double,
                                            PassThrough,
                                            PassThrough,
                                            PassThrough,
                                            ConvolutionBackwardWeightSpecialization::Default,
                                            256,
                                            64,
                                            64,
                                            8,
                                            2,
                                            16,
                                            16,
                                            2,
                                            2,
                                            CK_WEIGHT_TRANSFER,
                                            CK_WEIGHT_TRANSFER,
                                            1,
                                            1,
                                            S<1, 16, 1, 4>,
                                            2>;

/// Tensors of weight.hpp for any direction.
template <class Op_>
struct Doubles
{
    static constexpr index_t rank = 2;
    using T                       = double;
    using Weight                  = double;
    using InOperation             = PassThrough;
    using WeiOperation            = PassThrough;
    using OutOperation            = PassThrough;
    using Op                      = Op_;
    static_assert(rank == 2); // nvcc warns of members that only some instances use
};

const ConvParam problem{2, 2, 3, 36, 14, {2, 3}, {8, 9}, {1, 2}, {1, 1}, {1, 0}, {0, 1}};

/// Expects an operation of forward or backward data to compute the reference's numbers. to: the
/// result, from: the first operand; one is t.x, the other t.y.
template <class Op, class Reference>
void expect_right(Tensors<Doubles<Op>>& t, Mirrored<double>& to, const Mirrored<double>& from)
{
    EXPECT_EQ(Op::Operation::tuning.instruction, arch::Matrix::mfma_f64_16x16x4_f64);
    const auto lengths = [](const Mirrored<double>& m) { return array_of<2>(m.host.GetLengths()); };
    const auto strides = [](const Mirrored<double>& m) { return array_of<2>(m.host.GetStrides()); };
    t.w.fill_with_integers();
    to.fill_with_nan();
    Op op;
    const auto argument = Op::MakeArgument(from.device.GetDeviceBuffer(),
                                           t.w.device.GetDeviceBuffer(),
                                           {},
                                           to.device.GetDeviceBuffer(),
                                           lengths(from),
                                           strides(from),
                                           lengths(t.w),
                                           strides(t.w),
                                           {},
                                           {},
                                           lengths(to),
                                           strides(to),
                                           array_of<2>(problem.conv_filter_strides_),
                                           array_of<2>(problem.conv_filter_dilations_),
                                           array_of<2>(problem.input_left_pads_),
                                           array_of<2>(problem.input_right_pads_),
                                           {},
                                           {},
                                           {});
    CK_SKIP_WITHOUT(arch::Requirement::mfma_f64, op.WhyNotSupported(&argument));
    ASSERT_EQ(op.WhyNotSupported(&argument), "");
    op.MakeInvokerPointer()->Run(&argument);
    const std::vector<double> got = to.result();
    auto reference                = Reference::MakeInvoker();
    reference.Run(Reference::MakeArgument(t.x.host,
                                          t.w.host,
                                          t.y.host,
                                          problem.conv_filter_strides_,
                                          problem.conv_filter_dilations_,
                                          problem.input_left_pads_,
                                          problem.input_right_pads_,
                                          {},
                                          {},
                                          {}));
    EXPECT_EQ(differences(got, to.host.mData), 0u);
}

TEST(DoublePositional, Forward)
{
    Tensors<Doubles<Forward>> t(problem, channels_last);
    expect_right<
        Forward,
        tensor_operation::host::
            ReferenceConvFwd<2, double, double, double, PassThrough, PassThrough, PassThrough>>(
        t, t.y, t.x);
}

TEST(DoublePositional, BackwardData)
{
    Tensors<Doubles<BackwardData>> t(problem, channels_last);
    expect_right<
        BackwardData,
        tensor_operation::host::
            ReferenceConvBwdData<2, double, double, double, PassThrough, PassThrough, PassThrough>>(
        t, t.x, t.y);
}

TEST(DoublePositional, BackwardWeightInParts)
{
    using Op = BackwardWeightXdl;
    EXPECT_EQ(Op::Operation::tuning.instruction, arch::Matrix::mfma_f64_16x16x4_f64);
    Op op;
    for(const index_t split : {1, 3})
    {
        Tensors<Doubles<Op>> t(problem, channels_last);
        const auto argument = t.argument(split);
        CK_SKIP_WITHOUT(arch::Requirement::mfma_f64, op.WhyNotSupported(&argument));
        EXPECT_TRUE(split == 1 || op.GetWorkSpaceSize(&argument) > 0) << "one slice alone";
        EXPECT_EQ(differences(computed(op, argument, t.w), t.expected()), 0u);
    }
}

} // namespace
} // namespace ck::test::of_double_positional

#undef CK_SHUFFLE
#undef CK_TILES
#undef CK_TRANSFER
#undef CK_TYPES
#undef CK_WEIGHT_TRANSFER
