// Eight-bit floats: every bit pattern by the definition of its value, and rounding at every
// boundary between two of them, decided in double.
#include "ck/utility/float8.hpp"

#include "ck/utility/numeric_limits.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>

namespace {

using ck::bf8_ocp_t;
using ck::bf8_t;
using ck::f8_ocp_t;
using ck::f8_t;

/// The definition: sign, exponent, fraction.
double value_of(unsigned bits, int fraction_bits, int bias)
{
    const int exponent    = static_cast<int>(bits & 0x7f) >> fraction_bits;
    const int fraction    = static_cast<int>(bits & 0x7f) & ((1 << fraction_bits) - 1);
    const double mantissa = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
    const double value =
        std::ldexp(mantissa, (exponent == 0 ? 1 : exponent) - bias - fraction_bits);
    return bits & 0x80 ? -value : value;
}

template <class T>
struct Float8 : testing::Test
{
    static constexpr bool ocp = std::is_same_v<T, f8_ocp_t> || std::is_same_v<T, bf8_ocp_t>;
    static constexpr int exponent_bits =
        std::is_same_v<T, f8_t> || std::is_same_v<T, f8_ocp_t> ? 4 : 5;
    static constexpr int bias = (1 << (exponent_bits - 1)) - (ocp ? 1 : 0);
    /// The code of the largest number; greater codes are not numbers.
    static constexpr unsigned largest = !ocp ? 0x7f : exponent_bits == 4 ? 0x7e : 0x7b;

