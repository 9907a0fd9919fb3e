// The forward reference: by hand, and against the sum over all products written independently of
// it.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"

#include "ck/library/utility/algorithm.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "library/reference_tensor_operation/random_convolutions.hpp"
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using namespace ck::tensor_operation::element_wise;
using namespace reference_test;
using ck::tensor_operation::host::ReferenceConvFwd;

/// Runs the reference without element-wise operations.
template <ck::index_t rank, class In, class Wei, class Out>
void run(const Tensor<In>& x,
         const Tensor<Wei>& w,
         Tensor<Out>& y,
         Longs strides,
         Longs dilations,
         Longs left,
         Longs right)
{
    using Reference = ReferenceConvFwd<rank, In, Wei, Out, PassThrough, PassThrough, PassThrough>;
    auto argument   = Reference::MakeArgument(x, w, y, strides, dilations, left, right, {}, {}, {});
    Reference::MakeInvoker().Run(argument);
}

TEST(ReferenceConvFwd, OneDimensionByHand)
{
    Tensor<float> x({1, 1, 1, 5}), w({1, 1, 1, 3}), y({1, 1, 1, 3});
    x.mData = {1, 2, 3, 4, 5};
    w.mData = {1, 10, 100};
    run<1>(x, w, y, {1}, {1}, {0}, {0});
    EXPECT_EQ(y.mData, (std::vector<float>{321, 432, 543}));
}

TEST(ReferenceConvFwd, StrideDilationAndPaddingByHand)
{
    // y[o] = sum of x[2o - 1 + 2t] w[t]: x[-1] x[1] x[3]; x[1] x[3] x[5]
    Tensor<float> x({1, 1, 1, 5}), w({1, 1, 1, 3}), y({1, 1, 1, 2});
    x.mData = {1, 2, 3, 4, 5};
    w.mData = {1, 10, 100};
    y.mData.assign(2, std::numeric_limits<float>::quiet_NaN()); // every element is written
    run<1>(x, w, y, {2}, {2}, {1}, {1});
    EXPECT_EQ(y.mData, (std::vector<float>{420, 42}));
}

TEST(ReferenceConvFwd, CropsByHand)
{
    Tensor<float> x({1, 1, 1, 5}), w({1, 1, 1, 3}), y({1, 1, 1, 1});
    x.mData = {1, 2, 3, 4, 5};
    w.mData = {1, 10, 100};
    run<1>(x, w, y, {1}, {1}, {-1}, {-1}); // x[1] x[2] x[3]
    EXPECT_EQ(y.mData, (std::vector<float>{432}));
    run<1>(x, w, y, {1}, {1}, {0}, {0}); // the first of three
    EXPECT_EQ(y.mData, (std::vector<float>{321}));
}

TEST(ReferenceConvFwd, RefusesAnOutputBeyondTheLastWindow)
{
    Tensor<float> x({1, 1, 1, 5}), w({1, 1, 1, 3}), y({1, 1, 1, 9});
    try
    {
        run<1>(x, w, y, {1}, {1}, {0}, {0});
        ADD_FAILURE() << "computed 9 output pixels where there are 3";
    }
    catch(const std::runtime_error& error)
    {
        EXPECT_NE(std::string(error.what()).find("output length in W of a 1D convolution is 9"),
                  std::string::npos)
            << error.what();
    }
}

TEST(ReferenceConvFwd, ChannelsAndGroupsByHand)
{
    // 1x1 filters: y[g,n,k] = sum over c of x[g,n,c] w[g,k,c]
    Tensor<float> x({2, 1, 2, 1}), w({2, 2, 2, 1}), y({2, 1, 2, 1});
    w.mData = {1, 2, 3, 4, 5, 6, 7, 8};
    x.mData = {1, 10, 100, 1000};
    run<1>(x, w, y, {1}, {1}, {0}, {0});
    EXPECT_EQ(y.mData, (std::vector<float>{21, 43, 6500, 8700}));
}

