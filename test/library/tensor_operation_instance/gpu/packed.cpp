// Operations on packed tensors without groups: their results.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_backward_data.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_forward.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_forward_bias_relu.hpp"

#include "library/tensor_operation_instance/gpu/instances.hpp"

namespace ck::test::packed {
namespace {

using namespace tensor_operation::device::instance;
using tensor_operation::device::DeviceConvBwdData;
using tensor_operation::device::DeviceConvFwd;
using tensor_operation::device::DeviceConvFwdBiasActivationAddPtr;
using tensor_operation::device::DeviceConvFwdBiasActivationPtr;
using tensor_operation::host::ReferenceConvBwdData;
using tensor_operation::host::ReferenceConvFwd;

template <class Reference, class Tensors>
void compute_reference(Tensors& t, const ConvParam& p)
{
    auto reference = Reference::MakeInvoker();
    reference.Run(Reference::MakeArgument(t.x.host,
                                          t.w.host,
                                          t.y.host,
                                          p.conv_filter_strides_,
                                          p.conv_filter_dilations_,
                                          p.input_left_pads_,
                                          p.input_right_pads_,
                                          {},
                                          {},
                                          {}));
}

template <index_t rank>
ConvParam one_group(index_t channels)
{
    ConvParam p = small_problem<rank>(channels);
    p.G_        = 1;
    return p;
}

std::vector<index_t> list(const std::vector<long_index_t>& values)
{
    return {values.begin(), values.end()};
}

/// ds: what comes after Y.
template <class Op, class Tensors, class... Ds>
auto make_argument(Op& op, Tensors& t, const ConvParam& p, const Ds*... ds)
{
    return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                  t.w.device.GetDeviceBuffer(),
                                  t.y.device.GetDeviceBuffer(),
                                  ds...,
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
                                  {},
                                  {},
                                  {});
}

template <index_t rank, class In, class Wei, class Out, class T>
Ran forward(index_t channels)
{
    const ConvParam p = one_group<rank>(channels);
    ProblemTensors<In, Wei, Out, T, T, T> t(p);
    compute_reference<ReferenceConvFwd<rank, T, T, T, PassThrough, PassThrough, PassThrough>>(t, p);
    using Op = DeviceConvFwd<rank, In, Wei, Out, T, T, T, PassThrough, PassThrough, PassThrough>;
    const Tensor<T> expected(t.y.host);
    return run_all<Op>(t.y, expected, [&](Op& op) { return make_argument(op, t, p); });
}

template <index_t rank, class In, class Wei, class Out, class T>
Ran backward_data(index_t channels)
{
    const ConvParam p = one_group<rank>(channels);
    ProblemTensors<In, Wei, Out, T, T, T> t(p);
    compute_reference<ReferenceConvBwdData<rank, T, T, T, PassThrough, PassThrough, PassThrough>>(
        t, p);
    using Op =
        DeviceConvBwdData<rank, In, Wei, Out, T, T, T, PassThrough, PassThrough, PassThrough>;
    const Tensor<T> expected(t.x.host);
    return run_all<Op>(t.x, expected, [&](Op& op) { return make_argument(op, t, p); });
}

TEST(ConvFwd, AllInstances)
{
    EXPECT_GE((forward<1, NWC, KXC, NWK, F32>(16).right), 2);
    EXPECT_GE((forward<2, NHWC, KYXC, NHWK, F16>(16).right), 2);
    EXPECT_GE((forward<2, NHWC, KYXC, NHWK, I8>(3).right), 1);
    const Ran odd = forward<3, NDHWC, KZYXC, NDHWK, BF16>(3);
    EXPECT_GE(odd.right, 1);
    EXPECT_GE(odd.refused, 1);
}

TEST(ConvBwdData, AllInstances)
{
    EXPECT_GE((backward_data<1, NWC, KXC, NWK, F32>(16).right), 2);
    EXPECT_GE((backward_data<2, NHWC, KYXC, NHWK, F16>(16).right), 2);
    EXPECT_GE((backward_data<2, NHWC, KYXC, NHWK, I8>(3).right), 1);
    const Ran odd = backward_data<3, NDHWC, KZYXC, NDHWK, BF16>(3);
    EXPECT_GE(odd.right, 1);
    EXPECT_GE(odd.refused, 1);
}

/// The same pointers are other tensors there.
TEST(ConvFwd, RefusesArgumentsOfBackwardData)
{
    const ConvParam p = one_group<2>(16);
    ProblemTensors<NHWC, KYXC, NHWK, F16, F16, F16> t(p);
    using Forward =
        DeviceConvFwd<2, NHWC, KYXC, NHWK, F16, F16, F16, PassThrough, PassThrough, PassThrough>;
    using BackwardData       = DeviceConvBwdData<2,
                                           NHWC,
                                           KYXC,
                                           NHWK,
                                           F16,
                                           F16,
                                           F16,
                                           PassThrough,
                                           PassThrough,
                                           PassThrough>;
    const auto forward       = DeviceOperationInstanceFactory<Forward>::GetInstances();
    const auto backward_data = DeviceOperationInstanceFactory<BackwardData>::GetInstances();
    ASSERT_FALSE(forward.empty());
    ASSERT_FALSE(backward_data.empty());
    const auto argument = make_argument(*backward_data[0], t, p);
    for(const auto& op : forward)
    {
        EXPECT_FALSE(op->IsSupportedArgument(argument.get()));
        EXPECT_NE(op->WhyNotSupported(argument.get()).find("another interface"), std::string::npos);
        EXPECT_EQ(op->GetWorkSpaceSize(argument.get()), 0u);
        EXPECT_THROW(op->MakeInvokerPointer()->Run(argument.get()), std::runtime_error);
    }
}

TEST(ConvFwd, RefusesArgumentsThatAreNullOrOfNoInstance)
{
    using Op =
        DeviceConvFwd<2, NHWC, KYXC, NHWK, F16, F16, F16, PassThrough, PassThrough, PassThrough>;
    const auto instances = DeviceOperationInstanceFactory<Op>::GetInstances();
    ASSERT_FALSE(instances.empty());
    Op& op = *instances[0];
    const tensor_operation::device::BaseArgument of_none;
    for(const tensor_operation::device::BaseArgument* a :
        {static_cast<const tensor_operation::device::BaseArgument*>(nullptr), &of_none})
    {
        EXPECT_THROW(op.IsSupportedArgument(a), std::invalid_argument);
        EXPECT_THROW(op.WhyNotSupported(a), std::invalid_argument);
        EXPECT_THROW(op.GetWorkSpaceSize(a), std::invalid_argument);
        EXPECT_THROW(op.MakeInvokerPointer()->Run(a), std::invalid_argument);
    }
    EXPECT_THROW(op.SetWorkSpacePointer(nullptr, nullptr), std::invalid_argument);
}

/// max(Y + bias, 0), and the residual that is added to that; instances: of one list.
template <bool with_residual, class Instances>
Ran forward_with_bias(const Instances& instances, index_t channels)
{
    const ConvParam p = one_group<2>(channels);
    ProblemTensors<NHWC, KYXC, NHWK, F16, F16, F16> t(p);
    compute_reference<ReferenceConvFwd<2, F16, F16, F16, PassThrough, PassThrough, PassThrough>>(t,
                                                                                                 p);
    Mirrored<F16> bias(HostTensorDescriptor({p.K_})), residual(t.y.host.mDesc);
    bias.fill_with_integers(), residual.fill_with_integers();
    Tensor<F16> expected(t.y.host);
    for(std::size_t i = 0; i < expected.mData.size(); ++i)
    {
        const auto number = [&](const Mirrored<F16>& m, std::size_t at) {
            return type_convert<float>(m.host.mData[at]);
        };
        const float sum = number(t.y, i) + number(bias, i % static_cast<std::size_t>(p.K_));
        expected.mData[i] =
            type_convert<F16>(std::max(sum, 0.f) + (with_residual ? number(residual, i) : 0.f));
    }
    return run_each(instances, t.y, expected, [&](auto& op) {
        const void* b = bias.device.GetDeviceBuffer();
        if constexpr(with_residual)
            return make_argument(
                op, t, p, b, static_cast<const void*>(residual.device.GetDeviceBuffer()));
        else
            return make_argument(op, t, p, b);
    });
}

TEST(ConvFwd, BiasAndReluOfEveryInstance)
{
    using tensor_operation::element_wise::AddReluAdd;
    std::vector<DeviceConvFwdBiasActivationPtr<PassThrough, PassThrough, AddRelu>> relu;
    add_device_conv2d_fwd_xdl_c_shuffle_bias_relu_nhwc_kyxc_nhwk_f16_instances(relu);
    EXPECT_GE(forward_with_bias<false>(relu, 16).right, 1);
    EXPECT_GE(forward_with_bias<false>(relu, 3).right, 1);
    std::vector<DeviceConvFwdBiasActivationAddPtr<PassThrough, PassThrough, AddReluAdd>> add;
    add_device_conv2d_fwd_xdl_c_shuffle_bias_relu_add_nhwc_kyxc_nhwk_f16_instances(add);
    EXPECT_GE(forward_with_bias<true>(add, 16).right, 1);
}

TEST(ConvFwd, OtherLayoutsAreEmpty)
{
    using Op =
        DeviceConvFwd<2, GNHWC, KYXC, NHWK, F16, F16, F16, PassThrough, PassThrough, PassThrough>;
    EXPECT_TRUE(DeviceOperationInstanceFactory<Op>::GetInstances().empty());
}

} // namespace
} // namespace ck::test::packed
