// Rounds, first looks and which kernels go on after them, by a clock that launches advance; and the
// numbers that memory is filled with.
//
// Labels: compiled alone
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include "profiler/stand_in_clock.hpp"
#include "utility/contest.hpp"
#include "utility/numbers.hpp"
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ck::measure {
namespace {

/// Launches that take these times in ms, the last one again and again; numbers: what they got.
struct Lasting
{
    test::StandInClock& clock;
    std::vector<double> ms;
    std::vector<int> numbers{};

    Launch launch()
    {
        return [this](int i, hipStream_t) {
            clock.advance(ms[std::min(numbers.size(), ms.size() - 1)]);
            numbers.push_back(i);
        };
    }
};

TEST(TimeEach, HasAsManyLaunchesInARoundAsLastForIt)
{
    test::StandInClock clock;
    Lasting two{clock, {2}}, quick{clock, {.01}}, slow{clock, {50}};
    const auto times =
        time_each({two.launch(), quick.launch(), slow.launch()}, {.count = 2, .ms = 10});
    EXPECT_EQ(two.numbers, (std::vector<int>{0, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
    EXPECT_EQ(quick.numbers.size(), 1u + 2 * 200);
    EXPECT_EQ(slow.numbers.size(), 1u + 2);
    EXPECT_EQ(times[0].median, 2);
    EXPECT_NEAR(times[1].median, .01, 1e-8);
    EXPECT_EQ(times[2].median, 50);
}

TEST(TimeEach, HasTheMedianTheLeastAndTheMostOfItsRounds)
{
    test::StandInClock clock;
    Lasting one{clock, {100, 7, 3, 9, 1, 5}};
    const Timing time = time_each({one.launch()}, {.count = 5, .ms = 1})[0];
    EXPECT_EQ(time.median, 5);
    EXPECT_EQ(time.low, 1);
    EXPECT_EQ(time.high, 9);
    EXPECT_TRUE(time.ok());
    const Timing even = timing_of({4, 1, 3, 2});
    EXPECT_EQ(even.median, 3) << "the upper one of two in the middle";
}

TEST(TimeEach, WarmsUpForSoManySeconds)
{
    test::StandInClock clock;
    Lasting one{clock, {10}};
    time_each({one.launch()}, {.count = 1, .warm_up = .1, .ms = 1});
    EXPECT_EQ(one.numbers.size(), 1u + 10 + 1); // a look, 0.1 s, a round
}

TEST(HoldContest, GoesOnWithFourThatAreWithinATwentieth)
{
    test::StandInClock clock;
    std::vector<Lasting> all;
    for(const double ms : {104., 100., 106., 103., 101., 102.})
        all.push_back({clock, {ms}});
    std::vector<Launch> launches;
    for(Lasting& l : all)
        launches.push_back(l.launch());
    const Contest c = hold_contest(launches, {}, std::nullopt, {.count = 2, .ms = 1});
    EXPECT_EQ(c.ours, 1u);
    EXPECT_EQ(c.time.median, 100);
    for(const std::size_t out : {0u, 2u}) // the fifth, and the one that is 6 % slower
        EXPECT_EQ(all[out].numbers.size(), 1u);
    for(const std::size_t in : {3u, 4u, 5u})
        EXPECT_EQ(all[in].numbers.size(), 1u + 4);
    EXPECT_EQ(all[1].numbers.size(), 1u + 4 + 2);
    ASSERT_EQ(c.first_looks.size(), 6u);
    EXPECT_EQ(c.first_looks[2].median, 106);
    EXPECT_EQ(c.first_looks[2].low, 106);
}

TEST(HoldContest, TakesTheOneThatIsTheFastestWhenAllAreWarm)
{
    test::StandInClock clock;
    // The first is faster at first; of its four rounds of warm-up the later ones count.
    Lasting one{clock, {100, 50, 50, 110, 110}}, two{clock, {101, 200, 200, 104, 104}};
    const Contest c = hold_contest({one.launch(), two.launch()}, {}, 0, {.count = 3, .ms = 1});
    EXPECT_EQ(c.ours, 1u);
    EXPECT_EQ(c.time.median, 104);
    EXPECT_EQ(c.rule_time.median, 110);
}

TEST(HoldContest, RatiosAreTheRivalsTimeOverOursOfEachRound)
{
    test::StandInClock clock;
    Lasting ours{clock, {2, 2, 2, 2, 2, 2, 4, 1}}, theirs{clock, {3, 3, 3, 3, 3, 3, 5, 4}},
        rule{clock, {50, 40}};
    const Contest c =
        hold_contest({rule.launch(), ours.launch()}, {theirs.launch()}, 0, {.count = 3, .ms = 1});
    EXPECT_EQ(c.ours, 1u);
    EXPECT_EQ(c.theirs, 0u);
    EXPECT_EQ(c.time.low, 1);
    EXPECT_EQ(c.time.median, 2);
    EXPECT_EQ(c.time.high, 4);
    EXPECT_EQ(c.rival_time.low, 3);
    EXPECT_EQ(c.rival_time.high, 5);
    EXPECT_EQ(c.ratio.low, 1.25);
    EXPECT_EQ(c.ratio.median, 1.5);
    EXPECT_EQ(c.ratio.high, 4);
    EXPECT_EQ(c.rule_time.median, 40);
}

TEST(HoldContest, WarmsUpForSoManySeconds)
{
    test::StandInClock clock;
    Lasting ours{clock, {10}};
    hold_contest({ours.launch()}, {}, std::nullopt, {.count = 2, .warm_up = .1, .ms = 1});
    EXPECT_EQ(ours.numbers.size(), 1u + 10 + 2);
}

TEST(NumberType, RoundsEachTypeToNumbersOfItsOwn)
{
    const std::tuple<const char*, std::size_t, bool> types[]{{"f64", 8, false},
                                                             {"f32", 4, false},
                                                             {"f16", 2, false},
                                                             {"bf16", 2, false},
                                                             {"i8", 1, true},
                                                             {"f8", 1, false},
                                                             {"bf8", 1, false},
                                                             {"f8_ocp", 1, false},
                                                             {"bf8_ocp", 1, false}};
    for(const auto& [name, bytes, integer] : types)
    {
        const NumberType& type = number_type(name);
        EXPECT_EQ(std::string(type.name), name);
        EXPECT_EQ(type.bytes, bytes) << name;
        EXPECT_EQ(type.integer, integer) << name;
        const std::array<double, 4> numbers{-2, 0, 1, 2}; // numbers that all have
        std::array<unsigned char, 32> memory{};
        std::array<double, 4> again{};
        type.encode(numbers.data(), numbers.size(), memory.data());
        type.decode(memory.data(), again.size(), again.data());
        EXPECT_EQ(again, numbers) << name;
    }
    const double third = 1. / 3;
    double got         = 0;
    for(const auto& [name, expected] :
        std::vector<std::pair<const char*, double>>{{"f64", third},
                                                    {"f32", static_cast<float>(third)},
                                                    {"f16", 1365. / 4096},
                                                    {"bf16", 171. / 512}})
    {
        const NumberType& type = number_type(name);
        std::array<unsigned char, 8> memory{};
        type.encode(&third, 1, memory.data());
        type.decode(memory.data(), 1, &got);
        EXPECT_EQ(got, expected) << name;
    }
    EXPECT_THROW(number_type("f17"), std::logic_error);
}

TEST(FillMemory, RepeatsTheBlockToTheLastElementAndNoFurther)
{
    const NumberType& f32 = number_type("f32");
    for(const long_index_t elements : {0, 2, 3, 7, 9})
    {
        DeviceMem memory(10 * sizeof(float));
        std::memset(memory.GetDeviceBuffer(), 0, 10 * sizeof(float));
        fill_memory(memory, elements, {1, 2, 3}, f32);
        const float* const at = static_cast<const float*>(memory.GetDeviceBuffer());
        for(long_index_t i = 0; i < 10; ++i)
            EXPECT_EQ(at[i], i < elements ? static_cast<float>(i % 3 + 1) : 0)
                << elements << ' ' << i;
    }
}

} // namespace
} // namespace ck::measure
