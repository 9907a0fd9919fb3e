// Backward data under Composable Kernel's positional names: the sum becomes a CShuffleDataType,
// then the operation sees it.
//
// Labels: not sanitized
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_multiple_d_wmma_cshuffle.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_multiple_d_xdl_cshuffle_v1.hpp"

#include "convolution/grouped.hpp"

namespace ck::test::of_backward_data_sums {
namespace {

using namespace tensor_operation::device;
using namespace tensor_layout::convolution;
using Special = ConvolutionBackwardDataSpecialization;

template <index_t... Is>
using S = Sequence<Is...>;

#define CK_DATA(T, Acc, CShuffle, E)                                                               \
    2, NHWGK, GKYXC, Tuple<>, NHWGC, T, T, Acc, CShuffle, Tuple<>, E, PassThrough, PassThrough
#define CK_TRANSFERS                                                                               \
    S<4, 16, 1>, S<1, 0, 2>, S<1, 0, 2>, 2, 8, 8, 1, S<4, 16, 1>, S<0, 2, 1>, S<0, 2, 1>, 1, 4, 8, \
        1, 1, 1, S<1, 16, 1, 4>, 4

/// int8 by MFMA.
template <class CShuffle>
using Xdl = DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1<
    CK_DATA(std::int8_t, std::int32_t, CShuffle, std::int8_t),
    Scale,
    Special::Default,
    true,
    true,
    1,
    64,
    32,
    32,
    64,
    8,
    8,
    32,
    32,
    1,
    1,
    CK_TRANSFERS>;
/// int8 by WMMA.
template <class CShuffle>
using Wmma = DeviceGroupedConvBwdDataMultipleD_Wmma_CShuffle<
    CK_DATA(std::int8_t, std::int32_t, CShuffle, std::int8_t),
    Scale,
    Special::Default,
    32,
    16,
    16,
    8,
    8,
    16,
    16,
    1,
    1,
    CK_TRANSFERS>;
/// Halves whose dX is wider than CShuffleDataType.
template <class CShuffle>
using Wider =
    DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1<CK_DATA(half_t, float, CShuffle, float),
                                                      PassThrough,
                                                      Special::Default,
                                                      true,
                                                      true,
                                                      1,
                                                      64,
                                                      32,
                                                      32,
                                                      32,
                                                      8,
                                                      8,
                                                      32,
                                                      32,
                                                      1,
                                                      1,
                                                      CK_TRANSFERS>;

const ConvParam problem{2, 2, 2, 40, 24, {3, 2}, {7, 6}, {1, 2}, {1, 1}, {1, 0}, {1, 1}};

/// The sums of a problem and what dX must be.
template <class Sum, class E>
struct Expected
{
    std::vector<Sum> sums;
    std::vector<E> x;
};

/// Runs Op<CShuffle> on a dY of value_of_y(its number) and a W of value_of_w: dX must be
/// operation(CShuffle of the sum).
template <template <class> class Op, class CShuffle, class T, class E, class Sum, class Operation>
void expect_converted_first(const Operation& operation,
                            T (*value_of_y)(std::size_t),
                            T value_of_w,
                            Expected<Sum, E>& expected)
{
    const ConvParam& p = problem;
    Mirrored<E> x(utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<NHWGC>(p));
    Mirrored<T> w(utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<GKYXC>(p));
    Mirrored<T> y(utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<NHWGK>(p));
    for(std::size_t i = 0; i < y.host.mData.size(); ++i)
        y.host.mData[i] = value_of_y(i);
    std::fill(w.host.mData.begin(), w.host.mData.end(), value_of_w);
    y.device.ToDevice(y.host.mData.data());
    w.device.ToDevice(w.host.mData.data());
    x.fill_with_nan();

    using Reference = tensor_operation::host::
        ReferenceConvBwdData<2, Sum, T, T, PassThrough, PassThrough, PassThrough>;
    Tensor<Sum> sums(x.host.mDesc);
    Reference::MakeInvoker().Run(Reference::MakeArgument(sums,
                                                         w.host,
                                                         y.host,
                                                         p.conv_filter_strides_,
                                                         p.conv_filter_dilations_,
                                                         p.input_left_pads_,
                                                         p.input_right_pads_,
                                                         {},
                                                         {},
                                                         {}));
    expected.sums = sums.mData;
    expected.x.resize(sums.mData.size());
    for(std::size_t i = 0; i < expected.x.size(); ++i)
        operation(expected.x[i], type_convert<CShuffle>(sums.mData[i]));

    Op<CShuffle> op;
    const auto argument = op.MakeArgumentPointer(y.device.GetDeviceBuffer(),
                                                 w.device.GetDeviceBuffer(),
                                                 {},
                                                 x.device.GetDeviceBuffer(),
                                                 array_of<2>(y.host.GetLengths()),
                                                 array_of<2>(y.host.GetStrides()),
                                                 array_of<2>(w.host.GetLengths()),
                                                 array_of<2>(w.host.GetStrides()),
                                                 {},
                                                 {},
                                                 array_of<2>(x.host.GetLengths()),
                                                 array_of<2>(x.host.GetStrides()),
                                                 array_of<2>(p.conv_filter_strides_),
                                                 array_of<2>(p.conv_filter_dilations_),
                                                 array_of<2>(p.input_left_pads_),
                                                 array_of<2>(p.input_right_pads_),
                                                 {},
                                                 {},
                                                 operation);
    CK_SKIP_WITHOUT(Op<CShuffle>::Kernel::requirement, op.WhyNotSupported(argument.get()));
    ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
    op.MakeInvokerPointer()->Run(argument.get());
    EXPECT_EQ(differences(x.result(), expected.x), 0u);
}

/// int8: sums of up to 480, negated and halved. As int8 they keep their low bits first, and half of
/// that is not the low bits of half of the sum.
template <template <class> class Op, class CShuffle>
void expect_halved()
{
    const Scale operation{-.5f};
    Expected<std::int32_t, std::int8_t> expected;
    expect_converted_first<Op, CShuffle>(
        operation, +[](std::size_t) { return std::int8_t{2}; }, std::int8_t{1}, expected);
    std::size_t others = 0;
    for(std::size_t i = 0; i < expected.x.size(); ++i)
    {
        std::int8_t of_sum = 0;
        operation(of_sum, expected.sums[i]);
        others += of_sum != expected.x[i];
    }
    EXPECT_EQ(others > 0, (std::is_same_v<CShuffle, std::int8_t>));
}

TEST(BackwardDataSums, AreConvertedToCShuffleDataTypeFirst)
{
    expect_halved<Xdl, std::int8_t>();
    expect_halved<Xdl, std::int32_t>();
    expect_halved<Xdl, float>();
}
TEST(BackwardDataSums, AreConvertedToCShuffleDataTypeFirstByWmma)
{
    expect_halved<Wmma, std::int8_t>();
    expect_halved<Wmma, std::int32_t>();
}

template <class CShuffle>
void expect_rounded()
{
    Expected<float, float> expected;
    expect_converted_first<Wider, CShuffle>(
        PassThrough{},
        +[](std::size_t i) { return type_convert<half_t>(static_cast<float>(7 + i % 7)); },
        type_convert<half_t>(9.f),
        expected);
    EXPECT_EQ(expected.x == expected.sums,
              (std::is_same_v<CShuffle, float>)); // too long for halves
}

TEST(BackwardDataSums, AreRoundedToCShuffleDataTypeFirst)
{
    expect_rounded<half_t>();
    expect_rounded<float>();
}

} // namespace
} // namespace ck::test::of_backward_data_sums