TEST(ReferenceConvFwd, AccumulatesBeyondFloat)
{
    Tensor<float> x({1, 1, 3, 1}), w({1, 1, 3, 1}), y({1, 1, 1, 1});
    w.mData = {1, 1, 1};
    x.mData = {0x1p30f, 1, -0x1p30f};
    run<1>(x, w, y, {1}, {1}, {0}, {0});
    EXPECT_EQ(y.mData[0], 1.f);
}

template <ck::index_t rank, class In, class Wei, class Out>
void compare_random_problems(unsigned seed, int count)
{
    std::mt19937 random(seed);
    for(int i = 0; i < count; ++i)
    {
        const ConvParam p = random_problem(rank, random);
        const auto x      = random_integers<In>(random_strides(x_lengths(p), random), random);
        const auto w      = random_integers<Wei>(random_strides(w_lengths(p), random), random);
        Tensor<Out> y(random_strides(y_lengths(p), random));
        ck::ranges::fill<Out>(y, ck::type_convert<Out>(99)); // what nobody writes shows
        run<rank>(x,
                  w,
                  y,
                  p.conv_filter_strides_,
                  p.conv_filter_dilations_,
                  p.input_left_pads_,
                  p.input_right_pads_);

        Tensor<double> expected(y_lengths(p));
        for_each_product(p, [&](const Index& xi, const Index& wi, const Index& yi) {
            expected(yi) += ck::type_convert<double>(x(xi)) * ck::type_convert<double>(w(wi));
        });
        expect_equal(y, expected, p);
    }
}

// A float of 2^25 - 1 is 2^25.
TEST(ReferenceConvFwd, Int8SumsKeepTheirLastBit)
{
    const std::size_t count = 2047;
    Tensor<std::int8_t> x({1, 1, count + 2, 1}), w({1, 1, count + 2, 1}), y({1, 1, 1, 1});
    x.mData.assign(count + 2, -128);
    w.mData.assign(count + 2, -128);
    x.mData[count] = w.mData[count] = 127; // 16383 of 16384
    x.mData[count + 1] = 127, w.mData[count + 1] = 2;
    using Reference =
        ReferenceConvFwd<1, std::int8_t, std::int8_t, std::int8_t, PassThrough, PassThrough, Scale>;
    auto argument = Reference::MakeArgument(
        x, w, y, {1}, {1}, {0}, {0}, {}, {}, Scale{0x1p-19f}); // 64 - 2^-19, towards zero
    Reference::MakeInvoker().Run(argument);
    EXPECT_EQ(y.mData[0], 63);
}

TEST(ReferenceConvFwd, RandomProblems1D)
{
    compare_random_problems<1, float, float, float>(1, 200);
}
TEST(ReferenceConvFwd, RandomProblems2D)
{
    compare_random_problems<2, float, float, float>(2, 100);
}
TEST(ReferenceConvFwd, RandomProblems3D) { compare_random_problems<3, float, float, float>(3, 30); }
TEST(ReferenceConvFwd, RandomProblemsInOtherTypes)
{
    // There are at most 16 taps of 5 channels, with products of at most 16: exact in f16.
    compare_random_problems<2, ck::half_t, ck::half_t, ck::half_t>(4, 30);
    compare_random_problems<2, ck::bhalf_t, ck::bhalf_t, float>(5, 30);
    compare_random_problems<2, double, double, double>(6, 30);
    compare_random_problems<2, std::int8_t, std::int8_t, std::int32_t>(7, 30);
}

TEST(ReferenceConvFwd, TheGroupMayBeLeftOut)
{
    std::mt19937 random(8);
    const auto w5 = random_integers<float>(HostTensorDescriptor({1, 4, 3, 3, 2}), random);
    const auto x5 = random_integers<float>(HostTensorDescriptor({1, 2, 3, 8, 9}), random);
    Tensor<float> y5({1, 2, 4, 4, 5}), x4({2, 3, 8, 9}), w4({4, 3, 3, 2}), y4({2, 4, 4, 5});
    w4.mData = w5.mData;
    x4.mData = x5.mData;
    run<2>(x5, w5, y5, {2, 2}, {1, 1}, {1, 1}, {0, 0});
    run<2>(x4, w4, y4, {2, 2}, {1, 1}, {1, 1}, {0, 0});
    EXPECT_EQ(y4.mData, y5.mData);
    EXPECT_NE(y4.mData, std::vector<float>(y4.size(), 0.f));
}