    static double value(unsigned bits) { return value_of(bits, 7 - exponent_bits, bias); }
    static bool is_number(unsigned bits)
    {
        return (bits & 0x7f) <= largest && (ocp || bits != 0x80);
    }
};
using Types = testing::Types<f8_t, bf8_t, f8_ocp_t, bf8_ocp_t>;
TYPED_TEST_SUITE(Float8, Types);

TYPED_TEST(Float8, EveryPatternHasItsValueAndComesBack)
{
    using T = TypeParam;
    for(unsigned bits = 0; bits < 256; ++bits)
    {
        const T x = T::of_bits(static_cast<std::uint8_t>(bits));
        if(!this->is_number(bits))
        {
            if(TestFixture::ocp && (bits & 0x7f) == 0x7c) // e5m2
                EXPECT_EQ(static_cast<float>(x), bits == 0x7c ? INFINITY : -INFINITY);
            else
                EXPECT_TRUE(std::isnan(static_cast<float>(x))) << bits;
            continue;
        }
        EXPECT_EQ(static_cast<double>(static_cast<float>(x)), this->value(bits)) << bits;
        EXPECT_EQ(T(static_cast<float>(x)).bits, bits);
    }
}

TYPED_TEST(Float8, RoundsToNearestEven)
{
    using T = TypeParam;
    for(const unsigned sign : {0u, 0x80u})
        for(unsigned code = 0; code < TestFixture::largest; ++code)
        {
            const unsigned next = code + 1;
            const double tie    = (this->value(code) + this->value(next)) / 2;
            const auto at       = static_cast<float>(sign != 0 ? -tie : tie); // exact
            ASSERT_EQ(std::abs(static_cast<double>(at)), tie);
            const auto signed_code = [&](unsigned c) {
                return c == 0 && !TestFixture::ocp ? 0u : sign | c; // FNUZ has no -0
            };
            EXPECT_EQ(T(at).bits, signed_code(code % 2 == 0 ? code : next)) << code;
            EXPECT_EQ(T(std::nextafter(at, 0.f)).bits, signed_code(code)) << code;
            EXPECT_EQ(T(std::nextafter(at, at * 2)).bits, signed_code(next)) << code;
        }
}

// Many values, each against the nearest pattern by search.
TYPED_TEST(Float8, RoundsEveryMagnitudeToTheNearestPattern)
{
    using T = TypeParam;
    std::map<double, unsigned> patterns;
    for(unsigned bits = 0; bits < 256; ++bits)
        if(this->is_number(bits) && bits != 0x80)
            patterns[this->value(bits)] = bits;
    for(std::uint64_t bits = 0; bits < 0x100000000u; bits += 65537) // all exponents, both signs
    {
        const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        if(!std::isfinite(x))
            continue;
        const auto above = patterns.lower_bound(x);
        unsigned nearest = 0;
        if(above == patterns.end())
            nearest = TestFixture::largest;
        else if(above == patterns.begin())
            nearest = 0x80 | TestFixture::largest;
        else
        {
            const auto below  = std::prev(above);
            const double up   = above->first - static_cast<double>(x),
                         down = static_cast<double>(x) - below->first;
            nearest =
                up < down || (up == down && above->second % 2 == 0) ? above->second : below->second;
        }
        if(nearest == 0 && TestFixture::ocp && std::signbit(x))
            nearest = 0x80;
        ASSERT_EQ(T(x).bits, nearest) << x;
    }
}

TYPED_TEST(Float8, SaturatesAndKeepsNan)
{
    using T                = TypeParam;
    const unsigned largest = TestFixture::largest;
    const float most       = T::of_bits(static_cast<std::uint8_t>(largest));
    for(const float x : {most, std::nextafter(most, 1e30f), most * 1.1f, 1e30f, 3.4e38f})
    {
        EXPECT_EQ(T(x).bits, largest) << x;
        EXPECT_EQ(T(-x).bits, 0x80 | largest) << x;
    }
    const bool ocp          = TestFixture::ocp;
    const unsigned nan      = ocp ? 0x7f : 0x80;
    const unsigned negative = ocp ? 0x80 : 0;
    for(const float x : {NAN, -NAN})
        EXPECT_EQ(T(x).bits, nan) << x;
    EXPECT_EQ(T(INFINITY).bits, ocp ? largest : nan);
    EXPECT_EQ(T(-INFINITY).bits, ocp ? 0x80 | largest : nan);
    EXPECT_EQ(T(-0.f).bits, negative);
    EXPECT_EQ(T(-1e-30f).bits, negative);
    EXPECT_EQ(T(std::numeric_limits<float>::denorm_min()).bits, 0);
}

TEST(Float8Limits, AreTheKnownOnes)
{
    static_assert(!std::is_same_v<f8_t, bf8_t> && sizeof(f8_t) == 1 && sizeof(bf8_t) == 1);
    static_assert(std::is_trivially_copyable_v<f8_t> &&
                  std::is_trivially_default_constructible_v<bf8_t>);
    static_assert(f8_t(1.f).bits == 0x40 && bf8_t(1.f).bits == 0x40 && float(f8_t(-2.5f)) == -2.5f);
    using F = ck::NumericLimits<f8_t>;
    using B = ck::NumericLimits<bf8_t>;
    EXPECT_EQ(float(F::Max()), 240.f);
    EXPECT_EQ(float(B::Max()), 57344.f);
    EXPECT_EQ(F::Min().bits, 0x08);
    EXPECT_EQ(B::Min().bits, 0x04);
    EXPECT_EQ(F::Lowest().bits, 0xff);
    EXPECT_EQ(B::Lowest().bits, 0xff);
    EXPECT_EQ(F::QuietNaN().bits, 0x80);
    EXPECT_EQ(B::QuietNaN().bits, 0x80);
    static_assert(f8_ocp_t(1.f).bits == 0x38 && bf8_ocp_t(1.f).bits == 0x3c);
    EXPECT_EQ(float(ck::NumericLimits<f8_ocp_t>::Max()), 448.f);
    EXPECT_EQ(float(ck::NumericLimits<f8_ocp_t>::Min()), 0x1p-6f);
    EXPECT_EQ(float(ck::NumericLimits<bf8_ocp_t>::Lowest()), -57344.f);
    EXPECT_EQ(float(ck::NumericLimits<ck::half_t>::Max()), 65504.f);
    EXPECT_EQ(ck::NumericLimits<float>::Lowest(), -3.40282347e38f);
    EXPECT_EQ(ck::NumericLimits<std::int8_t>::Min(), -128);
}

} // namespace
