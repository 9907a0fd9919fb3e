// The reference of backward weight: by hand, and against the sum over all products written
// independently of it.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"

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
using ck::tensor_operation::host::ReferenceConvBwdWeight;

/// Runs the reference without element-wise operations.
template <ck::index_t rank, class In, class Wei, class Out>
void run(const Tensor<In>& x,
         Tensor<Wei>& dw,
         const Tensor<Out>& dy,
         Longs strides,
         Longs dilations,
         Longs left,
         Longs right)
{
    using Reference =
        ReferenceConvBwdWeight<rank, In, Wei, Out, PassThrough, PassThrough, PassThrough>;
    auto argument =
        Reference::MakeArgument(x, dw, dy, strides, dilations, left, right, {}, {}, {}, {}, {}, {});
    Reference::MakeInvoker().Run(argument);
}

TEST(ReferenceConvBwdWeight, OneDimensionByHand)
{
    Tensor<float> x({1, 1, 1, 5}), dw({1, 1, 1, 3}), dy({1, 1, 1, 3});
    x.mData  = {1, 2, 3, 4, 5};
    dy.mData = {1, 10, 100};
    run<1>(x, dw, dy, {1}, {1}, {0}, {0});
    EXPECT_EQ(dw.mData, (std::vector<float>{321, 432, 543}));
}

TEST(ReferenceConvBwdWeight, StrideDilationAndPaddingByHand)
{
    // y[o] reads x[2o - 1 + 2t]: tap 0 x[-1] x[1]; tap 1 x[1] x[3]; tap 2 x[3] x[5]
    Tensor<float> x({1, 1, 1, 5}), dw({1, 1, 1, 3}), dy({1, 1, 1, 2});
    x.mData  = {1, 2, 3, 4, 5};
    dy.mData = {1, 10};
    dw.mData.assign(3, std::numeric_limits<float>::quiet_NaN()); // every element is written
    run<1>(x, dw, dy, {2}, {2}, {1}, {1});
    EXPECT_EQ(dw.mData, (std::vector<float>{20, 42, 4}));
}

TEST(ReferenceConvBwdWeight, CropsByHand)
{
    // y[o] = w[0] x[o + 1] + w[1] x[o + 2], o in [0, 2)
    Tensor<float> x({1, 1, 1, 5}), dw({1, 1, 1, 2}), dy({1, 1, 1, 2});
    x.mData  = {1, 2, 3, 4, 5};
    dy.mData = {1, 10};
    run<1>(x, dw, dy, {1}, {1}, {-1}, {-1});
    EXPECT_EQ(dw.mData, (std::vector<float>{32, 43}));
    dw.SetZero();
    run<1>(x, dw, dy, {1}, {1}, {-1}, {0}); // the first 2 of 3 outputs
    EXPECT_EQ(dw.mData, (std::vector<float>{32, 43}));

    Tensor<float> long_dy({1, 1, 1, 4});
    EXPECT_THROW(run<1>(x, dw, long_dy, {1}, {1}, {-1}, {0}), std::runtime_error);
}

TEST(ReferenceConvBwdWeight, ChannelsImagesAndGroupsByHand)
{
    // 1x1 filters: dw[g,k,c] = sum over n of dy[g,n,k] x[g,n,c]
    Tensor<float> x({2, 2, 2, 1}), dw({2, 2, 2, 1}), dy({2, 2, 2, 1});
    x.mData  = {1, 2, 3, 4, 5, 6, 7, 8};
    dy.mData = {1, 10, 100, 1000, 1, 2, 10, 20};
    run<1>(x, dw, dy, {1}, {1}, {0}, {0});
    EXPECT_EQ(dw.mData, (std::vector<float>{301, 402, 3010, 4020, 75, 86, 150, 172}));
}

TEST(ReferenceConvBwdWeight, AccumulatesBeyondFloat)
{
    Tensor<float> x({1, 3, 1, 1}), dw({1, 1, 1, 1}), dy({1, 3, 1, 1});
    x.mData  = {1, 1, 1};
    dy.mData = {0x1p30f, 1, -0x1p30f};
    run<1>(x, dw, dy, {1}, {1}, {0}, {0});
    EXPECT_EQ(dw.mData[0], 1.f);
}

