// Every family of PassThrough in layouts with groups.
#include "ck/host_utility/device_prop.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"

#include "library/tensor_operation_instance/gpu/instances.hpp"

namespace ck::test::grouped {
namespace {

using namespace tensor_operation::device::instance;
using namespace tensor_operation::host;
using tensor_operation::device::DeviceGroupedConvBwdDataMultipleD;
using tensor_operation::device::DeviceGroupedConvBwdWeight;
using tensor_operation::device::DeviceGroupedConvFwdMultipleABD;

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

/// Layouts of X, W and Y.
template <class In, class Wei, class Out, index_t rank_>
struct Tags
{
    static constexpr index_t rank = rank_;

    template <class T, class Weight>
    using Tensors = ProblemTensors<In, Wei, Out, T, Weight, T>;

    template <class T, class Compute = T>
    static Ran forward(const ConvParam& p)
    {
        Tensors<T, T> t(p);
        compute_reference<ReferenceConvFwd<rank, T, T, T, PassThrough, PassThrough, PassThrough>>(
            t, p);
        using Op = DeviceGroupedConvFwdMultipleABD<rank,
                                                   In,
                                                   Wei,
                                                   Empty_Tuple,
                                                   Out,
                                                   T,
                                                   T,
                                                   Empty_Tuple,
                                                   T,
                                                   PassThrough,
                                                   PassThrough,
                                                   PassThrough,
                                                   Compute>;
        const Tensor<T> expected(t.y.host);
        return run_all<Op>(t.y, expected, [&](Op& op) {
            return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                          t.w.device.GetDeviceBuffer(),
                                          {},
                                          t.y.device.GetDeviceBuffer(),
                                          lengths<rank>(t.x),
                                          strides<rank>(t.x),
                                          lengths<rank>(t.w),
                                          strides<rank>(t.w),
                                          {},
                                          {},
                                          lengths<rank>(t.y),
                                          strides<rank>(t.y),
                                          array_of<rank>(p.conv_filter_strides_),
                                          array_of<rank>(p.conv_filter_dilations_),
                                          array_of<rank>(p.input_left_pads_),
                                          array_of<rank>(p.input_right_pads_),
                                          {},
                                          {},
                                          {});
        });
    }

    template <class T, class Compute = T>
    static Ran backward_data(const ConvParam& p)
    {
        Tensors<T, T> t(p);
        compute_reference<
            ReferenceConvBwdData<rank, T, T, T, PassThrough, PassThrough, PassThrough>>(t, p);
        using Op = DeviceGroupedConvBwdDataMultipleD<rank,
                                                     Out,
                                                     Wei,
                                                     Empty_Tuple,
                                                     In,
                                                     T,
                                                     T,
                                                     Empty_Tuple,
                                                     T,
                                                     PassThrough,
                                                     PassThrough,
                                                     PassThrough,
                                                     Compute>;
        const Tensor<T> expected(t.x.host);
        return run_all<Op>(t.x, expected, [&](Op& op) {
            return op.MakeArgumentPointer(t.y.device.GetDeviceBuffer(),
                                          t.w.device.GetDeviceBuffer(),
                                          {},
                                          t.x.device.GetDeviceBuffer(),
                                          lengths<rank>(t.y),
                                          strides<rank>(t.y),
                                          lengths<rank>(t.w),
                                          strides<rank>(t.w),
                                          {},
                                          {},
                                          lengths<rank>(t.x),
                                          strides<rank>(t.x),
                                          array_of<rank>(p.conv_filter_strides_),
                                          array_of<rank>(p.conv_filter_dilations_),
                                          array_of<rank>(p.input_left_pads_),
                                          array_of<rank>(p.input_right_pads_),
                                          {},
                                          {},
                                          {});
        });
    }

    template <class T, class Weight = T, class Compute = T>
    static Ran backward_weight(const ConvParam& p, index_t split_k)
    {
        Tensors<T, Weight> t(p);
        compute_reference<
            ReferenceConvBwdWeight<rank, T, Weight, T, PassThrough, PassThrough, PassThrough>>(t,
                                                                                               p);
        using Op = DeviceGroupedConvBwdWeight<rank,
                                              In,
                                              Wei,
                                              Out,
                                              T,
                                              Weight,
                                              T,
                                              PassThrough,
                                              PassThrough,
                                              PassThrough,
                                              Compute>;
        const Tensor<Weight> expected(t.w.host);
        return run_all<Op>(t.w, expected, [&](Op& op) {
            return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                          t.w.device.GetDeviceBuffer(),
                                          t.y.device.GetDeviceBuffer(),
                                          lengths<rank>(t.x),
                                          strides<rank>(t.x),
                                          lengths<rank>(t.w),
                                          strides<rank>(t.w),
                                          lengths<rank>(t.y),
                                          strides<rank>(t.y),
                                          array_of<rank>(p.conv_filter_strides_),
                                          array_of<rank>(p.conv_filter_dilations_),
                                          array_of<rank>(p.input_left_pads_),
                                          array_of<rank>(p.input_right_pads_),
                                          {},
                                          {},
                                          {},
                                          split_k);
        });
    }
};

