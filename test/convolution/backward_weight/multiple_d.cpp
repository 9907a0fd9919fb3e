#include "convolution/backward_weight/weight.hpp"
#include <type_traits>

namespace ck::test {
namespace {

using enum arch::Matrix;

constexpr index_t rank = 3;
using L                = Layouts<rank>;

template <class T, class Weight, class DLayouts, class Ds, class Operation, GemmTuning tuning>
using Fused = tensor_operation::device::DeviceGroupedConvBwdWeightMultipleDImplicitGemm<rank,
                                                                                        L::Input,
                                                                                        L::Weight,
                                                                                        L::Output,
                                                                                        DLayouts,
                                                                                        T,
                                                                                        Weight,
                                                                                        T,
                                                                                        Ds,
                                                                                        PassThrough,
                                                                                        Operation,
                                                                                        PassThrough,
                                                                                        tuning>;

/// d_order: of the D tensors; in_place: dW is the first of them. The operation is an argument: nvcc
/// cannot spell its type in a call.
template <class T, class Weight, class DLayouts, class... Ds, class Operation, GemmTuning tuning>
void expect_right(Fused<T, Weight, DLayouts, Tuple<Ds...>, Operation, tuning> op,
                  const ConvParam& p,
                  std::string_view d_order,
                  bool in_place,
                  std::type_identity_t<Operation> operation,
                  index_t split)
{
    SCOPED_TRACE(testing::Message() << p << ", split_k " << split);
    using Op                    = decltype(op);
    constexpr std::size_t count = sizeof...(Ds);
    using C                     = Case<rank, T, Weight, tuning>;
    Tensors<C> t(p, channels_last);
    const auto layout =
        in_place ? t.w.host.mDesc
                 : descriptor(tensor_lengths(p.G_, p.K_, p.C_, p.filter_spatial_lengths_), d_order);
    std::vector<Mirrored<Weight>> d;
    for(std::size_t i = 0; i != count; ++i)
        d.emplace_back(layout).fill_with_integers();
    if(in_place)
        t.w.device.ToDevice(d[0].host.mData.data());

    std::array<const void*, count> pointers{};
    std::array<std::array<index_t, rank + 3>, count> lengths{}, strides{};
    for(std::size_t i = 0; i != count; ++i)
    {
        pointers[i] = in_place ? t.w.device.GetDeviceBuffer() : d[i].device.GetDeviceBuffer();
        lengths[i]  = array_of<rank>(d[i].host.GetLengths());
        strides[i]  = array_of<rank>(d[i].host.GetStrides());
    }
    const auto host = [&]<std::size_t... i>(std::index_sequence<i...>)
    {
        return std::array<Tensor<Weight>, count>{d[i].host...};
    }
    (std::make_index_sequence<count>{});
    const auto argument = Op::MakeArgument(t.x.device.GetDeviceBuffer(),
                                           t.w.device.GetDeviceBuffer(),
                                           t.y.device.GetDeviceBuffer(),
                                           pointers,
                                           array_of<rank>(t.x.host.GetLengths()),
                                           array_of<rank>(t.x.host.GetStrides()),
                                           array_of<rank>(t.w.host.GetLengths()),
                                           array_of<rank>(t.w.host.GetStrides()),
                                           array_of<rank>(t.y.host.GetLengths()),
                                           array_of<rank>(t.y.host.GetStrides()),
                                           lengths,
                                           strides,
                                           array_of<rank>(p.conv_filter_strides_),
                                           array_of<rank>(p.conv_filter_dilations_),
                                           array_of<rank>(p.input_left_pads_),
                                           array_of<rank>(p.input_right_pads_),
                                           {},
                                           operation,
                                           {},
                                           split);
    using Reference     = tensor_operation::host::ReferenceConvBwdWeight<rank,
                                                                     T,
                                                                     Weight,
                                                                     T,
                                                                     PassThrough,
                                                                     Operation,
                                                                     PassThrough,
                                                                     0,
                                                                     0,
                                                                     static_cast<index_t>(count)>;
    Tensor<Weight> expected(t.w.host.mDesc);
    auto reference = Reference::MakeInvoker();
    reference.Run(Reference::MakeArgument(t.x.host,
                                          expected,
                                          t.y.host,
                                          p.conv_filter_strides_,
                                          p.conv_filter_dilations_,
                                          p.input_left_pads_,
                                          p.input_right_pads_,
                                          {},
                                          operation,
                                          {},
                                          {},
                                          {},
                                          host));
    if constexpr(count != 0)
    {
        EXPECT_NE(op.WhyNotSupported(&argument), "") << "D tensors without a workspace";
    }
    EXPECT_EQ(differences(computed(op, argument, t.w), expected.mData), 0u);
}

constexpr GemmTuning xdl = small_tuning(mfma_f32_32x32x8_f16, 4, 4, Pipeline::single_buffer);
constexpr GemmTuning dl  = dl_tuning(dot_f32_8x4x2_bf16);

TEST(BackwardWeightMultipleD, Bilinear)
{
    const Fused<half_t, half_t, Tuple<L::Weight>, Tuple<half_t>, Bilinear, xdl> op;
    CK_SKIP_WITHOUT(instruction_of(xdl).requirement,
                    tensor_operation::device::check_device(xdl, current_target()).reason);
    for(const ConvParam& p : problems(rank, 4, 7, 3))
        for(const index_t split : {1, 2, -1})
        {
            expect_right(op, p, "gncs", false, {2.f, 2.f}, split);
            expect_right(op, p, "gnsc", true, {2.f, -1.f}, split);
        }
}
TEST(BackwardWeightMultipleD, BilinearOfSmallGroupsInBf16WithFloatWeights)
{
    const Fused<bhalf_t, float, Tuple<L::Weight>, Tuple<float>, Bilinear, dl> op;
    for(const index_t g : {1, 6})
        expect_right(
            op,
            {3, g, 2, 3, 2, {2, 1, 3}, {4, 3, 5}, {1, 2, 1}, {1, 1, 1}, {1, 0, 1}, {0, 0, 1}},
            "sncg",
            false,
            {0.5f, 2.f},
            2);
}
TEST(BackwardWeightMultipleD, ScaleReadsNoTensor)
{
    const Fused<bhalf_t, float, Tuple<>, Tuple<>, Scale, dl> op;
    for(const index_t split : {1, 3})
        expect_right(
            op,
            {3, 2, 2, 9, 20, {2, 1, 3}, {4, 3, 5}, {1, 2, 1}, {1, 1, 1}, {1, 0, 1}, {0, 0, 1}},
            "gnsc",
            false,
            Scale(0.5f),
            split);
}

} // namespace
} // namespace ck::test