TEST(ReferenceConvFwd, ElementWiseOperations)
{
    // y = relu(sum of (x + a) * (2 w), plus d); padding stays 0, it is not 0 + a.
    using Reference = ReferenceConvFwd<1, float, float, float, Add, Scale, AddRelu, 1, 0, 1>;
    Tensor<float> x({1, 1, 2, 2}), w({1, 1, 2, 1}), y({1, 1, 1, 3});
    Tensor<float> a({1, 1, 2, 1}, {0, 0, 1, 0}); // one number for each channel
    Tensor<float> d({1, 1, 1, 3});
    x.mData       = {1, 2, 3, 4};
    w.mData       = {1, -1};
    a.mData       = {10, 20};
    d.mData       = {1, 100, -100};
    auto argument = Reference::MakeArgument(
        x, w, y, {1}, {1}, {1}, {0}, {}, Scale{2.f}, AddRelu{}, {a}, {}, {d});
    Reference::MakeInvoker().Run(argument);
    // pixels: padding; 2 (11 - 23) + 100; 2 (12 - 24) - 100
    EXPECT_EQ(y.mData, (std::vector<float>{1, 76, 0}));
}

TEST(ReferenceConvFwd, ElementWiseOperationsOnTheFilterWithABTensor)
{
    using Reference = ReferenceConvFwd<1, float, float, float, PassThrough, ScaleAdd, Scale, 0, 1>;
    Tensor<float> x({1, 1, 1, 2}), w({1, 1, 1, 1}), y({1, 1, 1, 2}), b({1, 1, 1, 1});
    x.mData       = {1, 2};
    w.mData       = {3};
    b.mData       = {100};
    auto argument = Reference::MakeArgument(
        x, w, y, {1}, {1}, {0}, {0}, {}, ScaleAdd{10.f}, Scale{-1.f}, {}, {b});
    Reference::MakeInvoker().Run(argument);
    EXPECT_EQ(y.mData, (std::vector<float>{-130, -260}));
}

TEST(ReferenceConvFwd, BehindTheBaseInterface)
{
    using Reference =
        ReferenceConvFwd<1, float, float, float, PassThrough, PassThrough, PassThrough>;
    namespace device = ck::tensor_operation::device;
    Tensor<float> x({1, 1, 1, 2}), w({1, 1, 1, 1}), y({1, 1, 1, 2});
    w.mData       = {3};
    x.mData       = {1, 2};
    auto argument = Reference::MakeArgument(x, w, y, {1}, {1}, {0}, {0}, {}, {}, {});
    Reference operation;
    device::BaseOperator& base = operation;
    EXPECT_TRUE(base.IsSupportedArgument(&argument));
    EXPECT_EQ(base.GetTypeString(), "ReferenceConvFwd");
    EXPECT_EQ(operation.MakeInvokerPointer()->Run(&argument), 0.f);
    EXPECT_EQ(y.mData, (std::vector<float>{3, 6}));

    device::BaseArgument other;
    EXPECT_FALSE(base.IsSupportedArgument(&other));
    EXPECT_THROW(operation.MakeInvokerPointer()->Run(&other), std::invalid_argument);
}

