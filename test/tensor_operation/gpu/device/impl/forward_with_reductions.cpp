// Forward convolutions whose result is reduced over its channels, against plain loops.
//
// Labels: not sanitized
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_d_multiple_r_xdl_cshuffle.hpp"

#include "convolution/grouped.hpp"
#include <cmath>

namespace ck::test::of_forward_with_reductions {
namespace {

using namespace tensor_operation::device;
using tensor_operation::element_wise::Add;
using tensor_operation::element_wise::UnaryAbs;

template <index_t... Is>
using S = Sequence<Is...>;

/// A reduction as clients write them: b is folded into a. The other one is the library's.
struct Largest
{
    template <class T>
    CK_HOST_DEVICE static constexpr T GetIdentityValue()
    {
        return std::numeric_limits<T>::lowest();
    }
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& a, T b) const
    {
        a = b > a ? b : a;
    }
};

using Stores = InMemoryDataOperationEnumSequence<InMemoryDataOperationEnum::AtomicMax,
                                                 InMemoryDataOperationEnum::AtomicAdd>;
#define CK_TRANSFER S<4, 16, 1>, S<1, 0, 2>, S<1, 0, 2>, 2, 4, 4, 1
/// The operation under test. Of a pixel R0 is the largest element, R1 half the sum of magnitudes.
template <class T, class Acc, index_t rank, class CShuffle = Acc>
using Op =
    DeviceGroupedConvFwdMultipleDMultipleR_Xdl_CShuffle<rank,
                                                        typename Layouts<rank>::Input,
                                                        typename Layouts<rank>::Weight,
                                                        typename Layouts<rank>::Output,
                                                        tensor_layout::convolution::NHWG,
                                                        T,
                                                        T,
                                                        Acc,
                                                        CShuffle,
                                                        Tuple<T>,
                                                        T,
                                                        Acc,
                                                        Tuple<T, float>,
                                                        PassThrough,
                                                        PassThrough,
                                                        Add,
                                                        Tuple<PassThrough, UnaryAbs>,
                                                        Tuple<PassThrough, Scale>,
                                                        Tuple<Largest, reduce::Add>,
                                                        Stores,
                                                        ConvolutionForwardSpecialization::Default,
                                                        GemmSpecialization::MNKPadding,
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
                                                        CK_TRANSFER,
                                                        CK_TRANSFER,
                                                        1,
                                                        1,
                                                        S<16, 4>,
                                                        4,
                                                        1>;

/// The strides of R; its dimensions are n, spatial, g in memory, slowest first.
template <index_t rank>
std::array<index_t, rank + 2> groups_last(const std::array<index_t, rank + 2>& lengths)
{
    std::array<index_t, rank + 2> strides{};
    index_t next = strides[0] = 1;
    next *= lengths[0];
    for(std::size_t d = rank + 2; --d > 0;)
    {
        strides[d] = next;
        next *= lengths[d];
    }
    return strides;
}

template <class T, class Acc, index_t rank_, class CShuffle = Acc>
struct Problem
{
    static constexpr index_t rank = rank_;
    using Operation               = Op<T, Acc, rank, CShuffle>;
    using L                       = Layouts<rank>;

    explicit Problem(const ConvParam& param)
        : p(param),
          x(utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<typename L::Input>(p)),
          w(utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<typename L::Weight>(p)),
          y(utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<typename L::Output>(
              p)),
          d(y.host.mDesc)
    {
        const auto& lengths = y.host.GetLengths();
        r_lengths[0]        = static_cast<index_t>(lengths[0]);
        r_lengths[1]        = static_cast<index_t>(lengths[1]);
        for(std::size_t i = 0; i < rank; ++i)
            r_lengths[i + 2] = static_cast<index_t>(lengths[i + 3]);
        r_strides = groups_last<rank>(r_lengths);
        rows      = y.host.mData.size() / static_cast<std::size_t>(p.K_);
        x.fill_with_integers(), w.fill_with_integers(), d.fill_with_integers();
        y.fill_with_nan();
        largest.Realloc(sizeof(T) * rows), total.Realloc(sizeof(float) * rows);
        largest.SetValue(type_convert<T>(77)), total.SetValue(std::nanf(""));
    }

