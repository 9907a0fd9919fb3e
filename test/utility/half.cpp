// half_t: every bit pattern, and rounding at every boundary between two of them.
//
// Labels: compiled alone
#include "ck/utility/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using ck::half_t;

half_t from_bits(unsigned bits) { return std::bit_cast<half_t>(static_cast<std::uint16_t>(bits)); }
unsigned to_bits(half_t x) { return std::bit_cast<std::uint16_t>(x); }

/// The value of a finite pattern by the definition of binary16.
double value_of(unsigned bits)
{
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    const double value =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}
constexpr unsigned infinity = 0x7c00;

TEST(Half, EveryFinitePatternHasItsValueAndComesBack)
{
    for(unsigned sign : {0u, 0x8000u})
        for(unsigned bits = 0; bits < infinity; ++bits)
        {
            const float x = from_bits(sign | bits);
            ASSERT_EQ(x, value_of(sign | bits)) << bits;
            ASSERT_EQ(std::signbit(x), sign != 0);
            ASSERT_EQ(to_bits(half_t(x)), sign | bits);
        }
}

TEST(Half, RoundsToNearestEven)
{
    for(unsigned sign : {0u, 0x8000u})
        for(unsigned bits = 0; bits + 1 < infinity; ++bits)
        {
            // Exact in float: binary16 has 13 bits fewer.
            const auto low      = static_cast<float>(value_of(sign | bits));
            const auto high     = static_cast<float>(value_of(sign | (bits + 1)));
            const float tie     = (low + high) / 2;
            const unsigned even = bits & 1 ? bits + 1 : bits;
            ASSERT_EQ(to_bits(half_t(tie)), sign | even) << bits;
            ASSERT_EQ(to_bits(half_t(std::nextafter(tie, low))), sign | bits) << bits;
            ASSERT_EQ(to_bits(half_t(std::nextafter(tie, high))), sign | (bits + 1)) << bits;
        }
}

TEST(Half, OverflowsToInfinity)
{
    EXPECT_EQ(to_bits(half_t(65504.f)), 0x7bffu);
    EXPECT_EQ(to_bits(half_t(std::nextafter(65520.f, 0.f))), 0x7bffu);
    EXPECT_EQ(to_bits(half_t(65520.f)), infinity);
    EXPECT_EQ(to_bits(half_t(std::numeric_limits<float>::max())), infinity);
    EXPECT_EQ(to_bits(half_t(-std::numeric_limits<float>::infinity())), 0x8000u | infinity);
    EXPECT_EQ(float(from_bits(infinity)), std::numeric_limits<float>::infinity());
}

TEST(Half, TinyNumbersBecomeZero)
{
    EXPECT_EQ(to_bits(half_t(0x1p-25f)), 0u); // the tie between 0 and the least denormal
    EXPECT_EQ(to_bits(half_t(std::nextafter(0x1p-25f, 1.f))), 1u);
    EXPECT_EQ(to_bits(half_t(std::numeric_limits<float>::denorm_min())), 0u);
    EXPECT_EQ(to_bits(half_t(-0.f)), 0x8000u);
}

TEST(Half, NaNStaysNaN)
{
    for(unsigned bits = infinity + 1; bits <= 0x7fff; ++bits)
    {
        ASSERT_TRUE(std::isnan(float(from_bits(bits)))) << bits;
        ASSERT_TRUE(std::isnan(float(half_t(float(from_bits(bits)))))) << bits;
    }
    // A payload that binary16 cannot hold must not turn into infinity.
    EXPECT_TRUE(std::isnan(float(half_t(std::bit_cast<float>(0x7f800001u)))));
}

TEST(Half, ComputesThroughFloat)
{
    half_t x = 1.5f;
    x += 2.f;
    x *= 3.f;
    x -= .5f;
    x /= 4.f;
    EXPECT_EQ(float(x), 2.5f);
    EXPECT_EQ(float(x) + x, 5.f);
}

} // namespace
