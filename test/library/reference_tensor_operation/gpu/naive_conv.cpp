// The naive references on the device against the plain loops on the CPU, on integers: exactly.
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"

#include "ck/ck.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "library/reference_tensor_operation/random_convolutions.hpp"
#include <cstring>
#include <limits>

namespace {

using namespace reference_test;
using ck::tensor_operation::element_wise::PassThrough;
namespace host = ck::tensor_operation::host;

/// The problem of three tensors with any strides.
template <class X, class W, class Y>
ck::ConvProblem problem_of(const ConvParam& p, const X& x, const W& w, const Y& y)
{
    const auto wide = [](const auto& values) { return Longs(values.begin(), values.end()); };
    ck::ConvProblem r;
    r.rank              = static_cast<ck::index_t>(p.num_dim_spatial_);
    r.groups            = p.G_;
    r.batch             = p.N_;
    r.out_channels      = p.K_;
    r.in_channels       = p.C_;
    r.input             = ck::to_spatial(p.input_spatial_lengths_, 1);
    r.filter            = ck::to_spatial(p.filter_spatial_lengths_, 1);
    r.stride            = ck::to_spatial(p.conv_filter_strides_, 1);
    r.dilation          = ck::to_spatial(p.conv_filter_dilations_, 1);
    r.pad_low           = ck::to_spatial(p.input_left_pads_, 0);
    r.pad_high          = ck::to_spatial(p.input_right_pads_, 0);
    r.input_strides     = ck::to_tensor_strides(wide(x.GetStrides()));
    r.filter_strides    = ck::to_tensor_strides(wide(w.GetStrides()));
    r.output_strides    = ck::to_tensor_strides(wide(y.GetStrides()));
    const ck::Support s = ck::crop_output(r, ck::to_spatial(p.output_spatial_lengths_, 1));
    EXPECT_TRUE(s) << s.reason;
    return r;
}

/// A copy on the device of a tensor's memory, gaps included.
template <class T>
struct OnDevice
{
    explicit OnDevice(const Tensor<T>& t) : memory(sizeof(T) * t.mData.size())
    {
        memory.ToDevice(t.mData.data());
    }
    T* data() const { return static_cast<T*>(memory.GetDeviceBuffer()); }
    void copy_to(Tensor<T>& t) const { memory.FromDevice(t.mData.data()); }
    DeviceMem memory;
};

/// A tensor whose memory, gaps included, holds a value that no convolution here gives.
template <class T>
Tensor<T> unwritten(const HostTensorDescriptor& desc)
{
    Tensor<T> t(desc);
    const T never = std::is_integral_v<T> && !std::is_same_v<T, ck::bhalf_t>
                        ? std::numeric_limits<T>::max()
                        : ck::type_convert<T>(std::numeric_limits<float>::quiet_NaN());
    std::fill(t.mData.begin(), t.mData.end(), never);
    return t;
}

/// The same memory, gaps included: what was not to be written has not been.
template <class T>
void expect_same_memory(const Tensor<T>& got, const Tensor<T>& expected, const ConvParam& p)
{
    const auto bytes = got.mData.size() * sizeof(T);
    ASSERT_EQ(got.mData.size(), expected.mData.size());
    EXPECT_TRUE(bytes == 0 || std::memcmp(got.mData.data(), expected.mData.data(), bytes) == 0)
        << text(p);
}

template <class Reference, class X, class W, class Y>
void run_reference(X& x, W& w, Y& y, const ConvParam& p)
{
    Reference::MakeInvoker().Run(Reference::MakeArgument(x,
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

/// X, W, Y: element types. All three directions of random problems with random strides.
template <ck::index_t rank, class X, class W, class Y, class Acc>
void expect_right(unsigned seed, int count)
{
    using P       = PassThrough;
    using Forward = host::ReferenceConvFwd<rank, X, W, Y, P, P, P>;
    using Data    = host::ReferenceConvBwdData<rank, X, W, Y, P, P, P>;
    using Weight  = host::ReferenceConvBwdWeight<rank, X, W, Y, P, P, P>;
    std::mt19937 random(seed);
    for(int i = 0; i < count; ++i)
    {
        const ConvParam p = random_problem(rank, random);
        auto x            = random_integers<X>(random_strides(x_lengths(p), random), random);
        auto w            = random_integers<W>(random_strides(w_lengths(p), random), random);
        auto y            = random_integers<Y>(random_strides(y_lengths(p), random), random);
        const ck::ConvProblem problem = problem_of(p, x, w, y);
        const OnDevice<X> x_device(x);
        const OnDevice<W> w_device(w);
        const OnDevice<Y> y_device(y);
        {
            auto expected = unwritten<Y>(y.mDesc), got = expected;
            const OnDevice<Y> result(got);
            ck::ref::naive_conv_fwd<Acc>(problem, x_device.data(), w_device.data(), result.data());
            result.copy_to(got);
            run_reference<Forward>(x, w, expected, p);
            expect_same_memory(got, expected, p);
        }
        {
            auto expected = unwritten<X>(x.mDesc), got = expected;
            const OnDevice<X> result(got);
            ck::ref::naive_conv_bwd_data<Acc>(
                problem, result.data(), w_device.data(), y_device.data());
            result.copy_to(got);
            run_reference<Data>(expected, w, y, p);
            expect_same_memory(got, expected, p);
        }
        {
            auto expected = unwritten<W>(w.mDesc), got = expected;
            const OnDevice<W> result(got);
            ck::ref::naive_conv_bwd_weight<Acc>(
                problem, x_device.data(), result.data(), y_device.data());
            result.copy_to(got);
            run_reference<Weight>(x, expected, y, p);
            expect_same_memory(got, expected, p);
        }
    }
}

TEST(NaiveConv, HalvesIn1D) { expect_right<1, ck::half_t, ck::half_t, ck::half_t, double>(1, 30); }
TEST(NaiveConv, FloatsIn2D) { expect_right<2, float, float, float, double>(2, 30); }
TEST(NaiveConv, FloatSumsIn2D) { expect_right<2, float, float, float, float>(3, 30); }
TEST(NaiveConv, Bf16WithFloatWeightsIn3D)
{
    expect_right<3, ck::bhalf_t, float, ck::bhalf_t, float>(4, 30);
}

/// The products of each are sums over the other: <y, dy> = <x, dx> = <w, dw>.
TEST(NaiveConv, BytesAreAdjointIn2D)
{
    std::mt19937 random(5);
    for(int i = 0; i < 30; ++i)
    {
        const ConvParam p = random_problem(2, random);
        const auto x  = random_integers<std::int8_t>(random_strides(x_lengths(p), random), random);
        const auto w  = random_integers<std::int8_t>(random_strides(w_lengths(p), random), random);
        const auto dy = random_integers<std::int8_t>(random_strides(y_lengths(p), random), random);
        const ck::ConvProblem problem = problem_of(p, x, w, dy);
        const OnDevice<std::int8_t> x_device(x), w_device(w), dy_device(dy);
        auto y = unwritten<std::int32_t>(dy.mDesc), dx = unwritten<std::int32_t>(x.mDesc),
             dw = unwritten<std::int32_t>(w.mDesc);
        const OnDevice<std::int32_t> y_device(y), dx_device(dx), dw_device(dw);
        ck::ref::naive_conv_fwd(problem, x_device.data(), w_device.data(), y_device.data());
        ck::ref::naive_conv_bwd_data(problem, dx_device.data(), w_device.data(), dy_device.data());
        ck::ref::naive_conv_bwd_weight(
            problem, x_device.data(), dw_device.data(), dy_device.data());
        y_device.copy_to(y), dx_device.copy_to(dx), dw_device.copy_to(dw);
        const double form = inner_product(y, dy);
        EXPECT_EQ(inner_product(x, dx), form) << text(p);
        EXPECT_EQ(inner_product(w, dw), form) << text(p);
    }
}

TEST(NaiveConv, DoubleSumsSeeWhatFloatSumsLose)
{
    auto p = ck::make_packed_problem<1>(1, 1, 1, 3, {1}, {1}, {1}, {1}, {0}, {0});
    Tensor<float> x({3}), w({3}), y({1});
    x.mData = {0x1p30f, 1, -0x1p30f};
    w.mData = {1, 1, 1};
    const OnDevice<float> x_device(x), w_device(w), y_device(y);
    ck::ref::naive_conv_fwd(p, x_device.data(), w_device.data(), y_device.data());
    y_device.copy_to(y);
    EXPECT_EQ(y.mData[0], 1.f);
    ck::ref::naive_conv_fwd<float>(p, x_device.data(), w_device.data(), y_device.data());
    y_device.copy_to(y);
    EXPECT_EQ(y.mData[0], 0.f);
}

TEST(NaiveConv, RefusesWhatIsNoConvolution)
{
    auto p      = ck::make_packed_problem<1>(1, 1, 1, 1, {1}, {1}, {1}, {1}, {0}, {0});
    p.stride[2] = 0;
    float* none = nullptr;
    EXPECT_THROW(ck::ref::naive_conv_fwd(p, none, none, none), std::runtime_error);
}

} // namespace
