// type_convert between every pair of element types.
#include "ck/utility/type_convert.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace {

using ck::bhalf_t;
using ck::half_t;
using ck::saturated;
using ck::type_convert;

template <class To, class From>
void small_integers_survive()
{
    for(int i = -100; i <= 100; ++i)
    {
        const From x = type_convert<From>(i);
        const To y   = type_convert<To>(x);
        ASSERT_EQ(type_convert<int>(y), i);
    }
}

template <class From>
void to_every_type()
{
    small_integers_survive<double, From>();
    small_integers_survive<float, From>();
    small_integers_survive<half_t, From>();
    small_integers_survive<bhalf_t, From>();
    small_integers_survive<std::int8_t, From>();
    small_integers_survive<std::int32_t, From>();
}

TEST(TypeConvert, EveryPairByValue)
{
    to_every_type<double>();
    to_every_type<float>();
    to_every_type<half_t>();
    to_every_type<bhalf_t>();
    to_every_type<std::int8_t>();
    to_every_type<std::int32_t>();
}

TEST(TypeConvert, BfloatIsANumber)
{
    EXPECT_EQ(type_convert<bhalf_t>(1.f), 0x3f80);
    EXPECT_EQ(type_convert<float>(bhalf_t{0x3f80}), 1.f);
    EXPECT_EQ(float(type_convert<half_t>(bhalf_t{0x3f80})), 1.f);
    EXPECT_EQ(type_convert<bhalf_t>(half_t(1.f)), 0x3f80);
    EXPECT_EQ(type_convert<bhalf_t>(bhalf_t{0x1234}), 0x1234);
}

TEST(TypeConvert, ConstTargets)
{
    static_assert(std::is_same_v<decltype(type_convert<const float>(bhalf_t{0})), float>);
    EXPECT_EQ(type_convert<const float>(bhalf_t{0x4000}), 2.f);
    EXPECT_EQ((type_convert<const bhalf_t, const float>(2.f)), 0x4000);
}

TEST(TypeConvert, InConstantExpressions)
{
    static_assert(type_convert<bhalf_t>(1.f) == 0x3f80);
    static_assert(type_convert<double>(bhalf_t{0x3f80}) == 1.);
    static_assert(type_convert<std::int8_t>(-3.7f) == -3);
}

// Against the nearest of the ends.
template <class To, class From>
void saturates(From x)
{
    const auto low        = static_cast<double>(std::numeric_limits<To>::min()),
               high       = static_cast<double>(std::numeric_limits<To>::max());
    const double v        = type_convert<double>(x);
    const double expected = v < low ? low : v > high ? high : std::trunc(v);
    ASSERT_EQ(static_cast<double>(saturated<To>(x)), expected) << v;
}

// Against the remainder of the whole number in v; of 2^64 at most.
template <class To, class From>
void wraps(From x)
{
    constexpr double count = static_cast<double>(std::numeric_limits<To>::max()) -
                             static_cast<double>(std::numeric_limits<To>::min()) + 1;
    const double v         = std::trunc(type_convert<double>(x)),
                 remainder = v - count * std::floor(v / count);
    const double expected  = remainder > static_cast<double>(std::numeric_limits<To>::max())
                                 ? remainder - count
                                 : remainder;
    ASSERT_EQ(static_cast<double>(type_convert<To>(x)), expected) << v;
}

TEST(TypeConvert, IntegersKeepTheirLowBits)
{
    for(std::int32_t i = -70000; i <= 70000; i += 7)
    {
        wraps<std::int8_t>(i);
        wraps<std::uint8_t>(i);
        wraps<std::int16_t>(i);
        wraps<std::int8_t>(static_cast<float>(i) / 16);
        wraps<std::uint8_t>(static_cast<double>(i) / 16);
        wraps<std::int16_t>(static_cast<float>(i) * 1000);
        wraps<std::int8_t>(half_t(static_cast<float>(i) / 16));
        wraps<std::int8_t>(type_convert<bhalf_t>(static_cast<float>(i)));
        wraps<std::int8_t>(static_cast<long long>(i) * 1000000001);
        wraps<std::int8_t>(static_cast<double>(i) * 100001);
        wraps<std::int32_t>(static_cast<long long>(i) * 1000001);
    }
    static_assert(type_convert<std::int8_t>(378) == 122 && type_convert<std::int8_t>(-300) == -44);
    static_assert(type_convert<std::int8_t>(378.9f) == 122 &&
                  type_convert<std::int8_t>(-300.5) == -44);
    static_assert(type_convert<std::int8_t>(127u) == 127 && type_convert<std::int8_t>(200u) == -56);
    static_assert(type_convert<std::int32_t>(0xffffffffu) == -1);
    static_assert(type_convert<std::uint32_t>(-1) == 0xffffffffu);
    EXPECT_EQ(type_convert<std::int8_t>(-0x1p52), 0);
    EXPECT_EQ(type_convert<std::int8_t>(0x1p52 + 5), 5);
}

