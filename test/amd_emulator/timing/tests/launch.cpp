// From the time of a unit to that of a launch: occupancy, samples, rounds of workgroups, bytes of
// memory.
#include <gtest/gtest.h>

#include "../launch_time.hpp"
#include <algorithm>
#include <vector>

namespace emu::timing {
namespace {

TEST(Occupancy, byRegisters)
{
    const Machine m = machine("gfx90a");
    // 512 registers of a lane: 232 leave two waves on a SIMD, 264 one; the workgroup has a wave on
    // each.
    EXPECT_EQ(occupancy(m, {256, 64, 232, 30480}).workgroups, 2);
    EXPECT_EQ(occupancy(m, {256, 64, 264, 30480}).workgroups, 1);
    EXPECT_EQ(occupancy(m, {256, 64, 257, 0}).workgroups, 1); // rounded up to 264
    EXPECT_EQ(occupancy(m, {256, 64, 64, 0}).workgroups, 8);
    EXPECT_EQ(occupancy(m, {256, 64, 16, 0}).workgroups, 8); // eight waves at most
    EXPECT_EQ(occupancy(machine("gfx1100"), {256, 32, 96, 0}).workgroups, 8);
    EXPECT_EQ(occupancy(machine("gfx1100"), {256, 64, 96, 0}).workgroups,
              8); // half as many waves, half as many fit
}

TEST(Occupancy, byLds)
{
    EXPECT_EQ(occupancy(machine("gfx90a"), {256, 64, 64, 30480}).workgroups, 2);
    EXPECT_STREQ(occupancy(machine("gfx90a"), {256, 64, 64, 30480}).limit, "LDS");
    EXPECT_EQ(occupancy(machine("gfx950"), {256, 64, 64, 30480}).workgroups, 5);
    EXPECT_EQ(occupancy(machine("gfx90a"), {256, 64, 64, 65537}).workgroups, 0);
}

TEST(Launch, samplesAreDifferentAndFromEverywhere)
{
    EXPECT_EQ(sample(3, 16), (std::vector<std::uint64_t>{0, 1, 2}));
    const std::vector<std::uint64_t> s = sample(1000, 16);
    ASSERT_EQ(s.size(), 16u);
    EXPECT_LT(s.front(), 100u);
    EXPECT_GT(s.back(), 900u);
    EXPECT_TRUE(std::adjacent_find(
                    s.begin(), s.end(), [](auto a, auto b) { return b - a > 200; }) == s.end());
    std::vector<int> of_phase(4);
    for(const std::uint64_t w : s)
        ++of_phase[w % 4];
    EXPECT_EQ(std::count(of_phase.begin(), of_phase.end(), 0), 0);
}

TEST(Launch, neighboursRunOnOneDie)
{
    EXPECT_EQ(neighbours(machine("gfx942"), 1000, 10),
              (std::vector<std::uint64_t>{10, 18, 26, 34}));
    EXPECT_EQ(neighbours(machine("gfx90a"), 1000, 10),
              (std::vector<std::uint64_t>{10, 11, 12, 13}));
    EXPECT_EQ(neighbours(machine("gfx942"), 2, 1), (std::vector<std::uint64_t>{1, 0}));
}

/// Workgroups of four waves, each with a number of matrix instructions.
class Launches : public testing::Test
{
protected:
    Prediction predicted(std::uint64_t workgroups, std::vector<int> lengths, int registers = 264)
    {
        std::vector<WorkgroupTrace> traces(lengths.size());
        for(std::size_t t = 0; t < traces.size(); ++t)
        {
            traces[t].waves.resize(4);
            for(WaveTrace& wave : traces[t].waves)
                wave.steps.assign(lengths[t], Step{0});
        }
        const Launch launch{"kernel", "gfx90a", workgroups, {256, 64, registers, 0}};
        return predict(m, launch, program, traces, {});
    }
    Machine m = machine("gfx90a");
    std::vector<Instruction> program{
        parse_instruction(m, "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]", 64)};
};

TEST_F(Launches, aRoundOfWorkgroupsIsAsLongAsTheLongest)
{
    EXPECT_NEAR(predicted(100, {100, 200}).cycles, 200 * 64, 64);
    EXPECT_NEAR(predicted(100, {100}).matrix_share, 100. / 104, 0.01);
    EXPECT_NEAR(predicted(26, {100}).matrix_share, 26. / 104, 0.01);
    EXPECT_NEAR(predicted(26, {100}).matrix_share_unit, 1, 0.01);
}

TEST_F(Launches, roundsFollowEachOther)
{
    EXPECT_NEAR(predicted(105, {100}).cycles, 200 * 64, 128); // two rounds, the second of one
    EXPECT_NEAR(predicted(104 * 50, {100}).cycles, 50 * 100 * 64, 3000);
    EXPECT_NEAR(predicted(104 * 50, {100, 300}).cycles, 50 * 200 * 64, 12000); // places even out
    EXPECT_NEAR(predicted(104 * 50, {100}, 128).cycles,
                50 * 100 * 64,
                6000); // more at a time: the units were busy before
}

TEST_F(Launches, bytesThatMemoryHasToDeliverAreDeliveredOnce)
{
    std::vector<WorkgroupTrace> traces(1);
    traces[0].waves.resize(4);
    program = {parse_instruction(m, "global_load_dwordx4 v[0:3], v[4:5], off", 64),
               parse_instruction(m, "s_waitcnt vmcnt(0)", 64)};
    for(std::uint64_t w = 0; w < 4; ++w)
    {
        for(std::uint64_t i = 0; i < 200; ++i)
        {
            std::vector<Access> accesses;
            for(int lane = 0; lane < 64; ++lane)
                accesses.push_back({lane, (w * 200 + i) * 1024 + lane * 16, 16});
            add_memory_step(
                m, traces[0].waves[w], 0, accesses, 64, [](std::uint64_t) { return 0u; });
        }
        traces[0].waves[w].steps.push_back(Step{1});
    }
    const double bytes = 800 * 1024;
    const Launch launch{"kernel", "gfx90a", 1040, {256, 64, 128, 0}};
    const auto gb_s = [&](double tensor) {
        const Source source{tensor, bytes};
        const Prediction p = predict(m, launch, program, traces, std::span(&source, 1));
        return std::pair{p.memory_gb_s, p.memory_gb_s * p.microseconds * 1e3};
    };
    // Each workgroup has its own part: the peak of memory. All read the same: from L2, but once.
    EXPECT_NEAR(gb_s(1040 * bytes).first, m.memory_gb_s, 0.1 * m.memory_gb_s);
    EXPECT_NEAR(gb_s(1040 * bytes).second / (1040 * bytes), 1, 0.02);
    EXPECT_LT(gb_s(bytes).second, 2 * bytes);
}

/// One line of an allocation of that number of bytes, read by each workgroup.
class Levels : public testing::Test
{
protected:
    Prediction predicted(const Source& source, std::uint64_t workgroups, double atomics = 0)
    {
        WorkgroupTrace trace;
        trace.waves.resize(4);
        for(std::uint64_t w = 0; w < 4; ++w)
        {
            for(std::uint64_t i = 0; i < 64; ++i)
            {
                std::vector<Access> accesses;
                for(int lane = 0; lane < 64; ++lane)
                    accesses.push_back({lane, (w * 64 + i) * 1024 + lane * 16, 16});
                add_memory_step(
                    m, trace.waves[w], 0, accesses, 64, [](std::uint64_t) { return 0u; });
            }
            trace.waves[w].steps.push_back(Step{1});
        }
        const Launch launch{"kernel", "gfx942", workgroups, {256, 64, 128, 0}, atomics};
        return predict(m, launch, program, std::span(&trace, 1), std::span(&source, 1));
    }
    static constexpr double bytes = 256 * 1024; // bytes that a workgroup reads
    Machine m                     = machine("gfx942");
    std::vector<Instruction> program{
        parse_instruction(m, "global_load_dwordx4 v[0:3], v[4:5], off", 64),
        parse_instruction(m, "s_waitcnt vmcnt(0)", 64)};
};

TEST_F(Levels, eachDieReadsWhatAllShare)
{
    const Prediction p  = predicted({bytes, bytes, 0, 0}, 3040);
    const double beyond = p.last_level_gb_s * p.microseconds * 1e3;
    EXPECT_NEAR(beyond / (8 * bytes), 1, 0.1);
    EXPECT_EQ(p.memory_gb_s, 0); // the previous launch left it in the last level
}

TEST_F(Levels, whatTheLaunchBeforeLeftInL2IsStillThere)
{
    const auto beyond = [&](const Source& source, std::uint64_t workgroups) {
        const Prediction p = predicted(source, workgroups);
        return p.last_level_gb_s * p.microseconds * 1e3 / bytes;
    };
    EXPECT_EQ(beyond({bytes, bytes, 0, 1}, 3040), 0); // the launch is repeated
    EXPECT_NEAR(beyond({32 * bytes, bytes, 1, 0.5}, 32), 16, 0.2);
    // Workgroups with bytes of their own: 38 of a die are more than twice its L2.
    EXPECT_NEAR(beyond({304 * bytes, bytes, 1, 1}, 304), 304, 3);
}

TEST_F(Levels, storesThatL2JoinsLeaveItOnce)
{
    program           = {parse_instruction(m, "global_store_dwordx4 v[4:5], v[0:3], off", 64),
                         parse_instruction(m, "s_waitcnt vmcnt(0)", 64)};
    const auto beyond = [&](double written) {
        const Prediction p = predicted({304 * bytes, bytes, 1, 1, written}, 304);
        return p.last_level_gb_s * p.microseconds * 1e3 / (304 * bytes);
    };
    EXPECT_NEAR(beyond(1), 1, 0.01);
    EXPECT_NEAR(beyond(0.25), 0.25, 0.01);
}

TEST_F(Levels, whatDoesNotFitComesFromMemory)
{
    const auto share = [&](double of_last_level) {
        const auto groups  = static_cast<std::uint64_t>(of_last_level * m.last_level_bytes / bytes);
        const double all   = static_cast<double>(groups) * bytes;
        const Prediction p = predicted({all, bytes, 1}, groups);
        return p.memory_gb_s * p.microseconds * 1e3 / all;
    };
    EXPECT_EQ(share(m.last_level_kept - 0.01), 0);
    EXPECT_NEAR(share((m.last_level_kept + m.last_level_lost) / 2), 0.5, 0.05);
    EXPECT_NEAR(share(m.last_level_lost + 0.01), 1, 0.05);
    const Prediction p = predicted({3040 * bytes, bytes, 1}, 3040);
    EXPECT_LT(p.clock_mhz, m.clock_mhz); // memory draws power
}

TEST_F(Levels, atomicOperationsOnOneAddressBoundALaunch)
{
    const Prediction p = predicted({bytes, bytes, 0}, 304, 1e6);
    EXPECT_EQ(p.cycles, 1e6 * m.atomic_cycles);
}

} // namespace
} // namespace emu::timing
