#include "roof.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ck::profiler {
namespace {

const Roofline roof{100, 1000, 0, 0, "a datasheet"}; // TFLOP/s, GB/s
constexpr double many = 1e12;                        ///< bytes, more than any cache

TEST(Roof, share)
{
    EXPECT_DOUBLE_EQ(share_of_roof(roof, {1e11, 0, many}, 2), .5);   // 1 ms at the peak
    EXPECT_DOUBLE_EQ(share_of_roof(roof, {1e11, 4e9, many}, 8), .5); // 4 ms of memory
    EXPECT_DOUBLE_EQ(share_of_roof(roof, {1e11, 4e9, 1e6}, 8), .125) << "in the cache";
    constexpr double cache = 256 << 20;
    EXPECT_DOUBLE_EQ(share_of_roof(roof, {1e11, 4e9, cache}, 8), .125) << "just in the cache";
    EXPECT_DOUBLE_EQ(share_of_roof(roof, {1e11, 4e9, cache + 1}, 8), .5);
    EXPECT_DOUBLE_EQ(share_of_roof(roof, {1e11, 0, many}, .5), 1) << "no more than all";
    EXPECT_TRUE(std::isnan(share_of_roof(std::nullopt, {1e11, 4e9, many}, 8)));
    EXPECT_TRUE(std::isnan(share_of_roof(roof, {1e11, 4e9, many}, 0))) << "not timed";
}

TEST(Roof, what_is_above_is_an_error)
{
    EXPECT_EQ(above_the_roof(roof, {1e11, 0, many}, 1.01), "");
    EXPECT_NE(above_the_roof(roof, {1e11, 0, many}, .99).find("above the device's peak"),
              std::string::npos);
    EXPECT_NE(above_the_roof(roof, {1e11, 4e9, many}, 3.9), "");
    EXPECT_EQ(above_the_roof(roof, {1e11, 4e9, 1e6}, 3.9), "") << "it may be in the cache";
    // Half of the buffers are in the cache: of the bytes half come from memory, 2 ms.
    constexpr double half = 512 << 20;
    EXPECT_EQ(above_the_roof(roof, {1e10, 4e9, half}, 2.01), "");
    EXPECT_EQ(above_the_roof(roof, {1e10, 4e9, half}, .5),
              "0.500000 ms are 20.000000 TFlops and at least 4000.000000 GB/s, above the device's "
              "peak (100.000000 TFlops, 1000.000000 GB/s; a datasheet): the measurement is wrong");
    EXPECT_EQ(above_the_roof(roof, {1e10, 0, many}, .05),
              "0.050000 ms are 200.000000 TFlops and at least 0.000000 GB/s, above the device's "
              "peak (100.000000 TFlops, 1000.000000 GB/s; a datasheet): the measurement is wrong");
    EXPECT_EQ(above_the_roof(roof, {1e10, 4e9, 0}, 1), "") << "no buffers, no memory";
    EXPECT_EQ(above_the_roof(std::nullopt, {1e11, 0, many}, 1e-9), "");
}

} // namespace
} // namespace ck::profiler
