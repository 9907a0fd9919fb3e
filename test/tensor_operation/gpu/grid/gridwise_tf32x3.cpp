// Floats rounded to tf32.
//
// Labels: not sanitized, not emulated
#include "ck/tensor_operation/gpu/grid/gridwise_tf32x3.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ck::grid::gridwise_tf32x3 {
namespace {

constexpr float unit = 0x1p-10f; ///< unit of tf32 at 1

TEST(RoundedToTf32, IsTheNearest)
{
    for(const float sign : {-1.f, 1.f})
        for(const float power : {1.f, 0x1p-100f, 0x1p100f})
        {
            const auto rounded = [&](float x) { return rounded_to_tf32(sign * power * x); };
            const float s      = sign * power;
            EXPECT_EQ(rounded(1), s);
            EXPECT_EQ(rounded(1 + unit), s * (1 + unit));
            EXPECT_EQ(rounded(1 + .49f * unit), s);
            EXPECT_EQ(rounded(1 + .51f * unit), s * (1 + unit));
            EXPECT_EQ(rounded(1 + 1.49f * unit), s * (1 + unit));
            EXPECT_EQ(rounded(2 - .49f * unit), s * 2);
        }
    EXPECT_EQ(rounded_to_tf32(0.f), 0);
    EXPECT_TRUE(std::signbit(rounded_to_tf32(-0.f)));
}

TEST(RoundedToTf32, IsEvenOfTwoThatAreAsNear)
{
    for(int i = 0; i < 1024; ++i)
    {
        const float low = 1 + static_cast<float>(i) * unit;
        EXPECT_EQ(rounded_to_tf32(low + .5f * unit), i % 2 == 0 ? low : low + unit) << i;
        EXPECT_EQ(rounded_to_tf32(-low - .5f * unit), i % 2 == 0 ? -low : -low - unit) << i;
    }
}

TEST(RoundedToTf32, StaysFinite)
{
    using Limits         = std::numeric_limits<float>;
    constexpr float most = 0x1.ffcp127f; // largest number of tf32
    EXPECT_EQ(rounded_to_tf32(Limits::max()), most);
    EXPECT_EQ(rounded_to_tf32(-Limits::max()), -most);
    EXPECT_EQ(rounded_to_tf32(Limits::infinity()), Limits::infinity());
    EXPECT_EQ(rounded_to_tf32(-Limits::infinity()), -Limits::infinity());
    EXPECT_TRUE(std::isnan(rounded_to_tf32(Limits::quiet_NaN())));
}

} // namespace
} // namespace ck::grid::gridwise_tf32x3
