// Functions of one number of any element type.
#include "ck/utility/math_v2.hpp"

#include "ck/utility/number.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace ck {
namespace {

template <class T>
void expect_of_numbers()
{
    for(const float x : {0.f, 1.f, -1.f, 4.f, -16.f})
    {
        const T value = type_convert<T>(x);
        EXPECT_EQ(type_convert<float>(math::abs(value)), x < 0 ? -x : x);
        EXPECT_FALSE(math::isnan(value));
    }
    EXPECT_EQ(type_convert<float>(math::sqrt(type_convert<T>(16))), 4);
}

TEST(Math, OfEveryType)
{
    expect_of_numbers<double>();
    expect_of_numbers<float>();
    expect_of_numbers<half_t>();
    expect_of_numbers<bhalf_t>();
    expect_of_numbers<f8_t>();
    expect_of_numbers<bf8_t>();
    EXPECT_EQ(math::abs(-7), 7);
    EXPECT_EQ(math::abs(std::int8_t{-128}), 127);
    EXPECT_EQ(math::abs(std::uint8_t{255}), 255);
    EXPECT_EQ(math::max(2, 3), 3);
    EXPECT_EQ(math::min(2.f, 3.f), 2.f);
}

TEST(Math, NaN)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(math::isnan(nan));
    EXPECT_TRUE(math::isnan(type_convert<half_t>(nan)));
    EXPECT_TRUE(math::isnan(type_convert<bhalf_t>(nan)));
    EXPECT_TRUE(math::isnan(type_convert<f8_t>(nan)));
    EXPECT_TRUE(math::isnan(math::abs(nan)));
}

TEST(StaticFor, CountsInSteps)
{
    std::vector<index_t> seen;
    static_for<6, 0, -2>{}([&](auto i) { seen.push_back(i); });
    EXPECT_EQ(seen, (std::vector<index_t>{6, 4, 2}));
    static_for<3, 3, 1>{}([&](auto) { FAIL(); });
}

} // namespace
} // namespace ck