    typename Operation::Argument argument() const { return argument(r_lengths); }
    typename Operation::Argument argument(const std::array<index_t, rank + 2>& lengths) const
    {
        const auto y_lengths = array_of<rank>(y.host.GetLengths()),
                   y_strides = array_of<rank>(y.host.GetStrides());
        return Operation::MakeArgument(x.device.GetDeviceBuffer(),
                                       w.device.GetDeviceBuffer(),
                                       {d.device.GetDeviceBuffer()},
                                       y.device.GetDeviceBuffer(),
                                       {largest.GetDeviceBuffer(), total.GetDeviceBuffer()},
                                       array_of<rank>(x.host.GetLengths()),
                                       array_of<rank>(x.host.GetStrides()),
                                       array_of<rank>(w.host.GetLengths()),
                                       array_of<rank>(w.host.GetStrides()),
                                       {y_lengths},
                                       {y_strides},
                                       y_lengths,
                                       y_strides,
                                       lengths,
                                       r_strides,
                                       array_of<rank>(p.conv_filter_strides_),
                                       array_of<rank>(p.conv_filter_dilations_),
                                       array_of<rank>(p.input_left_pads_),
                                       array_of<rank>(p.input_right_pads_),
                                       {},
                                       {},
                                       {},
                                       {},
                                       make_tuple(PassThrough{}, Scale{.5f}));
    }

    ConvParam p;
    Mirrored<T> x, w, y, d;
    std::array<index_t, rank + 2> r_lengths{}, r_strides{};
    std::size_t rows = 0;
    DeviceMem largest, total;
};

template <class T, class Acc, index_t rank>
void expect_right(const ConvParam& param)
{
    using P = Problem<T, Acc, rank>;
    const P t(param);
    typename P::Operation op;
    const auto argument = t.argument();
    EXPECT_EQ(op.GetWorkSpaceSize(&argument), argument.GetWorkspaceSizeBytes());
    CK_SKIP_WITHOUT(P::Operation::Kernel::requirement, op.WhyNotSupported(&argument));
    ASSERT_EQ(op.WhyNotSupported(&argument), "");
    op.MakeInvokerPointer()->Run(&argument);

    using Reference = tensor_operation::host::
        ReferenceConvFwd<rank, T, T, T, PassThrough, PassThrough, Add, 0, 0, 1>;
    Tensor<T> y(t.y.host.mDesc);
    auto reference = Reference::MakeInvoker();
    reference.Run(Reference::MakeArgument(t.x.host,
                                          t.w.host,
                                          y,
                                          param.conv_filter_strides_,
                                          param.conv_filter_dilations_,
                                          param.input_left_pads_,
                                          param.input_right_pads_,
                                          {},
                                          {},
                                          {},
                                          {},
                                          {},
                                          {t.d.host}));
    EXPECT_EQ(differences(t.y.result(), y.mData), 0u);

    std::vector<float> most(t.rows, -1e30f), sum(t.rows, 0.f);
    y.ForEach([&](auto&, const std::vector<std::size_t>& i) {
        std::size_t at = 0;
        for(std::size_t d = 0; d < rank + 2; ++d)
            at += i[d < 2 ? d : d + 1] * static_cast<std::size_t>(t.r_strides[d]);
        const float value = type_convert<float>(y(i));
        most[at]          = std::max(most[at], value);
        sum[at] += .5f * std::abs(value);
    });
    std::vector<T> got_most(t.rows), expected_most(t.rows);
    std::vector<float> got_sum(t.rows);
    t.largest.FromDevice(got_most.data()), t.total.FromDevice(got_sum.data());
    for(std::size_t i = 0; i < t.rows; ++i)
        expected_most[i] = type_convert<T>(most[i]);
    EXPECT_EQ(differences(got_most, expected_most), 0u);
    if constexpr(!std::is_integral_v<Acc>) // integers are halved to integers
    {
        EXPECT_EQ(differences(got_sum, sum), 0u);
    }
}

const ConvParam few{2, 2, 3, 12, 8, {3, 2}, {6, 5}, {1, 2}, {1, 1}, {1, 0}, {0, 1}};
const ConvParam many{1, 1, 2, 100, 16, {3}, {9}, {1}, {2}, {2}, {0}};
const ConvParam deep{
    3, 3, 1, 4, 4, {1, 2, 2}, {2, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1}, {0, 1, 0}};

TEST(ForwardWithReductions, OfHalves)
{
    expect_right<half_t, float, 2>(few);
    expect_right<half_t, float, 1>(many);
    expect_right<half_t, float, 3>(deep);
}
TEST(ForwardWithReductions, OfFloats) { expect_right<float, float, 2>(few); }
TEST(ForwardWithReductions, OfBf16) { expect_right<bhalf_t, float, 1>(many); }
TEST(ForwardWithReductions, OfIntegers) { expect_right<std::int8_t, std::int32_t, 2>(few); }

/// As in Composable Kernel: the sum becomes a CShuffle, then d is added; E is reduced.
template <class CShuffle>
void expect_converted_first()
{
    using P = Problem<std::int8_t, std::int32_t, 2, CShuffle>;
    P t(few);
    for(auto* const operand : {&t.x, &t.w, &t.d}) // sums of up to 192, and -40 that is added
    {
        std::fill(operand->host.mData.begin(),
                  operand->host.mData.end(),
                  static_cast<std::int8_t>(operand == &t.d ? -40 : 2));
        operand->device.ToDevice(operand->host.mData.data());
    }
    typename P::Operation op;
    const auto argument = t.argument();
    CK_SKIP_WITHOUT(P::Operation::Kernel::requirement, op.WhyNotSupported(&argument));
    ASSERT_EQ(op.WhyNotSupported(&argument), "");
    op.MakeInvokerPointer()->Run(&argument);

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
                                                         few.conv_filter_strides_,
                                                         few.conv_filter_dilations_,
                                                         few.input_left_pads_,
                                                         few.input_right_pads_,
                                                         {},
                                                         {},
                                                         {}));
    std::vector<std::int8_t> expected(sum.mData.size());
    for(std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = type_convert<std::int8_t>(
            type_convert<std::int32_t>(type_convert<CShuffle>(sum.mData[i])) - 40);
    EXPECT_EQ(differences(t.y.result(), expected), 0u);
    EXPECT_GT(*std::max_element(sum.mData.begin(), sum.mData.end()), 127 + 40);
    const std::int8_t most = *std::max_element(expected.begin(), expected.end());
    std::vector<std::int8_t> largest(t.rows);
    t.largest.FromDevice(largest.data());
    EXPECT_EQ(*std::max_element(largest.begin(), largest.end()), most) << "of E as it is stored";
}
TEST(ForwardWithReductions, SumsAreConvertedToCShuffleDataTypeFirst)
{
    expect_converted_first<std::int8_t>();
    expect_converted_first<std::int32_t>();
}

