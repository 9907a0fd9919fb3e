// The element-wise operations that Composable Kernel has had since 2025, against hand-worked
// values.
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using namespace ck::tensor_operation::element_wise;
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
template <class Op>
double of(const Op& op, double x)
{
    return apply<double, double>(op, x);
}

TEST(NewerOperations, AddClamp)
{
    EXPECT_EQ((apply<float, float, float>(AddClamp{-1.f, 4.f}, 1., 2.)), 3.);
    EXPECT_EQ((apply<float, float, float>(AddClamp{-1.f, 4.f}, 3., 2.)), 4.);
    EXPECT_EQ((apply<half_t, float, half_t>(AddClamp{-1.f, 4.f}, -3., 1.)), -1.);
    EXPECT_EQ((apply<float, float, float>(AddClamp{}, -3., 1.)), 0.);
    EXPECT_EQ((apply<float, float, float>(AddClamp{}, 3e38, 3e38)),
              double{std::numeric_limits<float>::max()});
    EXPECT_TRUE(std::isnan(apply<float, float, float>(AddClamp{}, std::nan(""), 1.)));
    // of integers: cut to eight bits before
    EXPECT_EQ((apply<std::int8_t, std::int32_t, std::int8_t>(AddClamp{-100.f, 100.f}, 120., 10.)),
              -100.); // 130 is -126
    EXPECT_EQ((apply<std::int8_t, std::int32_t, std::int8_t>(AddClamp{-100.f, 100.f}, 260., 10.)),
              14.); // 270 is 14
    EXPECT_EQ((apply<std::int8_t, std::int8_t, std::int8_t>(AddClamp{-100.f, 100.f}, 20., 10.)),
              30.);
    // the sum is wider than its parts are
    EXPECT_EQ(
        (apply<std::int8_t, std::int32_t, std::int8_t>(AddClamp{-100.f, 100.f}, 2147483647., 1.)),
        0.);
}

/// int32 and int8 to int8.
double clamped_sum(float floor, float ceil, double sum, double bias)
{
    return apply<std::int8_t, std::int32_t, std::int8_t>(AddClamp{floor, ceil}, sum, bias);
}

TEST(NewerOperations, AddClampOfIntegersAtTheEdges)
{
    // the last sums that eight bits hold, and the first that they do not
    EXPECT_EQ(clamped_sum(-128, 127, 0, 127), 127.);
    EXPECT_EQ(clamped_sum(-128, 127, 1, 127), -128.);
    EXPECT_EQ(clamped_sum(-128, 127, 0, -128), -128.);
    EXPECT_EQ(clamped_sum(-128, 127, -1, -128), 127.);
    EXPECT_EQ(clamped_sum(-128, 127, 256, -128), -128.);
    EXPECT_EQ(clamped_sum(-128, 127, -2147483648., -1), -1.);
    // by default nothing is below 0, also what was cut
    EXPECT_EQ((apply<std::int8_t, std::int32_t, std::int8_t>(AddClamp{}, 100., 27.)), 127.);
    EXPECT_EQ((apply<std::int8_t, std::int32_t, std::int8_t>(AddClamp{}, 100., 28.)), 0.);
    EXPECT_EQ((apply<std::int8_t, std::int8_t, std::int8_t>(AddClamp{}, 127., 127.)), 0.);
    // bounds beyond eight bits: those of int8
    EXPECT_EQ(clamped_sum(-1e30f, 1e30f, 127, 0), 127.);
    EXPECT_EQ(clamped_sum(-1e30f, 1e30f, -128, 0), -128.);
    EXPECT_EQ(clamped_sum(300, 400, 5, 0), 127.);
    EXPECT_EQ(clamped_sum(-400, -300, 5, 0), -128.);
    // bounds between integers: the integer towards 0
    EXPECT_EQ(clamped_sum(2.75f, 5.75f, 0, 0), 2.);
    EXPECT_EQ(clamped_sum(2.75f, 5.75f, 9, 0), 5.);
    EXPECT_EQ(clamped_sum(-5.75f, -2.75f, -9, 0), -5.);
    EXPECT_EQ(clamped_sum(-5.75f, -2.75f, 0, 0), -2.);
}

