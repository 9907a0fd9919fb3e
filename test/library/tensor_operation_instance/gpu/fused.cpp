// Families with other types, compute types and operations than f16, bf16, f32 and PassThrough.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data_bilinear.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data_scale.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight_bilinear.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight_scale.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_bilinear.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_convinvscale.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_convscale.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_convscale_add.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_convscale_relu.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_scale.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_scaleadd_ab.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_scaleadd_scaleadd_relu.hpp"
#include "ck/library/tensor_operation_instance/gpu/quantization/grouped_convolution_bias_forward_perchannel_quantization.hpp"
#include "ck/library/tensor_operation_instance/gpu/quantization/grouped_convolution_bias_forward_perlayer_quantization.hpp"
#include "ck/library/tensor_operation_instance/gpu/quantization/grouped_convolution_forward_perchannel_quantization.hpp"
#include "ck/library/tensor_operation_instance/gpu/quantization/grouped_convolution_forward_perlayer_quantization.hpp"

#include "library/tensor_operation_instance/gpu/instances.hpp"

namespace ck::test::fused {
namespace {

using namespace tensor_operation::device::instance;
using namespace tensor_operation::host;
using namespace tensor_operation::element_wise;
using tensor_operation::device::DeviceGroupedConvBwdDataMultipleD;
using tensor_operation::device::DeviceGroupedConvBwdWeightMultipleD;
using tensor_operation::device::DeviceGroupedConvFwdMultipleABD;
using tensor_operation::element_wise::Bilinear;
using tensor_operation::element_wise::PassThrough;
using tensor_operation::element_wise::Scale;
using F8  = f8_t;
using BF8 = bf8_t;

constexpr index_t rank = 3;

/// What an operation sees: int8 is summed in integers.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, float>;

// References of plain sums, as templates of just the types.
template <class In, class Wei, class Out>
using Forward = ReferenceConvFwd<rank, In, Wei, Out, PassThrough, PassThrough, PassThrough>;
template <class In, class Wei, class Out>
using BackwardData =
    ReferenceConvBwdData<rank, In, Wei, Out, PassThrough, PassThrough, PassThrough>;
template <class In, class Wei, class Out>
using BackwardWeight =
    ReferenceConvBwdWeight<rank, In, Wei, Out, PassThrough, PassThrough, PassThrough>;

/// The sums of a convolution into the tensor that the reference computes, of the others.
template <template <class, class, class> class Reference, class In, class Wei, class Out>
void sums(Tensor<In>& x, Tensor<Wei>& w, Tensor<Out>& y, const ConvParam& p)
{
    using R = Reference<In, Wei, Out>;
    auto r  = R::MakeInvoker();
    r.Run(R::MakeArgument(x,
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

/// D tensors: the first of C's descriptor, the second a bias, for each channel of each group.
template <class C, class... D>
struct DTensors
{
    explicit DTensors(const Mirrored<C>& c, index_t channels)
        : channels_(static_cast<std::size_t>(channels)),
          all_(Mirrored<D>(c.host.mDesc)...)
    {
        std::apply([](auto&... d) { (d.fill_with_integers(), ...); }, all_);
        lengths.fill(test::lengths<rank>(c));
        strides.fill(test::strides<rank>(c));
        if constexpr(sizeof...(D) == 2)
        {
            const index_t k = lengths[1][2];
            lengths[1]      = {lengths[1][0], 1, k, 1, 1, 1};
            strides[1]      = {k, 0, 1, 0, 0, 0};
        }
        std::size_t i = 0;
        std::apply([&](auto&... d) { ((pointers[i++] = d.device.GetDeviceBuffer()), ...); }, all_);
    }

    /// operation(sum, d...) for each element. C is packed, channels last.
    template <class S, class Operation>
    Tensor<C> apply(const Tensor<float>& from, const HostTensorDescriptor& c, Operation operation)
    {
        Tensor<C> expected(c);
        for(std::size_t i = 0; i < expected.mData.size(); ++i)
            [&]<std::size_t... n>(std::index_sequence<n...>)
            {
                operation(expected.mData[i],
                          static_cast<S>(from.mData[i]),
                          std::get<n>(all_).host.mData[n == 0 ? i : i % channels_]...);
            }
        (std::index_sequence_for<D...>{});
        return expected;
    }

    std::array<const void*, sizeof...(D)> pointers{};
    std::array<std::array<index_t, rank + 3>, sizeof...(D)> lengths{}, strides{};

private:
    std::size_t channels_;
    std::tuple<Mirrored<D>...> all_;
};

template <class In,
          class Wei,
          class Out,
          class Operation,
          class ComputeA = In,
          class ComputeB = Wei,
          class... D>
Ran forward(Operation operation, Tuple<D...> = {})
{
    const ConvParam p = small_problem<rank>();
    ProblemTensors<NDHWGC, GKZYXC, NDHWGK, In, Wei, Out> t(p);
    DTensors<Out, D...> ds(t.y, 2 * lengths<rank>(t.y)[2]);
    Tensor<float> sum(t.y.host.mDesc);
    sums<Forward>(t.x.host, t.w.host, sum, p);
    const auto expected = ds.template apply<Sum<In>>(sum, t.y.host.mDesc, operation);

    using DLayouts = std::conditional_t<
        sizeof...(D) == 0,
        Tuple<>,
        std::conditional_t<sizeof...(D) == 1, Tuple<NDHWGK>, Tuple<NDHWGK, G_K>>>;
    using Op = DeviceGroupedConvFwdMultipleABD<rank,
                                               NDHWGC,
                                               GKZYXC,
                                               DLayouts,
                                               NDHWGK,
                                               In,
                                               Wei,
                                               Tuple<D...>,
                                               Out,
                                               PassThrough,
                                               PassThrough,
                                               Operation,
                                               ComputeA,
                                               ComputeB>;
    return run_all<Op>(t.y, expected, [&](Op& op) {
        return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                      t.w.device.GetDeviceBuffer(),
                                      ds.pointers,
                                      t.y.device.GetDeviceBuffer(),
                                      lengths<rank>(t.x),
                                      strides<rank>(t.x),
                                      lengths<rank>(t.w),
                                      strides<rank>(t.w),
                                      ds.lengths,
                                      ds.strides,
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

/// X and W are each made of two tensors: 2 * first + second.
template <class T>
Ran forward_of_pairs()
{
    const ConvParam p = small_problem<rank>();
    ProblemTensors<NDHWGC, GKZYXC, NDHWGK, T, T, T> first(p), second(p);
    const ScaleAdd twice{2.f};
    const auto made = [&](const Tensor<T>& a, const Tensor<T>& b) {
        Tensor<float> sum(a.mDesc);
        for(std::size_t i = 0; i < sum.mData.size(); ++i)
            sum.mData[i] = 2 * type_convert<float>(a.mData[i]) + type_convert<float>(b.mData[i]);
        return sum;
    };
    Tensor<float> x = made(first.x.host, second.x.host), w = made(first.w.host, second.w.host),
                  sum(first.y.host.mDesc);
    sums<Forward>(x, w, sum, p);
    const auto expected =
        DTensors<T>(first.y, 0).template apply<Sum<T>>(sum, sum.mDesc, PassThrough{});

    using Two = Tuple<T, T>;
    using Op  = DeviceGroupedConvFwdMultipleABD<rank,
                                               NDHWGC,
                                               GKZYXC,
                                               Empty_Tuple,
                                               NDHWGK,
                                               Two,
                                               Two,
                                               Empty_Tuple,
                                               T,
                                               ScaleAdd,
                                               ScaleAdd,
                                               PassThrough>;
    std::array<const void*, 2> xs{first.x.device.GetDeviceBuffer(),
                                  second.x.device.GetDeviceBuffer()},
        ws{first.w.device.GetDeviceBuffer(), second.w.device.GetDeviceBuffer()};
    return run_all<Op>(first.y, expected, [&](Op& op) {
        return op.MakeArgumentPointer(xs,
                                      ws,
                                      {},
                                      first.y.device.GetDeviceBuffer(),
                                      lengths<rank>(first.x),
                                      strides<rank>(first.x),
                                      lengths<rank>(first.w),
                                      strides<rank>(first.w),
                                      {},
                                      {},
                                      lengths<rank>(first.y),
                                      strides<rank>(first.y),
                                      array_of<rank>(p.conv_filter_strides_),
                                      array_of<rank>(p.conv_filter_dilations_),
                                      array_of<rank>(p.input_left_pads_),
                                      array_of<rank>(p.input_right_pads_),
                                      twice,
                                      twice,
                                      {});
    });
}

template <class T, class Operation, class ComputeA = T, class ComputeB = ComputeA, class... D>
Ran backward_data(Operation operation, Tuple<D...> = {})
{
    const ConvParam p = small_problem<rank>();
    ProblemTensors<NDHWGC, GKZYXC, NDHWGK, T, T, T> t(p);
    DTensors<T, D...> ds(t.x, 0);
    Tensor<float> sum(t.x.host.mDesc);
    sums<BackwardData>(sum, t.w.host, t.y.host, p);
    const auto expected = ds.template apply<Sum<T>>(sum, t.x.host.mDesc, operation);

    using Op = DeviceGroupedConvBwdDataMultipleD<
        rank,
        NDHWGK,
        GKZYXC,
        std::conditional_t<sizeof...(D) == 0, Tuple<>, Tuple<NDHWGC>>,
        NDHWGC,
        T,
        T,
        Tuple<D...>,
        T,
        PassThrough,
        PassThrough,
        Operation,
        ComputeA,
        ComputeB>;
    return run_all<Op>(t.x, expected, [&](Op& op) {
        return op.MakeArgumentPointer(t.y.device.GetDeviceBuffer(),
                                      t.w.device.GetDeviceBuffer(),
                                      ds.pointers,
                                      t.x.device.GetDeviceBuffer(),
                                      lengths<rank>(t.y),
                                      strides<rank>(t.y),
                                      lengths<rank>(t.w),
                                      strides<rank>(t.w),
                                      ds.lengths,
                                      ds.strides,
                                      lengths<rank>(t.x),
                                      strides<rank>(t.x),
                                      array_of<rank>(p.conv_filter_strides_),
                                      array_of<rank>(p.conv_filter_dilations_),
                                      array_of<rank>(p.input_left_pads_),
                                      array_of<rank>(p.input_right_pads_),
                                      {},
                                      {},
                                      operation);
    });
}

template <class T,
          class Weight,
          class Operation,
          class ComputeA = T,
          class ComputeB = ComputeA,
          class... D>
Ran backward_weight(Operation operation, Tuple<D...> = {})
{
    const ConvParam p = small_problem<rank>();
    ProblemTensors<NDHWGC, GKZYXC, NDHWGK, T, Weight, T> t(p);
    DTensors<Weight, D...> ds(t.w, 0);
    Tensor<float> sum(t.w.host.mDesc);
    sums<BackwardWeight>(t.x.host, sum, t.y.host, p);
    const auto expected = ds.template apply<Sum<T>>(sum, t.w.host.mDesc, operation);

    using Op = DeviceGroupedConvBwdWeightMultipleD<
        rank,
        NDHWGC,
        GKZYXC,
        NDHWGK,
        std::conditional_t<sizeof...(D) == 0, Tuple<>, Tuple<GKZYXC>>,
        T,
        Weight,
        T,
        Tuple<D...>,
        PassThrough,
        Operation,
        PassThrough,
        ComputeA,
        ComputeB>;
    return run_all<Op>(t.w, expected, [&](Op& op) {
        return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                      t.w.device.GetDeviceBuffer(),
                                      t.y.device.GetDeviceBuffer(),
                                      ds.pointers,
                                      lengths<rank>(t.x),
                                      strides<rank>(t.x),
                                      lengths<rank>(t.w),
                                      strides<rank>(t.w),
                                      lengths<rank>(t.y),
                                      strides<rank>(t.y),
                                      ds.lengths,
                                      ds.strides,
                                      array_of<rank>(p.conv_filter_strides_),
                                      array_of<rank>(p.conv_filter_dilations_),
                                      array_of<rank>(p.input_left_pads_),
                                      array_of<rank>(p.input_right_pads_),
                                      {},
                                      operation,
                                      {},
                                      2);
    });
}

/// At least the instance for any channels must have run.
void expect_right(const Ran& ran) { EXPECT_GE(ran.right, 1); }

TEST(FusedForward, FloatingPoint)
{
    expect_right(forward<F16, F16, F16>(Bilinear{2.f, .5f}, F16_Tuple{}));
    expect_right(forward<BF16, BF16, BF16>(Scale{.25f}));
    expect_right(forward<F32, F32, F32>(ScaleAddScaleAddRelu{2.f, .5f}, F32_F32_Tuple{}));
}
TEST(FusedForward, Integers)
{
    expect_right(forward<I8, I8, I8>(PassThrough{}));
    expect_right(forward<I8, I8, I8>(Bilinear{.25f, 2.f}, I8_Tuple{}));
    expect_right(forward<I8, I8, I8>(ScaleAddScaleAddRelu{.25f, .5f}, F32_F32_Tuple{}));
}
TEST(FusedForward, BackToEightBits)
{
    expect_right(forward<I8, I8, I8>(Activation_Mul_Clamp<PassThrough>{.25f}));
    expect_right(forward<I8, I8, I8>(Activation_Mul2_Clamp<Relu>{}, F32_Tuple{}));
    expect_right(forward<I8, I8, I8>(Add_Activation_Mul_Clamp<Relu>{.25f}, I32_Tuple{}));
    expect_right(forward<I8, I8, I8>(Add_Activation_Mul2_Clamp<PassThrough>{}, I32_F32_Tuple{}));
    expect_right(
        forward<I8, I8, I8>(Add_Mul_Activation_Mul_Clamp<TanH>{.25f, 100.25f}, I32_Tuple{}));
    expect_right(
        forward<I8, I8, I8>(Add_Mul2_Activation_Mul_Clamp<TanH>{100.25f}, I32_F32_Tuple{}));
}
TEST(FusedForward, EightBitFloats)
{
    expect_right(forward<BF8, F8, F8>(PassThrough{}));
    expect_right(forward<F8, BF8, F8>(ConvScale{.5f, .25f, 2.f}));
    expect_right(forward<F8, F8, F8>(ConvScaleRelu{.5f, .25f, 2.f}));
    expect_right(forward<F8, F8, F8>(ConvInvscale{2.f, 4.f, .5f}));
    expect_right(forward<F8, F8, F8>(ConvScaleAdd{.5f, .25f, 2.f}, F32_Tuple{}));
    expect_right(forward<F8, F8, F32>(ScaleScalePass{Scale{.5f}, Scale{.25f}, {}}));
    expect_right(forward<F8, F8, F32>(ScaleScaleRelu{Scale{.5f}, Scale{.25f}, {}}));
    expect_right(forward<f8_ocp_t, bf8_ocp_t, f8_ocp_t>(PassThrough{}));
}
TEST(FusedForward, HalvesComputedAsEightBitFloats)
{
    expect_right(forward<F16, F16, F16, PassThrough, F8, F8>(PassThrough{}));
}

TEST(FusedForward, OperandsOfTwoTensors)
{
    expect_right(forward_of_pairs<F32>());
    expect_right(forward_of_pairs<F16>());
    expect_right(forward_of_pairs<BF16>());
    expect_right(forward_of_pairs<I8>());
}

TEST(FusedBackwardData, Operations)
{
    expect_right(backward_data<F16>(Bilinear{2.f, .5f}, F16_Tuple{}));
    expect_right(backward_data<F32>(Scale{.25f}));
    expect_right(backward_data<I8>(PassThrough{}));
    expect_right(backward_data<F16, PassThrough, BF8, F8>(PassThrough{}));
}

TEST(FusedBackwardWeight, Operations)
{
    expect_right(backward_weight<BF16, F32>(Bilinear{2.f, .5f}, F32_Tuple{}));
    expect_right(backward_weight<F16, F16>(Scale{.25f}));
    expect_right(backward_weight<F16, F16, Bilinear, BF8, F8>(Bilinear{2.f, .5f}, F16_Tuple{}));
    expect_right(backward_weight<F16, F16, Scale, BF8, F8>(Scale{.25f}));
}

TEST(FusedFactories, KeysWithoutInstancesAreEmpty)
{
    using Pairs = DeviceGroupedConvFwdMultipleABD<rank,
                                                  NDHWGC,
                                                  GKZYXC,
                                                  Empty_Tuple,
                                                  NDHWGK,
                                                  Tuple<F64, F64>,
                                                  Tuple<F64, F64>,
                                                  Empty_Tuple,
                                                  F64,
                                                  ScaleAdd,
                                                  ScaleAdd,
                                                  PassThrough>;
    EXPECT_TRUE(DeviceOperationInstanceFactory<Pairs>::GetInstances().empty());
    using Wide = DeviceGroupedConvFwdMultipleABD<rank,
                                                 NDHWGC,
                                                 GKZYXC,
                                                 Tuple<NDHWGK>,
                                                 NDHWGK,
                                                 F64,
                                                 F64,
                                                 F64_Tuple,
                                                 F64,
                                                 PassThrough,
                                                 PassThrough,
                                                 Bilinear>;
    EXPECT_TRUE(DeviceOperationInstanceFactory<Wide>::GetInstances().empty());
}

/// Whether the library has kernels of all the families.
template <class... Families>
void expect_kernels()
{
    const auto expect = [](const Family& f, std::size_t count) {
        EXPECT_GE(count, 1u) << name(f.direction) << ": " << f.a << ", " << f.b << ", " << f.c
                             << " with " << f.operation_c;
    };
    (expect(Families::key(), kernels_of(Families::key()).size()), ...);
}

template <Direction direction, class A, class B, class C, class Operation, class... D>
using F = ConvFamily<direction, A, B, C, Tuple<D...>, PassThrough, PassThrough, Operation>;

template <Direction direction, class Operation, class... D>
using AsTf32 = ConvFamily<direction,
                          F32,
                          F32,
                          F32,
                          Tuple<D...>,
                          PassThrough,
                          PassThrough,
                          Operation,
                          tf32_t,
                          tf32_t>;

TEST(FusedFamilies, AreThereForEveryType)
{
    using enum Direction;
    expect_kernels<F<forward, BF16, BF16, BF16, Bilinear, BF16>,
                   F<forward, F32, F32, F32, Bilinear, F32>,
                   F<forward, F16, F16, F16, Scale>,
                   F<forward, F32, F32, F32, Scale>,
                   F<forward, I8, I8, I8, Scale>,
                   F<forward, F16, F16, F16, ScaleAddScaleAddRelu, F16, F16>,
                   F<forward, BF16, BF16, BF16, ScaleAddScaleAddRelu, BF16, BF16>,
                   F<forward, F8, F8, F8, PassThrough>,
                   F<forward, BF8, BF8, F8, PassThrough>,
                   F<forward, F8, BF8, F8, PassThrough>,
                   F<forward, F8, F8, F8, ConvScale>,
                   F<forward, BF8, BF8, F8, ConvScale>,
                   F<forward, BF8, F8, F8, ConvScale>,
                   F<backward_data, BF16, BF16, BF16, Bilinear, BF16>,
                   F<backward_data, F32, F32, F32, Bilinear, F32>,
                   F<backward_data, F16, F16, F16, Scale>,
                   F<backward_data, BF16, BF16, BF16, Scale>,
                   F<backward_weight, F16, F16, F16, Bilinear, F16>,
                   F<backward_weight, F32, F32, F32, Bilinear, F32>,
                   F<backward_weight, F32, F32, F32, Scale>,
                   F<backward_weight, BF16, BF16, F32, Scale>,
                   F<backward_weight, I8, I8, I8, PassThrough>,
                   AsTf32<forward, Bilinear, F32>,
                   AsTf32<forward, Scale>,
                   AsTf32<forward, ScaleAddScaleAddRelu, F32, F32>,
                   AsTf32<backward_data, Bilinear, F32>,
                   AsTf32<backward_data, Scale>,
                   AsTf32<backward_weight, Bilinear, F32>,
                   AsTf32<backward_weight, Scale>>();
}

} // namespace
} // namespace ck::test::fused