template <ck::index_t rank, class In, class Wei, class Out>
void compare(const ConvParam& p, std::mt19937& random)
{
    const auto x  = random_integers<In>(random_strides(x_lengths(p), random), random);
    const auto dy = random_integers<Out>(random_strides(y_lengths(p), random), random);
    Tensor<Wei> dw(random_strides(w_lengths(p), random));
    ck::ranges::fill<Wei>(dw, ck::type_convert<Wei>(99)); // what nobody writes shows
    run<rank>(x,
              dw,
              dy,
              p.conv_filter_strides_,
              p.conv_filter_dilations_,
              p.input_left_pads_,
              p.input_right_pads_);

    Tensor<double> expected(w_lengths(p));
    for_each_product(p, [&](const Index& xi, const Index& wi, const Index& yi) {
        expected(wi) += ck::type_convert<double>(x(xi)) * ck::type_convert<double>(dy(yi));
    });
    expect_equal(dw, expected, p);
}

template <ck::index_t rank, class In, class Wei, class Out>
void compare_random_problems(unsigned seed, int count)
{
    std::mt19937 random(seed);
    for(int i = 0; i < count; ++i)
        compare<rank, In, Wei, Out>(random_problem(rank, random), random);
}

TEST(ReferenceConvBwdWeight, RandomProblems1D)
{
    compare_random_problems<1, float, float, float>(1, 200);
}
TEST(ReferenceConvBwdWeight, RandomProblems2D)
{
    compare_random_problems<2, float, float, float>(2, 100);
}
TEST(ReferenceConvBwdWeight, RandomProblems3D)
{
    compare_random_problems<3, float, float, float>(3, 30);
}
TEST(ReferenceConvBwdWeight, RandomProblemsInOtherTypes)
{
    compare_random_problems<1, ck::half_t, ck::half_t, ck::half_t>(4, 30);
    compare_random_problems<2, ck::bhalf_t, float, ck::bhalf_t>(5, 30);
    compare_random_problems<2, double, double, double>(6, 30);
    compare_random_problems<2, std::int8_t, std::int32_t, std::int8_t>(7, 30);
}

TEST(ReferenceConvBwdWeight, MoreChannelsThanOneBlockOfTheLoops)
{
    std::mt19937 random(8);
    compare<1, float, float, float>({1, 2, 2, 33, 130, {2}, {3}, {1}, {1}, {1}, {0}}, random);
    compare<1, float, float, float>({1, 1, 2, 16, 128, {1}, {3}, {2}, {1}, {0}, {0}}, random);
}

TEST(ReferenceConvBwdWeight, ComputeTypesRoundTheOperands)
{
    // x is rounded to f16, where 2049 is 2048; dy to bf16, where 257 is 256.
    using Reference = ReferenceConvBwdWeight<1,
                                             float,
                                             float,
                                             float,
                                             PassThrough,
                                             PassThrough,
                                             PassThrough,
                                             0,
                                             0,
                                             0,
                                             ck::bhalf_t,
                                             ck::half_t>;
    Tensor<float> x({1, 2, 1, 1}), dw({1, 1, 1, 1}), dy({1, 2, 1, 1});
    x.mData       = {2049, 1};
    dy.mData      = {1, 257};
    auto argument = Reference::MakeArgument(x, dw, dy, {1}, {1}, {0}, {0}, {}, {}, {}, {}, {}, {});
    Reference::MakeInvoker().Run(argument);
    EXPECT_EQ(dw.mData[0], 2048.f + 256.f);
}

TEST(ReferenceConvBwdWeight, ElementWiseOperations)
{
    // dw = 2 * sum of (dy + a) * (x + b), plus 10 d; padding stays 0, it is not 0 + b.
    using Reference = ReferenceConvBwdWeight<1, float, float, float, Add, Bilinear, Add, 1, 1, 1>;
    Tensor<float> x({1, 1, 1, 2}), dw({1, 1, 1, 2}), dy({1, 1, 1, 2});
    Tensor<float> a({1, 1, 1, 2}), b({1, 1, 1, 1}, {0, 0, 0, 0}), d({1, 1, 1, 2});
    x.mData       = {1, 2};
    dy.mData      = {3, 4};
    a.mData       = {10, 20};
    b.mData       = {100};
    d.mData       = {5, 7};
    auto argument = Reference::MakeArgument(
        x, dw, dy, {1}, {1}, {1}, {0}, {}, Bilinear{2.f, 10.f}, {}, {a}, {b}, {d});
    Reference::MakeInvoker().Run(argument);
    // dy + a = 13, 24; x + b = 101, 102; tap 0 meets padding and x[0], tap 1 x[0] and x[1]
    EXPECT_EQ(dw.mData, (std::vector<float>{2 * 24 * 101 + 50, 2 * (13 * 101 + 24 * 102) + 70}));
}

