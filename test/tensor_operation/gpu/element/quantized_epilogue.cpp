// Sums of quantized convolutions are rounded once, whatever a double cannot hold.
#include "ck/tensor_operation/gpu/element/quantized_epilogue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace ck::tensor_operation::element_wise {
namespace {

using Place              = QuantizedEpilogue::Place;
constexpr double tiny    = 0x1p-70;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Y as a float, with the residual added before the activation.
template <class Y>
float result(long_index_t sum, float scale, double residual, std::int32_t zero = 0)
{
    QuantizedEpilogue e;
    e.place = Place::before;
    e.zero  = zero;
    return type_convert<float>(e.value<Y>(sum, scale, residual));
}

TEST(QuantizedEpilogue, TiesAreThoseOfTheExactNumber)
{
    EXPECT_EQ(result<std::int8_t>(1, .5f, 0), 0);
    EXPECT_EQ(result<std::int8_t>(1, .5f, tiny), 1);
    EXPECT_EQ(result<std::int8_t>(3, .5f, 0), 2);
    EXPECT_EQ(result<std::int8_t>(3, .5f, -tiny), 1);
    EXPECT_EQ(result<std::int8_t>(-1, .5f, -tiny), -1);
    EXPECT_EQ(result<std::int8_t>(-5, .5f, 0), -2);
    EXPECT_EQ(result<std::uint8_t>(1, .5f, 0, 7), 7) << "before the zero point is added";
    EXPECT_EQ(result<half_t>(2049, 1, 0), 2048);
    EXPECT_EQ(result<half_t>(2049, 1, tiny), 2050);
    EXPECT_EQ(result<half_t>(2051, 1, -tiny), 2050);
    EXPECT_EQ(result<half_t>(-2049, 1, -tiny), -2050);
    EXPECT_EQ(result<bhalf_t>(257, 1, 0), 256);
    EXPECT_EQ(result<bhalf_t>(257, 1, tiny), 258);
    EXPECT_EQ(result<float>((1 << 24) + 1, 1, 0), 0x1p24f);
    EXPECT_EQ(result<float>((1 << 24) + 1, 1, tiny), 0x1p24f + 2);
    EXPECT_EQ(result<float>((1 << 24) + 3, 1, -tiny), 0x1p24f + 2);
}

TEST(QuantizedEpilogue, LargeProductsThatCancelAreExact)
{
    // (2^34 - 1) (1 + 2^-23) = 2^34 + 2^11 - 1 - 2^-23
    constexpr long_index_t sum = (long_index_t{1} << 34) - 1;
    constexpr float scale      = 1 + 0x1p-23f;
    EXPECT_EQ(result<float>(sum, scale, -0x1p34 - 0x1p11), -1 - 0x1p-23f);
    EXPECT_EQ(result<std::int8_t>(sum, scale, -0x1p34 - 0x1p11 + .5), -1); // -.5 - 2^-23
    EXPECT_EQ(result<std::int8_t>(-sum, scale, 0x1p34 + 0x1p11 - .5), 1);
    EXPECT_EQ(result<float>(-sum, -scale, -0x1p34 - 0x1p11), -1 - 0x1p-23f);
    EXPECT_EQ(result<std::int8_t>(sum, scale, -0x1p34 - 0x1p11 + 3.5, 1), 3); // 2.5 - 2^-23
}

TEST(QuantizedEpilogue, SaturatesOrIsInfinite)
{
    EXPECT_EQ(result<std::int8_t>(1000, 1, 0), 127);
    EXPECT_EQ(result<std::int8_t>(-1000, 1, 0), -128);
    EXPECT_EQ(result<std::int8_t>(-130, 1, 0, 100), -30);
    EXPECT_EQ(result<std::uint8_t>(-1, 1, 0), 0);
    EXPECT_EQ(result<std::uint8_t>(-1, 1, 0, 3), 2);
    EXPECT_EQ(result<std::uint8_t>(1 << 30, 0x1p100f, 0), 255);
    EXPECT_EQ(result<half_t>(65519, 1, .99), 65504);
    EXPECT_EQ(result<half_t>(65520, 1, 0), infinity);
    EXPECT_EQ(result<bhalf_t>(1 << 30, 0x1p127f, 0), infinity);
    EXPECT_EQ(result<float>(-(1 << 30), 0x1p127f, 0), -infinity);
    EXPECT_EQ(result<float>(1, 1, infinity), infinity);
    EXPECT_EQ(result<half_t>(long_index_t{1} << 34, 1, -infinity), -infinity);
    EXPECT_TRUE(std::isnan(result<float>(1, 1, std::nan(""))));
    EXPECT_EQ(result<half_t>(1, 0x1p-24f, 0), 0x1p-24f);
    EXPECT_EQ(result<half_t>(1, 0x1p-25f, 0), 0);
    EXPECT_EQ(result<half_t>(1, 0x1p-25f, 0x1p-80), 0x1p-24f);
}

TEST(QuantizedEpilogue, ActivationsAreBetweenTheResiduals)
{
    QuantizedEpilogue relu, clamp;
    relu.least  = 0;
    clamp.least = -2.5f;
    clamp.most  = 3.5f;
    relu.zero = clamp.zero = 10;
    const auto of = [](QuantizedEpilogue e, Place place, long_index_t sum, double residual) {
        e.place = place;
        return static_cast<int>(e.value<std::int8_t>(sum, 1, residual));
    };
    EXPECT_EQ(of(relu, Place::nowhere, -4, 100), 10);
    EXPECT_EQ(of(relu, Place::nowhere, 4, 100), 14);
    EXPECT_EQ(of(relu, Place::before, -4, 3), 10);
    EXPECT_EQ(of(relu, Place::before, -4, 6), 12);
    EXPECT_EQ(of(relu, Place::after, -4, -3), 7);
    EXPECT_EQ(of(relu, Place::after, 4, -3), 11);
    EXPECT_EQ(of(clamp, Place::nowhere, 9, 0), 14);
    EXPECT_EQ(of(clamp, Place::nowhere, -9, 0), 8);
    EXPECT_EQ(of(clamp, Place::after, 9, tiny), 14);
    EXPECT_EQ(of(clamp, Place::after, 9, -tiny), 13);
    EXPECT_EQ(of(clamp, Place::after, long_index_t{1} << 33, -tiny), 13);
    EXPECT_EQ(of(clamp, Place::before, -9, 7), 8);
}

} // namespace
} // namespace ck::tensor_operation::element_wise
