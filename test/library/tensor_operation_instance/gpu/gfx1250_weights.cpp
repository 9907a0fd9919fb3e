// What Composable Kernel's four operations for gfx1250 compute, by the factory while the host
// stands in for that device: backward weight of bf16, 3x3 of one channel a group, and 1x1 of few
// channels with pixels last.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight.hpp"

#include "library/tensor_operation_instance/gpu/instances.hpp"
#include "stand_in.hpp"

namespace ck::test::gfx1250_weights {
namespace {

using namespace tensor_layout::convolution;
using tensor_operation::element_wise::PassThrough;

/// Instances that are right, and at least one is, for every split_k that those operations take.
template <class InLayout, class WeiLayout, class OutLayout>
void expect_right(const ConvParam& p)
{
    using T = bhalf_t;
    ProblemTensors<InLayout, WeiLayout, OutLayout, T, T, T> t(p);
    Tensor<T> expected(t.w.host.mDesc);
    using Reference = tensor_operation::host::
        ReferenceConvBwdWeight<2, T, T, T, PassThrough, PassThrough, PassThrough>;
    Reference::MakeInvoker().Run(Reference::MakeArgument(t.x.host,
                                                         expected,
                                                         t.y.host,
                                                         p.conv_filter_strides_,
                                                         p.conv_filter_dilations_,
                                                         p.input_left_pads_,
                                                         p.input_right_pads_,
                                                         {},
                                                         {},
                                                         {}));
    using Op = tensor_operation::device::DeviceGroupedConvBwdWeight<2,
                                                                    InLayout,
                                                                    WeiLayout,
                                                                    OutLayout,
                                                                    T,
                                                                    T,
                                                                    T,
                                                                    PassThrough,
                                                                    PassThrough,
                                                                    PassThrough>;
    for(const index_t split_k : {-1, 1})
    {
        const Ran ran = run_all<Op>(t.w, expected, [&](Op& op) {
            return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                          t.w.device.GetDeviceBuffer(),
                                          t.y.device.GetDeviceBuffer(),
                                          lengths<2>(t.x),
                                          strides<2>(t.x),
                                          lengths<2>(t.w),
                                          strides<2>(t.w),
                                          lengths<2>(t.y),
                                          strides<2>(t.y),
                                          array_of<2>(p.conv_filter_strides_),
                                          array_of<2>(p.conv_filter_dilations_),
                                          array_of<2>(p.input_left_pads_),
                                          array_of<2>(p.input_right_pads_),
                                          PassThrough{},
                                          PassThrough{},
                                          PassThrough{},
                                          split_k);
        });
        EXPECT_GE(ran.right, 1) << p << ", split_k " << split_k;
        EXPECT_GE(ran.refused, 1) << "no other device's instances were asked";
    }
}

#if defined(CK_RUNTIME_HOST)
TEST(WeightsOfGfx1250, Depthwise)
{
    if(!stands_in("gfx1250"))
        return;
    const ConvParam p{2, 256, 2, 1, 1, {3, 3}, {6, 5}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    expect_right<NHWGC, GKYXC, NHWGK>(p);
    expect_right<NGCHW, GKYXC, NGKHW>(p);
    expect_right<NGCHW, GKCYX, NGKHW>(p);
}

TEST(WeightsOfGfx1250, PointwiseOfFewChannels)
{
    if(!stands_in("gfx1250"))
        return;
    for(const index_t channels : {8, 12, 24})
        expect_right<NGCHW, GKCYX, NGKHW>(
            {2, 1, 2, channels, channels, {1, 1}, {6, 5}, {1, 1}, {1, 1}, {0, 0}, {0, 0}});
}
#endif

} // namespace
} // namespace ck::test::gfx1250_weights
