// On the host, where a launch lasts as long as its call: sleeps stand in for kernels.
#include "utility/contest.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace ck::measure;

/// Lasts for `ms`, and notes its letter.
Launch sleeps(double ms, std::string* notes = nullptr, char letter = ' ')
{
    return [=](int, hipStream_t) {
        if(notes != nullptr)
            *notes += letter;
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
    };
}

/// Throws at its n-th call.
Launch fails(int n)
{
    return [n, calls = std::make_shared<int>(0)](int, hipStream_t) {
        if(++*calls == n)
            throw std::runtime_error("broken at call " + std::to_string(n));
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    };
}

TEST(Timing, IsMedianLeastAndMost)
{
    const Timing t = timing_of({5, 1, 3});
    EXPECT_TRUE(t.ok());
    EXPECT_EQ(t.median, 3);
    EXPECT_EQ(t.low, 1);
    EXPECT_EQ(t.high, 5);
}

TEST(TimeEach, TimesAllInTurns)
{
    std::string order;
    const auto times =
        time_each({sleeps(3, &order, 'a'), sleeps(40, &order, 'b')}, {.count = 3, .ms = 1});
    EXPECT_EQ(order,
              "ab" // a first look
              "ababab");
    ASSERT_EQ(times.size(), 2u);
    EXPECT_GE(times[0].low, 3);
    EXPECT_LT(times[0].low, 40);
    EXPECT_GE(times[1].low, 40);
    for(const Timing& t : times)
    {
        EXPECT_LE(t.low, t.median);
        EXPECT_LE(t.median, t.high);
    }
}

TEST(TimeEach, CountsLaunchesOfARound)
{
    std::vector<int> numbers;
    const Launch launch = [&](int i, hipStream_t) {
        numbers.push_back(i);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    };
    const auto times = time_each({launch}, {.count = 1, .ms = 80});
    ASSERT_GE(numbers.size(), 2u);
    EXPECT_EQ(numbers[0], 0); // a first look
    for(std::size_t i = 1; i < numbers.size(); ++i)
        EXPECT_EQ(numbers[i], static_cast<int>(i - 1));
    EXPECT_LE(numbers.size(), 1u + 40);
    EXPECT_LT(times[0].median, 80) << "the time is that of a launch, not of the round";
}

TEST(TimeEach, GoesOnWithoutOneThatFails)
{
    const auto times = time_each({fails(1), sleeps(1), fails(3)}, {.count = 4, .ms = 1});
    EXPECT_EQ(times[0].error, "broken at call 1");
    EXPECT_TRUE(std::isnan(times[0].median));
    EXPECT_TRUE(times[1].ok());
    EXPECT_GE(times[1].median, 1);
    EXPECT_EQ(times[2].error, "broken at call 3");
    EXPECT_FALSE(times[2].ok());
}

TEST(TimeEach, WarmsUp)
{
    std::string calls;
    time_each({sleeps(1, &calls, 'a')}, {.count = 1, .warm_up = 0.05, .ms = 1});
    EXPECT_GT(calls.size(), 5u);
}

TEST(HoldContest, TakesTheFastestOfBothSides)
{
    const Contest c = hold_contest({sleeps(100), sleeps(20), sleeps(60)},
                                   {sleeps(80), fails(1), sleeps(40)},
                                   2,
                                   {.count = 3, .ms = 1});
    EXPECT_EQ(c.ours, 1u);
    EXPECT_EQ(c.theirs, 2u);
    EXPECT_GE(c.time.low, 20);
    EXPECT_GE(c.rival_time.low, 40);
    EXPECT_GT(c.ratio.median, 1);
    EXPECT_LE(c.ratio.low, c.ratio.median);
    EXPECT_GE(c.rule_time.low, 60);
    ASSERT_EQ(c.left_out.size(), 3u);
    EXPECT_EQ(c.left_out[0], "");
    EXPECT_EQ(c.left_out[1], "broken at call 1");
    ASSERT_EQ(c.first_looks.size(), 3u);
    EXPECT_GE(c.first_looks[0].median, 100);
}

TEST(HoldContest, TimesTheRulesOnceWhereItIsTheFastest)
{
    const Contest c = hold_contest({sleeps(2), sleeps(40)}, {}, 0, {.count = 3, .ms = 1});
    EXPECT_EQ(c.rule_time.median, c.time.median);
    EXPECT_FALSE(c.theirs);
    EXPECT_TRUE(std::isnan(c.ratio.median));
    EXPECT_EQ(c.rival_time.error, "no way of the rival runs");
}

TEST(HoldContest, SaysWhyThereIsNoTimeOfTheRule)
{
    const Contest failed = hold_contest({sleeps(2), fails(1)}, {}, 1, {.count = 1, .ms = 1});
    EXPECT_EQ(failed.rule_time.error, "broken at call 1");
    const Contest none = hold_contest({sleeps(2)}, {}, std::nullopt, {.count = 1, .ms = 1});
    EXPECT_EQ(none.rule_time.error, "the predicted choice is not among these");
}

TEST(HoldContest, NeedsOneOfOurs)
{
    EXPECT_THROW(hold_contest({fails(1)}, {sleeps(1)}, std::nullopt, {}), std::runtime_error);
    EXPECT_THROW(hold_contest({}, {sleeps(1)}, std::nullopt, {}), std::runtime_error);
}

TEST(Contest, EndsWhenItsTimeIsUp)
{
    const auto now   = [] { return std::chrono::steady_clock::now(); };
    const auto begin = now();
    const Contest c =
        hold_contest({sleeps(30), sleeps(30), sleeps(1)},
                     {},
                     0,
                     {.count = 1000, .ms = 1, .until = begin + std::chrono::milliseconds(50)});
    EXPECT_LT(std::chrono::duration<double>(now() - begin).count(), 1);
    EXPECT_EQ(c.first_looks[2].error, "the time is up"); // the fastest, but it came too late
    EXPECT_LT(c.ours, 2u);
    EXPECT_THROW(hold_contest({sleeps(1)}, {}, 0, {.until = begin}), std::runtime_error);
}

} // namespace
