// Times of results on a made-up device.
//
// Labels: compiled alone
#include "timed.hpp"

#include <gtest/gtest.h>

#include "platform.hpp"
#include <cmath>
#include <stdexcept>
#include <string>

namespace ck::profiler {
namespace {

const Roofline roof{100, 1000, 0, 0, "nobody's datasheet"}; // 1e11 flops and 1e9 bytes in 1 ms
constexpr Work work{1e11, 0, 1e12};

TEST(Timed, a_time_is_noted_with_its_spread_and_its_share)
{
    Result r;
    set_time(r, {2, 1.9, 2.2, ""}, roof, work);
    EXPECT_EQ(r.ms, 2);
    EXPECT_EQ(r.ms_low, 1.9);
    EXPECT_EQ(r.ms_high, 2.2);
    EXPECT_DOUBLE_EQ(r.roofline, .5);
    EXPECT_EQ(r.peak_tflops, 100);
    EXPECT_EQ(r.peak_gbytes, 1000);
}

TEST(Timed, no_time_and_one_above_the_roofline_are_errors_and_leave_the_result)
{
    Result r;
    r.ms = 7;
    EXPECT_THROW(set_time(r, {1, 1, 1, "it does not run"}, roof, work), std::runtime_error);
    try
    {
        set_time(r, {.9, .9, .9, ""}, roof, work);
        ADD_FAILURE() << "1e11 flops in 0.9 ms are taken for possible";
    }
    catch(const std::runtime_error& e)
    {
        EXPECT_NE(std::string(e.what()).find("above the device's peak"), std::string::npos)
            << e.what();
    }
    // Nor as many bytes, of buffers that no cache holds.
    EXPECT_THROW(set_time(r, {.9, .9, .9, ""}, roof, {0, 1e9, 1e12}), std::runtime_error);
    EXPECT_EQ(r.ms, 7);
    EXPECT_TRUE(std::isnan(r.roofline));
}

TEST(Timed, rounds_are_those_asked_for)
{
    Options options;
    EXPECT_EQ(rounds_of(options).count, on_cpu ? 1 : 5);
    options.rounds = 3;
    EXPECT_EQ(rounds_of(options, 0.5).count, 3);
    EXPECT_EQ(rounds_of(options, 0.5).warm_up, 0.5);
}

} // namespace
} // namespace ck::profiler
