// int8 under Composable Kernel's positional names, checked as its own programs check themselves
// (example 30): the CPU reference makes the sum a CShuffleDataType, by PassThrough, and the program
// applies the operation to that. Most sums are beyond the range of int8, and both must treat them
// alike.
//
// Labels: not sanitized
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_multiple_d_xdl_cshuffle_v1.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_abd_xdl_cshuffle.hpp"

#include "convolution/grouped.hpp"

namespace ck::test::of_own_check {
namespace {

using namespace tensor_operation::device;
using namespace tensor_layout::convolution;
using tensor_operation::element_wise::AddReluAdd;

template <index_t... Is>
using S = Sequence<Is...>;

#define CK_INTEGERS(CShuffle) std::int8_t, std::int8_t, std::int32_t, CShuffle, BothD, std::int8_t
#define CK_OWN_BLOCK 1, 64, 32, 32, 64, 8, 8, 32, 32, 1, 1
#define CK_OWN_A S<4, 16, 1>, S<1, 0, 2>, S<1, 0, 2>, 2, 8, 8, 1
#define CK_OWN_B S<4, 16, 1>, S<0, 2, 1>, S<0, 2, 1>, 1, 4, 8, 1
#define CK_OWN_STORE 1, 1, S<1, 16, 1, 4>, 4

using BothD = Tuple<std::int8_t, std::int8_t>;
template <class Layout>
using BothLayouts = Tuple<G_K, Layout>;

template <class CShuffle>
using Forward =
    DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<2,
                                                 NHWGC,
                                                 GKYXC,
                                                 BothLayouts<NHWGK>,
                                                 NHWGK,
                                                 CK_INTEGERS(CShuffle),
                                                 PassThrough,
                                                 PassThrough,
                                                 AddReluAdd,
                                                 ConvolutionForwardSpecialization::Default,
                                                 GemmSpecialization::MNKPadding,
                                                 CK_OWN_BLOCK,
                                                 CK_OWN_A,
                                                 CK_OWN_A,
                                                 CK_OWN_STORE>;
template <class CShuffle>
using BackwardData = DeviceGroupedConvBwdDataMultipleD_Xdl_CShuffle_v1<
    2,
    NHWGK,
    GKYXC,
    BothLayouts<NHWGC>,
    NHWGC,
    CK_INTEGERS(CShuffle),
    PassThrough,
    PassThrough,
    AddReluAdd,
    ConvolutionBackwardDataSpecialization::Default,
    true,
    true,
    CK_OWN_BLOCK,
    CK_OWN_A,
    CK_OWN_B,
    CK_OWN_STORE>;

const ConvParam problem{2, 2, 2, 40, 24, {3, 2}, {7, 6}, {1, 2}, {1, 1}, {1, 0}, {1, 1}};

template <template <class> class Op, class CShuffle, bool forward>
void expect_its_own_check_to_pass()
{
    const ConvParam& p = problem;
    Mirrored<std::int8_t> x(
        utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<NHWGC>(p));
    Mirrored<std::int8_t> w(
        utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<GKYXC>(p));
    Mirrored<std::int8_t> y(
        utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<NHWGK>(p));
    auto &from = forward ? x : y, &to = forward ? y : x;
    // A bias of each channel has strides of 0 elsewhere.
    const auto lengths  = to.host.GetLengths();
    const auto channels = lengths[2];
    std::vector<std::size_t> strides{channels, 0, 1, 0, 0};
    Mirrored<std::int8_t> bias(HostTensorDescriptor(lengths, strides)), residual(to.host.mDesc);
    std::srand(1);
    for(auto* const tensor : {&from, &w})
    {
        tensor->host.GenerateTensorValue(GeneratorTensor_2<std::int8_t>{-9, 10});
        tensor->device.ToDevice(tensor->host.mData.data());
    }
    for(auto* const tensor : {&bias, &residual})
    {
        for(auto& value : tensor->host.mData)
            value = static_cast<std::int8_t>(std::rand() % 61 - 30);
        tensor->device.ToDevice(tensor->host.mData.data());
    }

    Op<CShuffle> op;
    const auto argument =
        op.MakeArgumentPointer(from.device.GetDeviceBuffer(),
                               w.device.GetDeviceBuffer(),
                               {bias.device.GetDeviceBuffer(), residual.device.GetDeviceBuffer()},
                               to.device.GetDeviceBuffer(),
                               array_of<2>(from.host.GetLengths()),
                               array_of<2>(from.host.GetStrides()),
                               array_of<2>(w.host.GetLengths()),
                               array_of<2>(w.host.GetStrides()),
                               {array_of<2>(lengths), array_of<2>(lengths)},
                               {array_of<2>(strides), array_of<2>(residual.host.GetStrides())},
                               array_of<2>(to.host.GetLengths()),
                               array_of<2>(to.host.GetStrides()),
                               array_of<2>(p.conv_filter_strides_),
                               array_of<2>(p.conv_filter_dilations_),
                               array_of<2>(p.input_left_pads_),
                               array_of<2>(p.input_right_pads_),
                               PassThrough{},
                               PassThrough{},
                               AddReluAdd{});
    CK_SKIP_WITHOUT(Op<CShuffle>::Kernel::requirement, op.WhyNotSupported(argument.get()));
    ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
    op.MakeInvokerPointer()->Run(argument.get());

    Tensor<CShuffle> sums(to.host.mDesc);
    Tensor<std::int32_t> exact(to.host.mDesc);
    const auto reference = [&](auto& result) {
        using T            = std::remove_reference_t<decltype(result.mData[0])>;
        const auto compute = [&]<class Reference>(Reference*, auto& in, auto& out) {
            Reference::MakeInvoker().Run(Reference::MakeArgument(in,
                                                                 w.host,
                                                                 out,
                                                                 p.conv_filter_strides_,
                                                                 p.conv_filter_dilations_,
                                                                 p.input_left_pads_,
                                                                 p.input_right_pads_,
                                                                 {},
                                                                 {},
                                                                 {}));
        };
        namespace host = tensor_operation::host;
        if constexpr(forward)
            compute(static_cast<host::ReferenceConvFwd<2,
                                                       std::int8_t,
                                                       std::int8_t,
                                                       T,
                                                       PassThrough,
                                                       PassThrough,
                                                       PassThrough>*>(nullptr),
                    from.host,
                    result);
        else
            compute(static_cast<host::ReferenceConvBwdData<2,
                                                           T,
                                                           std::int8_t,
                                                           std::int8_t,
                                                           PassThrough,
                                                           PassThrough,
                                                           PassThrough>*>(nullptr),
                    result,
                    from.host);
    };
    reference(sums);
    reference(exact);
    for(std::size_t i = 0; i < sums.mData.size(); ++i) // as a program's own cast
        ASSERT_EQ(sums.mData[i], static_cast<CShuffle>(exact.mData[i]));
    std::vector<std::int8_t> expected(sums.mData.size());
    for(std::size_t g = 0, i = 0; g < lengths[0]; ++g) // order of the result's memory
        for(std::size_t n = 0; n < lengths[1]; ++n)
            for(std::size_t k = 0; k < channels; ++k)
                for(std::size_t h = 0; h < lengths[3]; ++h)
                    for(std::size_t v = 0; v < lengths[4]; ++v, ++i)
                        AddReluAdd{}(expected[to.host.GetOffsetFromMultiIndex(g, n, k, h, v)],
                                     sums(g, n, k, h, v),
                                     bias.host(g, n, k, h, v),
                                     residual.host(g, n, k, h, v));
    EXPECT_EQ(differences(to.result(), expected), 0u);
    const auto beyond = std::count_if(exact.mData.begin(), exact.mData.end(), [](std::int32_t sum) {
        return sum < -128 || sum > 127;
    });
    EXPECT_GT(2 * static_cast<std::size_t>(beyond), exact.mData.size());
}

TEST(OwnCheck, OfForward)
{
    expect_its_own_check_to_pass<Forward, std::int8_t, true>();
    expect_its_own_check_to_pass<Forward, std::int32_t, true>();
}
TEST(OwnCheck, OfBackwardData)
{
    expect_its_own_check_to_pass<BackwardData, std::int8_t, false>();
    expect_its_own_check_to_pass<BackwardData, std::int32_t, false>();
}

} // namespace
} // namespace ck::test::of_own_check