TEST(TypeConvert, FloatsBeyondIntegersOf32BitsAreTheNearestEnd)
{
    for(std::int32_t i = -70000; i <= 70000; i += 7)
    {
        const float x = static_cast<float>(i) * 1e6f;
        ASSERT_EQ(type_convert<std::int32_t>(x), saturated<std::int32_t>(x));
        ASSERT_EQ(type_convert<std::int32_t>(double{x}), saturated<std::int32_t>(x));
        ASSERT_EQ(type_convert<std::int8_t>(x),
                  static_cast<std::int8_t>(saturated<std::int32_t>(x)));
    }
    for(const float infinity : {INFINITY, -INFINITY})
        EXPECT_EQ(type_convert<std::int8_t>(infinity), infinity > 0 ? -1 : 0);
    EXPECT_EQ(type_convert<std::int8_t>(NAN), 0);
    EXPECT_EQ(type_convert<std::int32_t>(std::nan("")), 0);
}

TEST(TypeConvert, SaturatedIntegersAreTheNearestEnd)
{
    for(std::int32_t i = -70000; i <= 70000; i += 7)
    {
        saturates<std::int8_t>(i);
        saturates<std::uint8_t>(i);
        saturates<std::int16_t>(i);
        saturates<std::int8_t>(static_cast<float>(i) / 16);
        saturates<std::uint8_t>(static_cast<double>(i) / 16);
        saturates<std::int8_t>(half_t(static_cast<float>(i) / 16));
        saturates<std::int8_t>(type_convert<bhalf_t>(static_cast<float>(i)));
        saturates<std::int8_t>(static_cast<long long>(i) * 1000000000);
        saturates<std::int32_t>(static_cast<long long>(i) * 1000000000);
        saturates<std::int32_t>(static_cast<float>(i) * 1e6f);
        saturates<std::int32_t>(static_cast<double>(i) * 1e6);
    }
    static_assert(saturated<std::int8_t>(300) == 127 && saturated<std::int8_t>(-300) == -128);
    static_assert(saturated<std::int8_t>(127u) == 127 && saturated<std::int8_t>(200u) == 127);
    static_assert(saturated<std::int32_t>(0xffffffffu) == 0x7fffffff);
    static_assert(saturated<std::uint32_t>(-1) == 0 && saturated<std::uint32_t>(5) == 5);
    for(const float infinity : {INFINITY, -INFINITY})
        EXPECT_EQ(saturated<std::int8_t>(infinity), infinity > 0 ? 127 : -128);
    EXPECT_EQ(saturated<std::int8_t>(NAN), 0);
    EXPECT_EQ(saturated<std::int32_t>(std::nan("")), 0);
    EXPECT_EQ(saturated<std::int8_t>(ck::bf8_t(1024.f)), 127);
    EXPECT_EQ(saturated<float>(300.), 300.f);
    EXPECT_EQ(saturated<bhalf_t>(1.f), 0x3f80);
}

TEST(TypeConvert, EightBitFloatsAreExactInEveryFloatingPointType)
{
    const auto check = [](auto x) {
        const float value = x;
        EXPECT_EQ(type_convert<double>(x), static_cast<double>(value));
        EXPECT_EQ(type_convert<float>(type_convert<half_t>(x)), value);
        EXPECT_EQ(type_convert<float>(type_convert<bhalf_t>(x)), value);
        EXPECT_EQ(type_convert<bhalf_t>(x), type_convert<bhalf_t>(value));
        EXPECT_EQ(type_convert<decltype(x)>(type_convert<bhalf_t>(x)).bits, x.bits);
    };
    for(unsigned bits = 0; bits < 256; ++bits)
        if(bits != 0x80)
        {
            check(ck::f8_t::of_bits(static_cast<std::uint8_t>(bits)));
            check(ck::bf8_t::of_bits(static_cast<std::uint8_t>(bits)));
        }
    EXPECT_TRUE(std::isnan(type_convert<float>(type_convert<bhalf_t>(ck::f8_t(NAN)))));
    EXPECT_TRUE(std::isnan(type_convert<float>(type_convert<half_t>(ck::bf8_t(NAN)))));
    EXPECT_EQ(type_convert<std::int8_t>(ck::bf8_t(1025.f)), 0); // 1024
}

} // namespace