TEST(ReferenceConvFwd, RefusesTensorsThatDoNotFitTogether)
{
    using Reference =
        ReferenceConvFwd<1, float, float, float, PassThrough, PassThrough, PassThrough>;
    const auto why = [](Index x_lengths, Index w_lengths, Index y_lengths, Longs strides) {
        Tensor<float> x(x_lengths), w(w_lengths), y(y_lengths);
        auto argument = Reference::MakeArgument(x, w, y, strides, {1}, {0}, {0}, {}, {}, {});
        EXPECT_THROW(Reference::MakeInvoker().Run(argument), std::runtime_error);
        return Reference().WhyNotSupported(&argument);
    };
    EXPECT_EQ(why({1, 1, 2, 4}, {1, 1, 3, 1}, {1, 1, 1, 4}, {1}),
              "C is 2 in the input tensor and 3 in the weight tensor");
    EXPECT_EQ(why({1, 1, 2, 4}, {1, 5, 2, 1}, {1, 1, 1, 4}, {1}),
              "K is 5 in the weight tensor and 1 in the output tensor");
    EXPECT_EQ(why({1, 1, 2}, {1, 1, 2, 1}, {1, 3, 1, 4}, {1}),
              "N is 1 in the input tensor and 3 in the output tensor");
    EXPECT_EQ(why({2, 1, 2, 4}, {1, 1, 2, 1}, {2, 1, 1, 4}, {1}),
              "G is 2 in the input tensor and 1 in the weight tensor");
    EXPECT_EQ(why({1, 2}, {1, 1, 2, 1}, {1, 1, 1, 4}, {1}),
              "the input tensor has 2 dimensions, but must have 4, or 3 without groups");
    EXPECT_EQ(why({1, 1, 2, 4}, {1, 1, 2, 1}, {1, 1, 1, 4}, {1, 1}),
              "there are 2 strides for 1 spatial dimensions");
    EXPECT_NE(why({1, 1, 2, 4}, {1, 1, 2, 1}, {1, 1, 1, 4}, {0}).find("stride in W"),
              std::string::npos);
}

TEST(ReferenceConvFwd, OperandsHaveTheShapeOfTheirTensor)
{
    using Reference = ReferenceConvFwd<1, float, float, float, Add, Add, Add, 1, 1, 1>;
    Tensor<float> x({1, 1, 2, 4}), w({1, 3, 2, 2}), y({1, 1, 3, 3}), none({1, 1, 1, 1});
    const auto why = [&](const Tensor<float>& a, const Tensor<float>& b, const Tensor<float>& d) {
        auto argument =
            Reference::MakeArgument(x, w, y, {1}, {1}, {0}, {0}, {}, {}, {}, {a}, {b}, {d});
        return Reference().WhyNotSupported(&argument);
    };
    EXPECT_EQ(why(x, w, y), "");
    EXPECT_EQ(why(y, w, y), "the A tensor 0 has length 3 where the convolution's tensor has 2");
    EXPECT_EQ(why(x, x, y), "the B tensor 0 has length 1 where the convolution's tensor has 3");
    EXPECT_EQ(why(x, w, x), "the D tensor 0 has length 2 where the convolution's tensor has 3");
}

TEST(ReferenceConvFwd, OperandsAreRoundedToTheComputeType)
{
    const auto product = [](auto compute, float x_value, float w_value) {
        using Reference = ReferenceConvFwd<1,
                                           float,
                                           float,
                                           double,
                                           PassThrough,
                                           PassThrough,
                                           PassThrough,
                                           0,
                                           0,
                                           0,
                                           decltype(compute)>;
        Tensor<float> x({1, 1, 1, 1}), w({1, 1, 1, 1});
        Tensor<double> y({1, 1, 1, 1});
        x.mData[0] = x_value;
        w.mData[0] = w_value;
        Reference::MakeInvoker().Run(
            Reference::MakeArgument(x, w, y, {1}, {1}, {0}, {0}, {}, {}, {}));
        return y.mData[0];
    };
    // 10 bits of the mantissa, ties to even
    EXPECT_EQ(product(ck::tf32_t{}, 1 + 0x1p-10f, 1.f), 1 + 0x1p-10);
    EXPECT_EQ(product(ck::tf32_t{}, 1 + 0x1p-11f, 1.f), 1.);
    EXPECT_EQ(product(ck::tf32_t{}, 1.f, 1 + 0x1.8p-10f), 1 + 0x1p-9);
    EXPECT_EQ(product(ck::tf32_t{}, -(1 + 0x1.4p-10f), 1.f), -(1 + 0x1p-10));
    EXPECT_EQ(product(float{}, 1 + 0x1p-23f, 1.f), 1 + 0x1p-23);
    EXPECT_EQ(product(ck::bhalf_t{}, 1 + 0x1p-8f, 1.f), 1.);
    EXPECT_EQ(product(ck::f8_t{}, 1.0625f, 1.f), 1.);
    EXPECT_EQ(product(ck::tf32_t{}, INFINITY, 1.f), INFINITY);
}

} // namespace
