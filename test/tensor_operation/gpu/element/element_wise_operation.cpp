// Element-wise operations on every element type, against hand-worked values.
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "ck/tensor_operation/gpu/element/pass_through_int8.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace {

using namespace ck::tensor_operation::element_wise;
using ck::bhalf_t;
using ck::half_t;
using ck::type_convert;

/// op(Y, Xs...) of numbers given as doubles; the result as a double.
template <class Y, class... Xs, class Op, class... V>
double apply(const Op& op, V... values)
{
    Y y{};
    op(y, type_convert<Xs>(values)...);
    return type_convert<double>(y);
}

template <class T>
class ElementWise : public testing::Test
{};
using Types =
    testing::Types<double, float, half_t, bhalf_t, ck::f8_t, ck::bf8_t, std::int8_t, std::int32_t>;
TYPED_TEST_SUITE(ElementWise, Types);

TYPED_TEST(ElementWise, UnaryInOneType)
{
    using T = TypeParam;
    EXPECT_EQ((apply<T, T>(PassThrough{}, -3.)), -3.);
    EXPECT_EQ((apply<T, T>(UnaryConvert{}, 5.)), 5.);
    EXPECT_EQ((apply<T, T>(Scale{2.f}, -3.)), -6.);
    EXPECT_EQ((apply<T, T>(Scale{}, 7.)), 7.);
    EXPECT_EQ((apply<T, T>(Relu{}, -3.)), 0.);
    EXPECT_EQ((apply<T, T>(Relu{}, 3.)), 3.);
}

TYPED_TEST(ElementWise, BinaryInOneType)
{
    using T = TypeParam;
    EXPECT_EQ((apply<T, T, T>(Add{}, 3., -5.)), -2.);
    EXPECT_EQ((apply<T, T, T>(ScaleAdd{2.f}, 3., -5.)), 1.);
    EXPECT_EQ((apply<T, T, T>(Bilinear{2.f, 3.f}, 4., -5.)), -7.);
    EXPECT_EQ((apply<T, T, T>(Bilinear{}, 4., -5.)), -1.);
    EXPECT_EQ((apply<T, T, T>(AddRelu{}, 3., -5.)), 0.);
    EXPECT_EQ((apply<T, T, T>(AddRelu{}, 3., 5.)), 8.);
}

TYPED_TEST(ElementWise, FromTheAccumulator)
{
    using T = TypeParam;
    EXPECT_EQ((apply<T, float>(PassThrough{}, 12.)), 12.);
    EXPECT_EQ((apply<T, float>(Scale{.5f}, 12.)), 6.);
    EXPECT_EQ((apply<T, float, T>(Bilinear{.5f, 2.f}, 12., 4.)), 14.);
    EXPECT_EQ((apply<float, T>(PassThrough{}, 12.)), 12.);
}

TEST(ElementWiseTypes, BfloatIsANumberNotAnInteger)
{
    bhalf_t y{};
    PassThrough{}(y, 1.5f);
    EXPECT_EQ(y, 0x3fc0);
    float x = 0;
    Add{}(x, y, y);
    EXPECT_EQ(x, 3.f);
}

TEST(ElementWiseTypes, RoundsOnceToNearest)
{
    // 1 + 2^-11 is half way between two f16 numbers; the sum in float is exact, and the tie goes to
    // even.
    EXPECT_EQ((apply<half_t, float, float>(Add{}, 1., 0x1p-11)), 1.);
    EXPECT_EQ((apply<half_t, float, float>(Add{}, 1. + 0x1p-10, 0x1p-11)), 1. + 0x1p-9);
    EXPECT_EQ((apply<half_t, float, float>(Add{}, 1., 0x1.8p-11)), 1. + 0x1p-10);
}

TEST(ElementWiseTypes, DoubleAndIntegersKeepTheirDigits)
{
    EXPECT_EQ((apply<double, double, double>(Add{}, 1., 0x1p-50)), 1. + 0x1p-50);
    EXPECT_EQ((apply<std::int32_t, std::int32_t, std::int32_t>(Add{}, 16777217., 2.)), 16777219.);
}

TEST(ElementWiseTypes, IntegersKeepTheirLowBits)
{
    EXPECT_EQ((apply<std::int8_t, std::int32_t>(PassThrough{}, 378.)), 122.);
    EXPECT_EQ((apply<std::int8_t, std::int8_t, std::int8_t>(Add{}, -100., -100.)), 56.);
    EXPECT_EQ((apply<std::int8_t, std::int32_t, std::int8_t>(Bilinear{2.f, 1.f}, 189., -1.)), 121.);
    for(const bool saturates : {false, true})
    {
        const PassThroughInt8 op(saturates);
        EXPECT_EQ((apply<std::int8_t, std::int32_t>(op, 378.)), saturates ? 127 : 122);
        EXPECT_EQ((apply<std::int8_t, std::int64_t>(op, -378.)), saturates ? -128 : -122);
        EXPECT_EQ((apply<std::int8_t, double>(op, 0x1p40 + 3)), saturates ? 127 : 3);
        EXPECT_EQ((apply<std::int8_t, float>(op, -129.)), saturates ? -128 : 127);
    }
}

TEST(ElementWiseTypes, ClampsAndSmallFloatsSaturate)
{
    EXPECT_EQ((apply<std::int8_t, std::int32_t>(Activation_Mul_Clamp<Relu>{.5f, {}}, 1000.)), 127.);
    EXPECT_EQ((apply<std::int8_t, std::int32_t>(Activation_Mul_Clamp<Relu>{.5f, {}}, -8.)), 0.);
    EXPECT_EQ((apply<std::int8_t, std::int32_t, float>(
                  Activation_Mul2_Clamp<PassThrough>{PassThrough{}}, -9., .5)),
              -4.);
    EXPECT_EQ((apply<ck::f8_t, float>(ConvScale{2.f, 2.f, 2.f}, 100.)), 240.);
    EXPECT_EQ((apply<ck::f8_t, float, float>(ConvScaleAdd{2.f, 2.f, .5f}, 5., 4.)), 12.);
}

TEST(ElementWiseTypes, NaNIsNotHidden)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(apply<float, float>(Relu{}, nan)));
    EXPECT_TRUE(std::isnan(apply<half_t, float>(Relu{}, nan)));
    EXPECT_TRUE(std::isnan(apply<bhalf_t, float, float>(AddRelu{}, nan, 1.)));
    EXPECT_TRUE(std::isnan(apply<half_t, float>(PassThrough{}, nan)));
}

TEST(ElementWiseTypes, ConstructAsClientsDo)
{
    static_assert(std::is_trivially_copyable_v<Bilinear> && std::is_trivially_copyable_v<Scale>);
    constexpr Bilinear b{2.f, 3.f};
    static_assert(b.alpha_ == 2.f && b.beta_ == 3.f);
    EXPECT_EQ(Scale{2.f}.scale_, 2.f);
    EXPECT_EQ(ScaleAdd(.5f).scale_, .5f);
}

} // namespace
