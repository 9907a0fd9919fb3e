// Roundings to eight-bit floats.
#include "ck/utility/type_convert.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ck {
namespace {

template <class T>
class Rounding : public testing::Test
{};
using Types = testing::Types<f8_t, bf8_t, f8_ocp_t, bf8_ocp_t>;
TYPED_TEST_SUITE(Rounding, Types);

TYPED_TEST(Rounding, NumbersOfTheTypeStay)
{
    for(int bits = 0; bits < 256; ++bits)
    {
        const auto x  = TypeParam::of_bits(static_cast<std::uint8_t>(bits));
        const float f = type_convert<float>(x);
        if(!std::isfinite(f) || (f == 0 && bits != 0))
            continue;
        EXPECT_EQ((f8_convert_sr<TypeParam>(f).bits), x.bits);
        EXPECT_EQ((f8_convert_rne<TypeParam>(f).bits), x.bits);
    }
}

TYPED_TEST(Rounding, IsRightOnAverageAndNeverPastTheNeighbours)
{
    for(const float x : {1.03f, -1.03f, 1.999f, 0.3f, -57.7f, 1e-4f, -2e-4f, 0.75e-5f})
    {
        const float nearest   = type_convert<float>(type_convert<TypeParam>(x));
        const float magnitude = std::abs(x);
        const int tries       = 4000;
        double sum = 0, low = 1e9, high = -1e9;
        for(int seed = 0; seed < tries; ++seed)
        {
            const float y =
                type_convert<float>(f8_convert_sr<TypeParam>(x, static_cast<std::uint32_t>(seed)));
            sum += y;
            low  = std::min<double>(low, y);
            high = std::max<double>(high, y);
        }
        EXPECT_LE(low, x);
        EXPECT_GE(high, x);
        EXPECT_TRUE(nearest == static_cast<float>(low) || nearest == static_cast<float>(high));
        const double step = high - low; // five deviations of the mean of this many
        EXPECT_LT(std::abs(sum / tries - x), 5 * 0.5 * step / std::sqrt(tries)) << magnitude;
    }
}

TYPED_TEST(Rounding, EndsStay)
{
    const float largest = type_convert<float>(TypeParam::of_bits(TypeParam::largest));
    for(const float x : {largest, -largest, 2 * largest, -2 * largest})
        EXPECT_EQ((type_convert<float>(f8_convert_sr<TypeParam>(x))), x > 0 ? largest : -largest);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(type_convert<float>(f8_convert_sr<TypeParam>(nan))));
    EXPECT_EQ((f8_convert_sr<TypeParam>(half_t(1.f)).bits), (type_convert<TypeParam>(1.f).bits));
}

} // namespace
} // namespace ck