TEST(ReferenceConvBwdWeight, AnEmptyBatchGivesZeros)
{
    Tensor<float> x({1, 0, 2, 4}), dw({1, 1, 2, 2}), dy({1, 0, 1, 3});
    dw.mData.assign(4, 7.f);
    run<1>(x, dw, dy, {1}, {1}, {0}, {0});
    EXPECT_EQ(dw.mData, std::vector<float>(4, 0.f));
}

TEST(ReferenceConvBwdWeight, TheGroupMayBeLeftOut)
{
    std::mt19937 random(9);
    const auto x5  = random_integers<float>(HostTensorDescriptor({1, 2, 3, 8, 9}), random);
    const auto dy5 = random_integers<float>(HostTensorDescriptor({1, 2, 4, 4, 5}), random);
    Tensor<float> dw5({1, 4, 3, 3, 2}), x4({2, 3, 8, 9}), dw4({4, 3, 3, 2}), dy4({2, 4, 4, 5});
    x4.mData  = x5.mData;
    dy4.mData = dy5.mData;
    run<2>(x5, dw5, dy5, {2, 2}, {1, 1}, {1, 1}, {0, 0});
    run<2>(x4, dw4, dy4, {2, 2}, {1, 1}, {1, 1}, {0, 0});
    EXPECT_EQ(dw4.mData, dw5.mData);
    EXPECT_NE(dw4.mData, std::vector<float>(dw4.size(), 0.f));
}

TEST(ReferenceConvBwdWeight, BehindTheBaseInterface)
{
    using Reference =
        ReferenceConvBwdWeight<1, float, float, float, PassThrough, PassThrough, PassThrough>;
    namespace device = ck::tensor_operation::device;
    Tensor<float> x({1, 1, 1, 2}), dw({1, 1, 1, 1}), dy({1, 1, 1, 2});
    x.mData       = {1, 2};
    dy.mData      = {3, 4};
    auto argument = Reference::MakeArgument(x, dw, dy, {1}, {1}, {0}, {0}, {}, {}, {});
    Reference operation;
    device::BaseOperator& base = operation;
    EXPECT_TRUE(base.IsSupportedArgument(&argument));
    EXPECT_EQ(base.GetTypeString(), "ReferenceConvBwdWeight");
    EXPECT_EQ(operation.MakeInvokerPointer()->Run(&argument), 0.f);
    EXPECT_EQ(dw.mData, std::vector<float>{11});

    device::BaseArgument other;
    EXPECT_FALSE(base.IsSupportedArgument(&other));
    EXPECT_THROW(operation.MakeInvokerPointer()->Run(&other), std::invalid_argument);
}

TEST(ReferenceConvBwdWeight, OperandsHaveTheShapeOfTheirTensor)
{
    using Reference = ReferenceConvBwdWeight<1, float, float, float, Add, Add, Add, 1, 1, 1>;
    Tensor<float> x({1, 1, 2, 4}), dw({1, 3, 2, 2}), dy({1, 1, 3, 3});
    const auto why = [&](const Tensor<float>& a, const Tensor<float>& b, const Tensor<float>& d) {
        auto argument =
            Reference::MakeArgument(x, dw, dy, {1}, {1}, {0}, {0}, {}, {}, {}, {a}, {b}, {d});
        return Reference().WhyNotSupported(&argument);
    };
    EXPECT_EQ(why(dy, x, dw), "");
    EXPECT_EQ(why(x, x, dw), "the A tensor 0 has length 2 where the convolution's tensor has 3");
    EXPECT_EQ(why(dy, dy, dw), "the B tensor 0 has length 3 where the convolution's tensor has 2");
    EXPECT_EQ(why(dy, x, x), "the D tensor 0 has length 1 where the convolution's tensor has 3");
}

} // namespace
