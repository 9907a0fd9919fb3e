// bhalf_t conversions: every bit pattern, and rounding at every boundary between two of them.
#include "ck/utility/bfloat16.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace {

using ck::detail::bhalf_bits_to_float;
using ck::detail::float_to_bhalf_bits;

constexpr unsigned infinity = 0x7f80;

float value_of(unsigned bits) { return std::bit_cast<float>(bits << 16); }

TEST(Bfloat16, EveryPatternComesBack)
{
    for(unsigned sign : {0u, 0x8000u})
        for(unsigned bits = 0; bits <= infinity; ++bits)
        {
            const auto pattern = static_cast<ck::bhalf_t>(sign | bits);
            ASSERT_EQ(bhalf_bits_to_float(pattern), value_of(pattern));
            ASSERT_EQ(float_to_bhalf_bits(bhalf_bits_to_float(pattern)), pattern);
        }
}

TEST(Bfloat16, RoundsToNearestEven)
{
    for(unsigned sign : {0u, 0x8000u})
        for(unsigned bits = 0; bits < infinity; ++bits)
        {
            const unsigned low  = sign | bits;
            const unsigned tie  = (low << 16) | 0x8000u;
            const unsigned even = bits & 1 ? low + 1 : low;
            ASSERT_EQ(float_to_bhalf_bits(std::bit_cast<float>(tie)), even) << bits;
            ASSERT_EQ(float_to_bhalf_bits(std::bit_cast<float>(tie - 1)), low) << bits;
            ASSERT_EQ(float_to_bhalf_bits(std::bit_cast<float>(tie + 1)), low + 1) << bits;
        }
}

TEST(Bfloat16, OverflowsToInfinity)
{
    EXPECT_EQ(float_to_bhalf_bits(std::numeric_limits<float>::max()), infinity);
    EXPECT_EQ(float_to_bhalf_bits(std::numeric_limits<float>::lowest()), 0x8000u | infinity);
}

TEST(Bfloat16, NaNStaysNaN)
{
    for(unsigned bits :
        {0x7f800001u, 0x7f80ffffu, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu})
    {
        const auto pattern = float_to_bhalf_bits(std::bit_cast<float>(bits));
        EXPECT_TRUE(std::isnan(bhalf_bits_to_float(pattern))) << std::hex << bits;
        EXPECT_EQ(pattern >> 15, static_cast<int>(bits >> 31));
    }
}

} // namespace
