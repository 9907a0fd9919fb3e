// type_convert between every pair of element types.
#include "ck/utility/type_convert.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

namespace {

using ck::bhalf_t;
using ck::half_t;
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

} // namespace