TEST(NewerOperations, Normalisations)
{
    // x, mean, (mean of squares or variance), gamma, beta
    EXPECT_EQ((apply<float, float, float, float, float, float>(Normalize{0.}, 7., 3., 13., 5., 1.)),
              11.); // variance 4
    EXPECT_EQ(
        (apply<float, float, float, float, float, float>(NormalizeInInfer{0.}, 7., 3., 4., 5., 1.)),
        11.);
    EXPECT_EQ((apply<double, double, double, double, double, double>(
                  NormalizeInInfer{5.}, 7., 3., 4., 6., 1.)),
              9.); // sqrt(4 + 5)
    // x, bias, mean, variance, gamma, beta
    const auto b = [](const BiasNormalizeInInferClamp& op, double x) {
        return apply<half_t, float, half_t, half_t, half_t, half_t, half_t>(
            op, x, 2., 3., 4., 5., 1.);
    };
    EXPECT_EQ(b({-20.f, 20.f, 0.f}, 7.), 16.);
    EXPECT_EQ(b({-20.f, 10.f, 0.f}, 7.), 10.);
    EXPECT_EQ(b({-2.f, 10.f, 0.f}, -7.), -2.);
    EXPECT_EQ(b({-20.f, 20.f, 5.f}, 7.), 11.);
    EXPECT_EQ(b({}, -7.), 0.);
}

/// Made of each operation, it is that one.
TEST(NewerOperations, DynamicUnaryOpIsWhatItIsMadeOf)
{
    const auto expect_same = [](const auto& op) {
        const DynamicUnaryOp dynamic = op;
        for(const double x : {-3., -.5, 0., .25, 2.})
        {
            EXPECT_EQ(of(dynamic, x), of(op, x)) << static_cast<int>(dynamic.kind) << " of " << x;
            EXPECT_EQ((apply<half_t, float>(dynamic, x)), (apply<half_t, float>(op, x)));
            EXPECT_EQ((apply<std::int8_t, std::int32_t>(dynamic, x)),
                      (apply<std::int8_t, std::int32_t>(op, x)));
        }
        return dynamic.kind;
    };
    const auto kinds = {expect_same(PassThrough{}),
                        expect_same(Swish{2.f}),
                        expect_same(Sigmoid{}),
                        expect_same(Logistic{3.f}),
                        expect_same(TanH{}),
                        expect_same(Relu{}),
                        expect_same(SoftRelu{2.f}),
                        expect_same(UnaryAbs{}),
                        expect_same(Power{4.f, 1.f, 2.f}),
                        expect_same(ClippedRelu{-1.f, 1.5f}),
                        expect_same(LeakyRelu{.5f}),
                        expect_same(Elu{2.f})};
    for(auto a = kinds.begin(); a != kinds.end(); ++a)
        for(auto b = a + 1; b != kinds.end(); ++b)
            EXPECT_NE(*a, *b);
}

// The compiler computes constants with other roundings than the library.
TEST(NewerOperations, FunctionsOfTheMathematicalLibrary)
{
    EXPECT_DOUBLE_EQ(of(ACos{}, .5), std::acos(.5));
    EXPECT_DOUBLE_EQ(of(ACosH{}, 2.), std::acosh(2.));
    EXPECT_DOUBLE_EQ(of(ASin{}, .5), std::asin(.5));
    EXPECT_DOUBLE_EQ(of(ASinH{}, 2.), std::asinh(2.));
    EXPECT_DOUBLE_EQ(of(ATan{}, 2.), std::atan(2.));
    EXPECT_DOUBLE_EQ(of(ATanH{}, .5), std::atanh(.5));
    EXPECT_EQ(of(Ceil{}, 1.25), 2.);
    EXPECT_DOUBLE_EQ(of(Cos{}, 2.), std::cos(2.));
    EXPECT_DOUBLE_EQ(of(CosH{}, 2.), std::cosh(2.));
    EXPECT_DOUBLE_EQ(of(Exp{}, 2.), std::exp(2.));
    EXPECT_EQ(of(Floor{}, -1.25), -2.);
    EXPECT_DOUBLE_EQ(of(Log{}, 2.), std::log(2.));
    EXPECT_EQ(of(Neg{}, 2.), -2.);
    EXPECT_EQ(of(Rcp{}, 4.), .25);
    EXPECT_DOUBLE_EQ(of(Sin{}, 2.), std::sin(2.));
    EXPECT_DOUBLE_EQ(of(SinH{}, 2.), std::sinh(2.));
    EXPECT_DOUBLE_EQ(of(Tan{}, 2.), std::tan(2.));
}

TEST(NewerOperations, MulActivationMulClamp)
{
    const Mul_Activation_Mul_Clamp<Relu> op{2.f, .5f, {}};
    EXPECT_EQ((apply<std::int8_t, std::int32_t>(op, 30.)), 30.);
    EXPECT_EQ((apply<std::int8_t, std::int32_t>(op, -30.)), 0.);
    EXPECT_EQ((apply<std::int8_t, std::int32_t>(op, 300.)), 127.);
    EXPECT_EQ((apply<float, std::int32_t>(op, 300.)), 127.);
}

} // namespace
