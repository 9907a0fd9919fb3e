// Requantize: ties to even, the ends of int8, sums that floats do not hold, limits and a D tensor.
#include "ck/tensor_operation/gpu/element/quantization_operation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace ck::tensor_operation::element_wise {
namespace {

template <class X>
int scaled(float scale, X sum)
{
    std::int8_t y = 0;
    Requantize{.scale = scale}(y, sum);
    return y;
}

TEST(Requantize, RoundsTiesToEven)
{
    for(const auto& [sum, expected] : {std::pair{1, 0}, // .5
                                       {3, 2},
                                       {5, 2},
                                       {-1, 0},
                                       {-3, -2},
                                       {-5, -2},
                                       {7, 4},
                                       {-7, -4},
                                       {253, 126},
                                       {254, 127},
                                       {255, 127}, // 127.5, beyond
                                       {-255, -128},
                                       {-257, -128}})
    {
        EXPECT_EQ(scaled<std::int32_t>(.5f, sum), expected) << sum;
        EXPECT_EQ(scaled<std::int64_t>(.5f, sum), expected) << sum;
        EXPECT_EQ(scaled<double>(.5f, sum), expected) << sum;
        EXPECT_EQ(scaled<float>(.5f, static_cast<float>(sum)), expected) << sum;
    }
    // Composable Kernel's operations drop what follows the point.
    std::int8_t y = 0;
    Scale{.5f}(y, std::int32_t{-3});
    EXPECT_EQ(y, -1);
    Activation_Mul_Clamp<PassThrough>{.5f}(y, std::int32_t{3});
    EXPECT_EQ(y, 1);
}

TEST(Requantize, KeepsEveryBitOfASum)
{
    constexpr std::int64_t half = std::int64_t{1} << 31; // a half of 2^32
    EXPECT_EQ(scaled(0x1p-32f, half - 1), 0);
    EXPECT_EQ(scaled(0x1p-32f, half), 0);
    EXPECT_EQ(scaled(0x1p-32f, half + 1), 1);
    EXPECT_EQ(scaled(0x1p-32f, -half), 0);
    EXPECT_EQ(scaled(0x1p-32f, -half - 1), -1);
    EXPECT_EQ(scaled(1.f, half), 127);
    EXPECT_EQ(scaled(-1.f, half), -128);
    EXPECT_EQ(scaled(1.f, std::numeric_limits<std::int32_t>::max()), 127);
    EXPECT_EQ(scaled(1.f, std::numeric_limits<std::int32_t>::min()), -128);
}

TEST(Requantize, IsTheNearestToTheProduct)
{
    std::mt19937 random(7);
    for(int i = 0; i < 100000; ++i)
    {
        // Products of 53 bits are exact.
        const auto sum = static_cast<std::int32_t>(random()) >> (2 + random() % 24);
        const float scale =
            std::ldexp(static_cast<float>(random() >> 8), -static_cast<int>(random() % 60));
        const double nearest = std::fmin(std::fmax(std::nearbyint(double{scale} * sum), -128), 127);
        ASSERT_EQ(scaled(scale, sum), nearest) << scale << " * " << sum;
    }
}

TEST(Requantize, ClampsAndAdds)
{
    std::int8_t y = 0;
    const Requantize relu{.scale = .5f, .least = 0};
    relu(y, std::int32_t{-9});
    EXPECT_EQ(y, 0);
    relu(y, std::int32_t{-9}, std::int8_t{7}); // -4.5 + 7
    EXPECT_EQ(y, 2);
    const Requantize clamp{.scale = 2.f, .least = -3.5f, .most = 6.5f};
    clamp(y, std::int32_t{9});
    EXPECT_EQ(y, 6);
    clamp(y, std::int32_t{-9});
    EXPECT_EQ(y, -4);
    const Requantize add{.scale = .5f};
    add(y, std::int32_t{-1}, std::int8_t{-2}); // -2.5
    EXPECT_EQ(y, -2);
    add(y, std::int32_t{300}, std::int8_t{-128});
    EXPECT_EQ(y, 22);
}

} // namespace
} // namespace ck::tensor_operation::element_wise
