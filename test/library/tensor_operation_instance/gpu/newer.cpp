// The interfaces and factories that Composable Kernel has had since 2025: clamps and normalisations
// of biased results, activations chosen when they run, sizes of 64 bits, split_k of backward data,
// and an instance that calls itself Large_Tensor.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight_bilinear.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_bias_bnorm_clamp.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_bias_clamp.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_clamp.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_dynamic_op.hpp"

#include "library/tensor_operation_instance/gpu/instances.hpp"
#include <algorithm>

namespace ck::test::newer {
namespace {

using namespace tensor_operation::device;
using namespace tensor_operation::device::instance;
using namespace tensor_operation::element_wise;
using tensor_operation::element_wise::AddClamp;
using tensor_operation::element_wise::BiasNormalizeInInferClamp;
using tensor_operation::element_wise::Clamp;
using tensor_operation::element_wise::DynamicUnaryOp;
using tensor_operation::element_wise::PassThrough;

constexpr index_t rank = 2;

template <class Wide, std::size_t n>
std::array<Wide, n> as(const std::array<index_t, n>& values)
{
    std::array<Wide, n> r{};
    std::copy(values.begin(), values.end(), r.begin());
    return r;
}

/// Computes packed tensors with the reference of a direction.
template <template <index_t,
                    class,
                    class,
                    class,
                    class,
                    class,
                    class,
                    index_t,
                    index_t,
                    index_t,
                    class...>
          class Reference,
          class In,
          class Wei,
          class Out>
void sums(Tensor<In>& x, Tensor<Wei>& w, Tensor<Out>& y, const ConvParam& p)
{
    using R = Reference<rank, In, Wei, Out, PassThrough, PassThrough, PassThrough, 0, 0, 0>;
    R::MakeInvoker().Run(R::MakeArgument(x,
                                         w,
                                         y,
                                         p.conv_filter_strides_,
                                         p.conv_filter_dilations_,
                                         p.input_left_pads_,
                                         p.input_right_pads_,
                                         {},
                                         {},
                                         {}));
}

/// Exactly one instance is called Large_Tensor, and it ran.
void expect_large_tensor(const Ran& ran)
{
    EXPECT_EQ(std::count_if(
                  ran.names.begin(),
                  ran.names.end(),
                  [](const std::string& name) { return name.find("Large_Tensor") != name.npos; }),
              1);
    EXPECT_GE(ran.right, 2);
}

/// Y = operation(X * W, d...) with D tensors of a value for each channel, which fill(tensor, its
/// number) fills.
template <class T,
          class Compute,
          class DLayout = NHWGK,
          std::size_t... i,
          class Operation,
          class Fill>
Ran forward(const Operation& operation, std::index_sequence<i...>, Fill fill)
{
    constexpr std::size_t d_count = sizeof...(i);
    using Ds                      = Tuple<std::conditional_t<i >= 0, T, void>...>;
    using DLayouts                = Tuple<std::conditional_t<i >= 0, DLayout, void>...>;
    const ConvParam p             = small_problem<rank>();
    ProblemTensors<NHWGC, GKYXC, NHWGK, T, T, T> t(p);
    const auto channels = static_cast<std::size_t>(p.G_ * p.K_);
    const std::array<std::unique_ptr<Mirrored<T>>, d_count> ds{
        (static_cast<void>(i),
         std::make_unique<Mirrored<T>>(
             HostTensorDescriptor(std::vector<std::size_t>{channels})))...};
    for(std::size_t d = 0; d < d_count; ++d)
        fill(*ds[d], d);

    Tensor<float> sum(t.y.host.mDesc);
    sums<tensor_operation::host::ReferenceConvFwd>(t.x.host, t.w.host, sum, p);
    Tensor<T> expected(t.y.host.mDesc);
    for(std::size_t e = 0; e < expected.mData.size(); ++e) // packed, channels last
        operation(
            expected.mData[e],
            static_cast<std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, float>>(
                sum.mData[e]),
            ds[i]->host.mData[e % channels]...);

    using Op = DeviceGroupedConvFwdMultipleABD<rank,
                                               NHWGC,
                                               GKYXC,
                                               DLayouts,
                                               NHWGK,
                                               T,
                                               T,
                                               Ds,
                                               T,
                                               PassThrough,
                                               PassThrough,
                                               Operation,
                                               Compute,
                                               Compute>;
    std::array<const void*, d_count> pointers{ds[i]->device.GetDeviceBuffer()...};
    std::array<std::array<index_t, rank + 3>, d_count> d_lengths, d_strides;
    d_lengths.fill(lengths<rank>(t.y));
    d_strides.fill({static_cast<index_t>(p.K_), 0, 1, 0, 0});
    return run_all<Op>(t.y, expected, [&](Op& op) {
        return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                      t.w.device.GetDeviceBuffer(),
                                      pointers,
                                      t.y.device.GetDeviceBuffer(),
                                      lengths<rank>(t.x),
                                      strides<rank>(t.x),
                                      lengths<rank>(t.w),
                                      strides<rank>(t.w),
                                      d_lengths,
                                      d_strides,
                                      lengths<rank>(t.y),
                                      strides<rank>(t.y),
                                      array_of<rank>(p.conv_filter_strides_),
                                      array_of<rank>(p.conv_filter_dilations_),
                                      array_of<rank>(p.input_left_pads_),
                                      array_of<rank>(p.input_right_pads_),
                                      {},
                                      {},
                                      operation);
    });
}

template <class T, class Compute = T>
void clamps()
{
    const auto integers = [](auto& d, std::size_t) { d.fill_with_integers(); };
    expect_large_tensor(
        forward<T, Compute>(Clamp{-3.f, 5.f}, std::make_index_sequence<0>{}, integers));
    expect_large_tensor(
        forward<T, Compute>(AddClamp{-3.f, 5.f}, std::make_index_sequence<1>{}, integers));
    // a variance of 4 and no epsilon: halves, exact in every type
    const auto with_variance = [](auto& d, std::size_t which) {
        d.fill_with_integers();
        if(which != 2)
            return;
        for(T& value : d.host.mData)
            value = type_convert<T>(4.f);
        d.device.ToDevice(d.host.mData.data());
    };
    const BiasNormalizeInInferClamp normalize{-30.f, 60.f, 0.f};
    const auto five = std::make_index_sequence<5>{};
    expect_large_tensor(forward<T, Compute>(normalize, five, with_variance));
    if constexpr(std::is_same_v<T, half_t>) // by the layout that such tensors have, too
        expect_large_tensor(forward<T, Compute, G_K>(normalize, five, with_variance));
}

/// Counts instances for volumes, with D tensors like the result.
template <class T, class Compute, class Operation, class... Ds>
std::size_t instances_of_3d()
{
    using Op = DeviceGroupedConvFwdMultipleABD<3,
                                               NDHWGC,
                                               GKZYXC,
                                               Tuple<std::conditional_t<true, NDHWGK, Ds>...>,
                                               NDHWGK,
                                               T,
                                               T,
                                               Tuple<Ds...>,
                                               T,
                                               PassThrough,
                                               PassThrough,
                                               Operation,
                                               Compute,
                                               Compute>;
    return DeviceOperationInstanceFactory<Op>::GetInstances().size();
}
template <class T, class Compute = T>
void expect_clamps_of_3d()
{
    EXPECT_GE((instances_of_3d<T, Compute, Clamp>()), 2u);
    EXPECT_GE((instances_of_3d<T, Compute, AddClamp, T>()), 2u);
    EXPECT_GE((instances_of_3d<T, Compute, BiasNormalizeInInferClamp, T, T, T, T, T>()), 2u);
}

template <class T>
void dynamic()
{
    const auto none = [](auto&, std::size_t) {};
    for(const DynamicUnaryOp& op : {DynamicUnaryOp(PassThrough{}),
                                    DynamicUnaryOp(Relu{}),
                                    DynamicUnaryOp(UnaryAbs{}),
                                    DynamicUnaryOp(LeakyRelu{-2.f}),
                                    DynamicUnaryOp(ClippedRelu{-3.f, 4.f})})
        expect_large_tensor(forward<T, T>(op, std::make_index_sequence<0>{}, none));
}

TEST(NewerFactories, ClampHalf) { clamps<half_t>(); }
TEST(NewerFactories, ClampBfloat) { clamps<bhalf_t>(); }
TEST(NewerFactories, ClampFloat) { clamps<float>(); }
TEST(NewerFactories, ClampTf32) { clamps<float, tf32_t>(); }
TEST(NewerFactories, HaveInstancesOfVolumes)
{
    expect_clamps_of_3d<half_t>();
    expect_clamps_of_3d<bhalf_t>();
    expect_clamps_of_3d<float>();
    expect_clamps_of_3d<float, tf32_t>();
    EXPECT_GE((instances_of_3d<half_t, half_t, DynamicUnaryOp>()), 2u);
    EXPECT_GE((instances_of_3d<std::int8_t, std::int8_t, DynamicUnaryOp>()), 2u);
}
TEST(NewerFactories, DynamicHalf) { dynamic<half_t>(); }
TEST(NewerFactories, DynamicBfloat) { dynamic<bhalf_t>(); }
TEST(NewerFactories, DynamicFloat) { dynamic<float>(); }
TEST(NewerFactories, DynamicInt8) { dynamic<std::int8_t>(); }

/// dX with sizes of type Index, and more parameters after the operations.
template <class Index, class... More>
Ran backward_data(More... more)
{
    using T           = half_t;
    const ConvParam p = small_problem<rank>();
    ProblemTensors<NHWGC, GKYXC, NHWGK, T, T, T> t(p);
    Tensor<T> expected(t.x.host.mDesc);
    sums<tensor_operation::host::ReferenceConvBwdData>(expected, t.w.host, t.y.host, p);
    using Op = DeviceGroupedConvBwdDataMultipleD<rank,
                                                 NHWGK,
                                                 GKYXC,
                                                 Tuple<>,
                                                 NHWGC,
                                                 T,
                                                 T,
                                                 Tuple<>,
                                                 T,
                                                 PassThrough,
                                                 PassThrough,
                                                 PassThrough>;
    return run_all<Op>(t.x, expected, [&](Op& op) {
        return op.MakeArgumentPointer(t.y.device.GetDeviceBuffer(),
                                      t.w.device.GetDeviceBuffer(),
                                      {},
                                      t.x.device.GetDeviceBuffer(),
                                      as<Index>(lengths<rank>(t.y)),
                                      as<Index>(strides<rank>(t.y)),
                                      as<Index>(lengths<rank>(t.w)),
                                      as<Index>(strides<rank>(t.w)),
                                      {},
                                      {},
                                      as<Index>(lengths<rank>(t.x)),
                                      as<Index>(strides<rank>(t.x)),
                                      as<Index>(array_of<rank>(p.conv_filter_strides_)),
                                      as<Index>(array_of<rank>(p.conv_filter_dilations_)),
                                      as<Index>(array_of<rank>(p.input_left_pads_)),
                                      as<Index>(array_of<rank>(p.input_right_pads_)),
                                      PassThrough{},
                                      PassThrough{},
                                      PassThrough{},
                                      more...);
    });
}

TEST(NewerInterface, BackwardDataHasSplitKAndSizesOf64Bits)
{
    expect_large_tensor(backward_data<index_t>());
    expect_large_tensor(backward_data<long_index_t>());
    for(const index_t split_k : {-1, 0, 1, 2, 128})
    {
        SCOPED_TRACE(split_k);
        expect_large_tensor(backward_data<index_t>(split_k));
        expect_large_tensor(backward_data<long_index_t>(split_k));
    }
    const Ran ran = backward_data<index_t>(index_t{-2});
    EXPECT_EQ(ran.right, 0);
    EXPECT_GT(ran.refused, 1);
}

/// Backward weight by every instance with sizes of 64 bits.
Ran backward_weight(index_t split_k)
{
    using T           = half_t;
    const ConvParam p = small_problem<rank>();
    ProblemTensors<NHWGC, GKYXC, NHWGK, T, T, T> t(p);
    Tensor<T> expected(t.w.host.mDesc);
    sums<tensor_operation::host::ReferenceConvBwdWeight>(t.x.host, expected, t.y.host, p);
    using Op = DeviceGroupedConvBwdWeight<rank,
                                          NHWGC,
                                          GKYXC,
                                          NHWGK,
                                          T,
                                          T,
                                          T,
                                          PassThrough,
                                          PassThrough,
                                          PassThrough>;
    using W  = long_index_t;
    return run_all<Op>(t.w, expected, [&](Op& op) {
        return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                      t.w.device.GetDeviceBuffer(),
                                      t.y.device.GetDeviceBuffer(),
                                      as<W>(lengths<rank>(t.x)),
                                      as<W>(strides<rank>(t.x)),
                                      as<W>(lengths<rank>(t.w)),
                                      as<W>(strides<rank>(t.w)),
                                      as<W>(lengths<rank>(t.y)),
                                      as<W>(strides<rank>(t.y)),
                                      as<W>(array_of<rank>(p.conv_filter_strides_)),
                                      as<W>(array_of<rank>(p.conv_filter_dilations_)),
                                      as<W>(array_of<rank>(p.input_left_pads_)),
                                      as<W>(array_of<rank>(p.input_right_pads_)),
                                      PassThrough{},
                                      PassThrough{},
                                      PassThrough{},
                                      split_k);
    });
}

TEST(NewerInterface, BackwardWeightHasSizesOf64BitsAndTakesASplitOfZero)
{
    for(const index_t split_k : {-1, 0, 2})
    {
        SCOPED_TRACE(split_k);
        expect_large_tensor(backward_weight(split_k));
    }
    const Ran ran = backward_weight(-2);
    EXPECT_EQ(ran.right, 0);
    EXPECT_GT(ran.refused, 1);
}

} // namespace
} // namespace ck::test::newer
