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
    EXPECT_EQ(above_the_roof(std::nullopt, {1e11, 0, many}, 1e-9), "");
}

} // namespace
} // namespace ck::profiler