using N1 = Tags<NWGC, GKXC, NWGK, 1>;
using N2 = Tags<NHWGC, GKYXC, NHWGK, 2>;
using N3 = Tags<NDHWGC, GKZYXC, NDHWGK, 3>;
using G1 = Tags<GNWC, GKXC, GNWK, 1>;
using G2 = Tags<GNHWC, GKYXC, GNHWK, 2>;
using G3 = Tags<GNDHWC, GKZYXC, GNDHWK, 3>;
using C2 = Tags<NGCHW, GKYXC, NGKHW, 2>;
using C3 = Tags<NGCDHW, GKZYXC, NGKDHW, 3>;

/// Wide vectors and any channels.
void expect_at_least_two(const Ran& ran) { EXPECT_GE(ran.right, 2); }

/// Kernels with vectors refuse channels that are far apart or few, the others do not.
void expect_any_channels(const Ran& ran)
{
    EXPECT_GE(ran.right, 1);
    EXPECT_GE(ran.refused, 1);
}

TEST(GroupedForward, ChannelLast)
{
    expect_at_least_two(N1::forward<half_t>(small_problem<1>()));
    expect_at_least_two(N2::forward<half_t>(small_problem<2>()));
    expect_at_least_two(N3::forward<bhalf_t>(small_problem<3>()));
    expect_at_least_two(G1::forward<float>(small_problem<1>()));
    expect_at_least_two(G2::forward<bhalf_t>(small_problem<2>()));
    expect_at_least_two(G3::forward<float>(small_problem<3>()));
    expect_at_least_two(G2::forward<double>(small_problem<2>()));
}
TEST(GroupedForward, AnyChannels)
{
    expect_any_channels(C2::forward<half_t>(small_problem<2>()));
    expect_any_channels(C3::forward<float>(small_problem<3>()));
    expect_any_channels(N2::forward<bhalf_t>(small_problem<2>(3)));
    expect_any_channels(C3::forward<double>(small_problem<3>()));
}

TEST(GroupedBackwardData, ChannelLast)
{
    expect_at_least_two(N1::backward_data<float>(small_problem<1>()));
    expect_at_least_two(N2::backward_data<half_t>(small_problem<2>()));
    expect_at_least_two(N3::backward_data<bhalf_t>(small_problem<3>()));
    expect_at_least_two(G1::backward_data<half_t>(small_problem<1>()));
    expect_at_least_two(G2::backward_data<bhalf_t>(small_problem<2>()));
    expect_at_least_two(G3::backward_data<float>(small_problem<3>()));
    expect_at_least_two(N1::backward_data<double>(small_problem<1>()));
}
TEST(GroupedBackwardData, AnyChannels)
{
    expect_any_channels(C2::backward_data<half_t>(small_problem<2>()));
    expect_any_channels(C3::backward_data<bhalf_t>(small_problem<3>()));
    expect_any_channels(G2::backward_data<float>(small_problem<2>(3)));
    expect_any_channels(N2::backward_data<double>(small_problem<2>(3)));
}

TEST(GroupedBackwardWeight, ChannelLast)
{
    expect_at_least_two(N1::backward_weight<bhalf_t>(small_problem<1>(), 3));
    expect_at_least_two(N2::backward_weight<half_t>(small_problem<2>(), 1));
    expect_at_least_two(N3::backward_weight<float>(small_problem<3>(), 2));
    expect_at_least_two(G1::backward_weight<half_t>(small_problem<1>(), 2));
    expect_at_least_two((G2::backward_weight<bhalf_t, float>(small_problem<2>(), 2)));
    expect_at_least_two(G3::backward_weight<bhalf_t>(small_problem<3>(), -1));
    expect_at_least_two(N2::backward_weight<double>(small_problem<2>(), 3));
}
TEST(GroupedBackwardWeight, AnyChannels)
{
    expect_any_channels(C2::backward_weight<half_t>(small_problem<2>(), 2));
    expect_any_channels(C3::backward_weight<bhalf_t>(small_problem<3>(), 1));
    expect_any_channels(N2::backward_weight<float>(small_problem<2>(3), 2));
    expect_any_channels(C2::backward_weight<double>(small_problem<2>(), -1));
}

bool multiplies_tf32(const std::string& name)
{
    return name.find("_tf32") != name.npos || name.find("_xf32") != name.npos;
}

/// ran: of floats that may be multiplied as tf32; plain: of floats.
void expect_tf32(const Ran& ran, const Ran& plain)
{
    for(const std::string& name : ran.names) // Large_Tensor is any of the others
        EXPECT_TRUE(multiplies_tf32(name) || name.find("Large_Tensor") != name.npos) << name;
    for(const std::string& name : plain.names)
        EXPECT_FALSE(multiplies_tf32(name)) << name;
    EXPECT_GE(plain.right, 1);
    const bool has_instruction = arch::meets(current_target(), arch::Requirement::mma_sync) ||
                                 arch::meets(current_target(), arch::Requirement::mfma_gfx942);
    EXPECT_EQ(ran.right >= 2, has_instruction);
    EXPECT_GE(ran.right + ran.refused, 1);
}

TEST(GroupedTf32, OnlyWhereItIsAskedFor)
{
    expect_tf32(N2::forward<float, tf32_t>(small_problem<2>()),
                N2::forward<float>(small_problem<2>()));
    expect_tf32(N2::backward_data<float, tf32_t>(small_problem<2>()),
                N2::backward_data<float>(small_problem<2>()));
    expect_tf32(N2::backward_weight<float, float, tf32_t>(small_problem<2>(), 2),
                N2::backward_weight<float>(small_problem<2>(), 2));
}

} // namespace
} // namespace ck::test::grouped