TEST(ForwardWithReductions, RefusesWhatDoesNotFit)
{
    using P = Problem<half_t, float, 2>;
    const P t(few);
    CK_SKIP_WITHOUT(P::Operation::Kernel::requirement, P::Operation::supports(t.argument()).reason);
    const auto reason = [](const P::Operation::Argument& a) {
        EXPECT_EQ(P::Operation::IsSupportedArgument(a), P::Operation::supports(a).reason.empty());
        return P::Operation::supports(a).reason;
    };
    EXPECT_EQ(reason(t.argument()), "");
    auto longer = t.r_lengths;
    ++longer[2];
    EXPECT_NE(reason(t.argument(longer)).find("a length of R is"), std::string::npos);
    P over_e(few);
    auto a           = t.argument();
    a.reduction.r[1] = a.conv.c;
    EXPECT_NE(reason(a).find("shares memory with E"), std::string::npos) << reason(a);
    a                = t.argument();
    a.reduction.r[1] = a.reduction.r[0];
    EXPECT_NE(reason(a).find("shares memory with another R"), std::string::npos) << reason(a);
    a              = t.argument();
    a.r_strides[0] = 0;
    EXPECT_NE(reason(a).find("a stride of R"), std::string::npos) << reason(a);
    a                = t.argument();
    a.reduction.r[0] = nullptr; // where a client asks only
    EXPECT_EQ(reason(a), "");
    EXPECT_THROW(P::Operation::MakeInvoker().Run(a), std::runtime_error);
}

} // namespace
} // namespace ck::test::of_forward_with_reductions

#undef CK_TRANSFER
