// Every element-wise operation against its formula in double, over small, large and extreme
// operands.
//
// Labels: not sanitized
#include "ck/library/utility/error_bound.hpp"
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

using namespace ck::tensor_operation::element_wise;
using ck::type_convert;
using ck::utils::denormal_roundoff;
using ck::utils::unit_roundoff;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double relu(double x) { return std::max(x, 0.); }
/// x times a factor that falls faster to 0 than x grows.
double gated(double x, double factor) { return factor == 0 ? 0 : x * factor; }
double fast_gelu(double x)
{
    return gated(x, sigmoid(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double hardswish(double x) { return gated(x, std::clamp(x + 3, 0., 6.) / 6); }
double within_int8(double x) { return std::clamp(x, -128., 127.); }

/// The relative error of an exponent's argument, or of a Gaussian's, reaches the result multiplied
/// by the argument. Not where the exponential has vanished or is 1 in any type.
double exponent(double y, double argument)
{
    return std::abs(y) * (1 + std::min(std::abs(argument), 1e4));
}

/// For each operation: its name, the operation, what it is in double, and a magnitude that a
/// relative rounding of its intermediate results changes the result by: that of the largest term
/// of sums that may cancel. Without one it is |y|.
template <class Visit>
void operations(Visit& visit)
{
    const float third = 1.f / 3.f;
    visit("PassThrough", PassThrough{}, [](double x) { return x; });
    visit("UnaryConvert", UnaryConvert{}, [](double x) { return x; });
    visit("ConvertBF16RTN", ConvertBF16RTN{}, [](double x) { return x; });
    visit("ConvertF8RNE", ConvertF8RNE{}, [](double x) { return x; });
    visit("Scale", Scale{third}, [=](double x) { return third * x; });
    visit("Relu", Relu{}, relu);
    visit("UnaryAbs", UnaryAbs{}, [](double x) { return std::abs(x); });
    visit("UnarySquare", UnarySquare{}, [](double x) { return x * x; });
    visit("UnarySqrt", UnarySqrt{}, [](double x) { return std::sqrt(x); });
    visit("UnaryDivide", UnaryDivide{7}, [](double x) { return x / 7; });
    visit("TanH", TanH{}, [](double x) { return std::tanh(x); });
    visit("Sigmoid", Sigmoid{}, sigmoid);
    visit("Silu", Silu{}, [](double x) { return gated(x, sigmoid(x)); });
    visit(
        "Swish",
        Swish{1.7f},
        [](double x) { return gated(x, sigmoid(1.7f * x)); },
        [](double x) { return exponent(gated(x, sigmoid(1.7f * x)), 1.7f * x); });
    const auto gelu = [](double x) { return gated(x, std::erfc(-x * M_SQRT1_2) / 2); };
    visit("Gelu", Gelu{}, gelu, [=](double x) { return exponent(gelu(x), x * x); });
    visit("FastGelu", FastGelu{}, fast_gelu, [](double x) {
        return exponent(fast_gelu(x), 1.6 * x + 0.072 * x * x * x);
    });
    visit("Hardswish", Hardswish{}, hardswish, [](double x) { return std::abs(x); });
    visit(
        "SoftRelu",
        SoftRelu{1.7f},
        [](double x) {
            return (relu(1.7f * x) + std::log1p(std::exp(-std::abs(1.7f * x)))) / 1.7f;
        },
        [](double x) {
            return exponent(std::log1p(std::exp(-std::abs(1.7f * x))), 1.7f * x) + relu(x);
        });
    visit("Power", Power{}, [](double x) { return x * x; });
    visit(
        "Power of a sum",
        Power{2.f, third, 3.f},
        [=](double x) { return std::pow(2 + third * x, 3); },
        [=](double x) { return 3 * std::pow(2 + third * std::abs(x), 3); });
    visit("Clamp", Clamp{}, relu);
    visit("Clamp to a range", Clamp{-.5f, 6.f}, [](double x) { return std::clamp(x, -.5, 6.); });
    visit("ClippedRelu", ClippedRelu{}, [](double x) { return std::clamp(x, 0., 1.); });
    visit("LeakyRelu", LeakyRelu{}, [](double x) { return x < 0 ? .01f * x : x; });
    visit("Elu", Elu{1.7f}, [](double x) { return x < 0 ? 1.7f * std::expm1(x) : x; });
    visit("Logistic", Logistic{1.7f}, [](double x) { return 1.7f / (1 + 1.7f * std::exp(-x)); });
    visit("ConvScale", ConvScale{2.f, third, .3f}, [=](double x) { return x * 2 * third * .3f; });
    visit("ConvScaleRelu", ConvScaleRelu{2.f, third, .3f}, [=](double x) {
        return relu(x * 2 * third) * .3f;
    });
    visit("ConvInvscale", ConvInvscale{2.f, third, .3f}, [=](double x) {
        return x / 2 / third / .3f;
    });
    visit("ScaleScalePass", ScaleScalePass{Scale{2.f}, Scale{third}, {}}, [=](double x) {
        return x * 2 * third;
    });
    visit("ScaleScaleRelu", ScaleScaleRelu{Scale{2.f}, Scale{third}, {}}, [=](double x) {
        return relu(x * 2 * third);
    });
    visit("Activation_Mul_Clamp", Activation_Mul_Clamp<Relu>{third, Relu{}}, [=](double x) {
        return within_int8(third * relu(x));
    });

    const auto sum = [](auto... x) { return (std::abs(x) + ...); };
    visit(
        "Add", Add{}, [](double x0, double x1) { return x0 + x1; }, sum);
    visit(
        "Subtract", Subtract{}, [](double x0, double x1) { return x0 - x1; }, sum);
    visit("Multiply", Multiply{}, [](double x0, double x1) { return x0 * x1; });
    visit("Max", Max{}, [](double x0, double x1) { return std::max(x0, x1); });
    visit("Min", Min{}, [](double x0, double x1) { return std::min(x0, x1); });
    visit(
        "ScaleAdd", ScaleAdd{third}, [=](double x0, double x1) { return third * x0 + x1; }, sum);
    visit(
        "Bilinear",
        Bilinear{third, -.7f},
        [=](double x0, double x1) { return third * x0 - .7f * x1; },
        sum);
    visit(
        "AddRelu", AddRelu{}, [](double x0, double x1) { return relu(x0 + x1); }, sum);
    visit(
        "AddHardswish",
        AddHardswish{},
        [](double x0, double x1) { return hardswish(x0 + x1); },
        [=](double x0, double x1) { return (1 + sum(x0, x1)) * (1 + std::min(sum(x0, x1), 6.)); });
    visit(
        "ConvScaleAdd",
        ConvScaleAdd{2.f, third, .3f},
        [=](double x0, double x1) { return (x0 * 2 * third + x1) * .3f; },
        sum);
    // The slope of these activations is at most 1.13.
    visit(
        "AddSilu",
        AddSilu{},
        [](double x0, double x1) { return gated(x0 + x1, sigmoid(x0 + x1)); },
        [=](double x0, double x1) { return 2 * sum(x0, x1); });
    visit(
        "AddFastGelu",
        AddFastGelu{},
        [](double x0, double x1) { return fast_gelu(x0 + x1); },
        [=](double x0, double x1) { return 2 * sum(x0, x1); });
    visit(
        "MultiplyFastGelu",
        MultiplyFastGelu{},
        [](double x0, double x1) { return fast_gelu(x0 * x1); },
        [](double x0, double x1) { return 2 * std::abs(x0 * x1); });
    visit(
        "BinaryWithUnaryCombinedOp",
        BinaryWithUnaryCombinedOp<Subtract, Scale, Relu>{Subtract{}, Scale{third}, Relu{}},
        [=](double x0, double x1) { return third * x0 - relu(x1); },
        sum);
    visit("Activation_Mul2_Clamp", Activation_Mul2_Clamp<Relu>{Relu{}}, [](double x0, double x1) {
        return within_int8(x1 * relu(x0));
    });
    visit(
        "Add_Activation_Mul_Clamp",
        Add_Activation_Mul_Clamp<Relu>{third, Relu{}},
        [=](double x0, double x1) { return within_int8(third * relu(x0 + x1)); },
        sum);
    visit(
        "Add_Mul_Activation_Mul_Clamp",
        Add_Mul_Activation_Mul_Clamp<Relu>{.3f, third, Relu{}},
        [=](double x0, double x1) { return within_int8(third * relu(.3f * (x0 + x1))); },
        sum);

    const auto product = [](double x0, double x1, double x2) {
        return 2 * std::abs(x0 * x1) + 2 * std::abs(x2);
    };
    const auto scaled = [](double x0, double x1, double x2) {
        return (std::abs(x0) + std::abs(x1)) * std::abs(x2);
    };
    visit(
        "ScaleAddScaleAddRelu",
        ScaleAddScaleAddRelu{third, -.7f},
        [=](double x0, double x1, double x2) { return relu(third * x0 - .7f * x1 + x2); },
        sum);
    visit(
        "AddAdd", AddAdd{}, [](double x0, double x1, double x2) { return x0 + x1 + x2; }, sum);
    visit(
        "AddMultiply",
        AddMultiply{},
        [](double x0, double x1, double x2) { return (x0 + x1) * x2; },
        scaled);
    visit(
        "MultiplyAdd",
        MultiplyAdd{},
        [](double x0, double x1, double x2) { return x0 * x1 + x2; },
        product);
    visit("MultiplyMultiply", MultiplyMultiply{}, [](double x0, double x1, double x2) {
        return x0 * x1 * x2;
    });
    visit(
        "AddReluAdd",
        AddReluAdd{},
        [](double x0, double x1, double x2) { return relu(x0 + x1) + x2; },
        sum);
    const auto epilogue = [=](ConvEpilogue::Activation activation) {
        ConvEpilogue e;
        e.scale      = third;
        e.least      = -.5f;
        e.most       = 6;
        e.activation = activation;
        e.place1     = ConvEpilogue::Place::before;
        e.place2     = ConvEpilogue::Place::after;
        return e;
    };
    visit(
        "ConvEpilogue, none",
        epilogue(ConvEpilogue::Activation::none),
        [=](double x0, double x1, double x2) { return third * x0 + x1 + x2; },
        sum);
    visit(
        "ConvEpilogue, clamp",
        epilogue(ConvEpilogue::Activation::clamp),
        [=](double x0, double x1, double x2) {
            return std::clamp<double>(third * x0 + x1, -.5f, 6) + x2;
        },
        sum);
    // The slope of these activations is at most 1.13.
    visit(
        "ConvEpilogue, silu",
        epilogue(ConvEpilogue::Activation::silu),
        [=](double x0, double x1, double x2) {
            return gated(third * x0 + x1, sigmoid(third * x0 + x1)) + x2;
        },
        [=](double x0, double x1, double x2) { return 2 * sum(x0, x1, x2); });
    visit(
        "ConvEpilogue, gelu",
        epilogue(ConvEpilogue::Activation::gelu),
        [=](double x0, double x1, double x2) {
            const double x = third * x0 + x1;
            return gated(x, std::erfc(-x / std::sqrt(2.)) / 2) + x2;
        },
        [=](double x0, double x1, double x2) { return 2 * sum(x0, x1, x2); });
    visit(
        "ConvEpilogue, leaky_relu",
        epilogue(ConvEpilogue::Activation::leaky_relu), // the slope is -.5
        [=](double x0, double x1, double x2) {
            const double x = third * x0 + x1;
            return (x < 0 ? -.5 * x : x) + x2;
        },
        sum);
    visit(
        "ConvEpilogue, hard_swish",
        epilogue(ConvEpilogue::Activation::hard_swish),
        [=](double x0, double x1, double x2) { return hardswish(third * x0 + x1) + x2; },
        [=](double x0, double x1, double x2) { return 7 * (1 + sum(x0, x1, x2)); });
    visit(
        "ConvEpilogue, hard_sigmoid",
        epilogue(ConvEpilogue::Activation::hard_sigmoid),
        [=](double x0, double x1, double x2) {
            return std::clamp(third * x0 + x1 + 3, 0., 6.) / 6 + x2;
        },
        [=](double x0, double x1, double x2) { return 1 + sum(x0, x1, x2); });
    visit(
        "ConvEpilogue, sigmoid",
        epilogue(ConvEpilogue::Activation::sigmoid),
        [=](double x0, double x1, double x2) { return sigmoid(third * x0 + x1) + x2; },
        [=](double x0, double x1, double x2) { return 1 + sum(x0, x1, x2); });
    visit(
        "AddHardswishAdd",
        AddHardswishAdd{},
        [](double x0, double x1, double x2) { return hardswish(x0 + x1) + x2; },
        [=](double x0, double x1, double x2) { return 7 * (1 + sum(x0, x1, x2)); });
    visit(
        "AddAddFastGelu",
        AddAddFastGelu{},
        [](double x0, double x1, double x2) { return fast_gelu(x0 + x1 + x2); },
        [=](double x0, double x1, double x2) { return 2 * sum(x0, x1, x2); });
    visit(
        "MultiplyAddFastGelu",
        MultiplyAddFastGelu{},
        [](double x0, double x1, double x2) { return fast_gelu(x0 * x1 + x2); },
        product);
    visit(
        "TrinaryWithUnaryCombinedOp",
        TrinaryWithUnaryCombinedOp<Add, Multiply, Scale, Relu, UnaryAbs>{
            Add{}, Multiply{}, Scale{third}, Relu{}, UnaryAbs{}},
        [=](double x0, double x1, double x2) { return (third * x0 + relu(x1)) * std::abs(x2); },
        scaled);
    visit(
        "Add_Activation_Mul2_Clamp",
        Add_Activation_Mul2_Clamp<Relu>{Relu{}},
        [](double x0, double x1, double x2) { return within_int8(x2 * relu(x0 + x1)); },
        scaled);
    visit(
        "Add_Mul2_Activation_Mul_Clamp",
        Add_Mul2_Activation_Mul_Clamp<Relu>{third, Relu{}},
        [=](double x0, double x1, double x2) { return within_int8(third * relu(x2 * (x0 + x1))); },
        scaled);
}

/// Operands as they appear in networks, and, of operations of one operand, at the limits of
/// exponentials and beyond. All are exact in no type but double.
const std::vector<double> ordinary{0,   -0.,  .001, -.001, .1, -.1, .5,  -.5,  1,    -1,
                                   1.5, -1.5, 2.25, -2.5,  3,  -3,  4.5, -4.5, 11.3, -11.3};
const std::vector<double> extreme{1e-40, -1e-40, 1e-30, -1e-30, 17,    -17,      40,
                                  -40,   86,     -86,   89,     -89,   104,      -104,
                                  750,   -750,   6e4,   -6e4,   1e9,   -1e9,     1e18,
                                  -1e18, 1e30,   -1e30, 1e38,   -1e38, INFINITY, -INFINITY};

/// Operations with a result of type T and a first operand of type X, an accumulator or the same.
template <class T, class X>
struct Check
{
    int results = 0;

    template <class Op, class InDouble>
    void operator()(const char* name, const Op& op, const InDouble& formula)
    {
        (*this)(name, op, formula, [&](auto... x) { return std::abs(formula(x...)); });
    }

    template <class Op, class InDouble, class Magnitude>
    void
    operator()(const char* name, const Op& op, const InDouble& formula, const Magnitude& magnitude)
    {
        const auto check = [&](auto... x) { one(name, op, formula, magnitude, x...); };
        if constexpr(std::is_invocable_v<InDouble, double>)
            for(const auto* values : {&ordinary, &extreme})
                for(const double x : *values)
                    check(type_convert<X>(x));
        else
            for(const double x0 : ordinary)
                for(const double x1 : ordinary)
                    if constexpr(std::is_invocable_v<InDouble, double, double>)
                        check(type_convert<X>(x0), type_convert<T>(x1));
                    else
                        for(const double x2 : ordinary)
                            check(type_convert<X>(x0), type_convert<T>(x1), type_convert<T>(x2));
    }

    template <class Op, class InDouble, class Magnitude, class... Xs>
    void one(const char* name,
             const Op& op,
             const InDouble& formula,
             const Magnitude& magnitude,
             Xs... x)
    {
        using Compute = ComputeType<T, X>;
        T y{};
        op(y, x...);
        const double got     = type_convert<double>(y);
        const double exact   = formula(type_convert<double>(x)...);
        const double nearest = type_convert<double>(type_convert<T>(exact));
        // No operation has more than twelve roundings, elementary functions counted as four. What
        // underflows may be multiplied by an operand.
        const double error =
            12 * unit_roundoff<Compute> * magnitude(type_convert<double>(x)...) +
            denormal_roundoff<Compute> * (1 + (std::abs(type_convert<double>(x)) + ...));
        const double bound =
            error + unit_roundoff<T> * (std::abs(exact) + error) + denormal_roundoff<T>;
        const bool right = got == nearest || std::abs(got - exact) <= bound || // NaN is not
                           (std::isnan(got) && std::isnan(nearest)); // infinity as an f8_t
        EXPECT_TRUE(right) << name << " of "
                           << testing::PrintToString(
                                  std::vector<double>{type_convert<double>(x)...})
                           << " is " << got << ", but should be " << exact << " within " << bound;
        ++results;
    }
};

template <class T>
class ElementWiseFormulas : public testing::Test
{};
using Types = testing::Types<double, float, ck::half_t, ck::bhalf_t, ck::f8_t, ck::bf8_t>;
TYPED_TEST_SUITE(ElementWiseFormulas, Types);

TYPED_TEST(ElementWiseFormulas, InOneType)
{
    Check<TypeParam, TypeParam> check;
    operations(check);
    EXPECT_GT(check.results, 100000);
}
TYPED_TEST(ElementWiseFormulas, OfTheAccumulator)
{
    Check<TypeParam, float> check;
    operations(check);
    EXPECT_GT(check.results, 100000);
}

/// Gelu in f32 between the limits where its factor is 1 and where it vanishes: nearer than the
/// roundings that other operations may have.
TEST(ElementWiseFormulas, GeluIsAsExactAsItsExponential)
{
    for(int i = -26000; i <= 26000; ++i)
    {
        const float x = static_cast<float>(i) / 2003;
        float y       = 0;
        Gelu{}(y, x);
        const double exact = x * std::erfc(-double{x} * M_SQRT1_2) / 2,
                     bound = (9. + double{x} * x) * unit_roundoff<float> * std::abs(exact);
        ASSERT_LE(std::abs(y - exact), bound) << x << ": " << y << ", but should be " << exact;
    }
}

/// A NaN in any place gives NaN.
struct CheckNaN
{
    template <class Op, class InDouble, class... Magnitude>
    void operator()(const char* name, const Op& op, const InDouble&, const Magnitude&...)
    {
        const float nan   = std::numeric_limits<float>::quiet_NaN();
        const auto expect = [&](auto... x) {
            float y = 0;
            op(y, x...);
            EXPECT_TRUE(std::isnan(y))
                << name << " of " << testing::PrintToString(std::vector{x...});
        };
        if constexpr(std::is_invocable_v<InDouble, double>)
            expect(nan);
        else if constexpr(std::is_invocable_v<InDouble, double, double>)
            expect(nan, 2.f), expect(2.f, nan);
        else
            expect(nan, 2.f, 2.f), expect(2.f, nan, 2.f), expect(2.f, 2.f, nan);
    }
};
TEST(ElementWiseNaN, IsNotHidden)
{
    CheckNaN check;
    operations(check);
}

} // namespace
