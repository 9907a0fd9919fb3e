// The host engine: barriers and wave operations, shared memory, schedules, errors.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace {

using ck::index_t;
using namespace ck::arch;
using Environment = ck::test::EnvironmentVariable;

// Names of the variables that ck/arch/host/launch.hpp reads.
constexpr const char* system_threads = "CK_HOST_THREADS";
constexpr const char* schedule_seed  = "CK_HOST_SCHEDULE_SEED";

struct Tile
{
    float x[128];
};

/// A kernel of 128 threads whose body is a function in Params.
struct Custom
{
    using SharedStorage = Tile;
    struct Params
    {
        void (*body)(void* data, Tile& shared);
        void* data;
    };
    static constexpr index_t block_size = 128, min_blocks_per_cu = 1;
    static constexpr Requirement requirement = Requirement::none;

    static void run(const Params& p, Tile& shared) { p.body(p.data, shared); }
};

void run(index_t grid, void (*body)(void*, Tile&), void* data = nullptr)
{
    ASSERT_EQ(launch<Custom>(grid, nullptr, {body, data}), hipSuccess);
}

/// Calls `check` without a seed (-1) and with seeds 1 to 20, on one and on several system threads.
template <class Check>
void for_all_schedules(Check check)
{
    for(const char* threads : {"1", "3"})
    {
        const Environment t(system_threads, threads), in_order(schedule_seed, std::nullopt);
        check(-1);
        for(int seed = 1; seed <= 20; ++seed)
        {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", system threads " + threads);
            const Environment s(schedule_seed, std::to_string(seed));
            check(seed);
        }
    }
}

TEST(Block, BarrierOrdersSharedMemory)
{
    for_all_schedules([](int) {
        std::vector<float> out(9 * 128, -1);
        run(
            9,
            [](void* data, Tile& tile) {
                const index_t t = thread_index(), b = block_index();
                float sum = 0;
                for(index_t round = 0; round < 3; ++round)
                {
                    tile.x[t] = static_cast<float>(t + b + round);
                    block_sync();
                    sum += tile.x[127 - t] + tile.x[(t + 37) % 128];
                    block_sync();
                }
                static_cast<float*>(data)[b * 128 + t] = sum;
            },
            out.data());
        for(int b = 0; b < 9; ++b)
            for(int t = 0; t < 128; ++t)
                ASSERT_EQ(out[b * 128 + t], 3 * (127 - t + (t + 37) % 128 + 2 * b) + 6)
                    << b << " " << t;
    });
}

/// Thread 0 writes, all read. Without `synchronised` the threads happen to run in the right order.
template <bool synchronised>
void broadcast(void* data, Tile& tile)
{
    if(thread_index() == 0)
        tile.x[0] = 5;
    if(synchronised)
        block_sync();
    static_cast<float*>(data)[block_index() * 128 + thread_index()] = tile.x[0];
}

/// Overwrites what others may still have to read: right in no order but the luckiest.
template <bool synchronised>
void rotate(void* data, Tile& tile)
{
    const index_t t = thread_index();
    tile.x[t]       = 5;
    block_sync();
    const float mine = tile.x[(t + 1) % 128];
    if(synchronised)
        block_sync();
    tile.x[t]                                          = 7;
    static_cast<float*>(data)[block_index() * 128 + t] = mine;
}

bool all_five(void (*body)(void*, Tile&))
{
    std::vector<float> out(4 * 128, -1);
    run(4, body, out.data());
    return std::all_of(out.begin(), out.end(), [](float x) { return x == 5; });
}

TEST(Block, SeedsShowAMissingBarrier)
{
    int wrong[2] = {};
    for_all_schedules([&](int seed) {
        EXPECT_TRUE(all_five(broadcast<true>));
        EXPECT_TRUE(all_five(rotate<true>));
        if(seed == -1)
            EXPECT_TRUE(all_five(broadcast<false>)) << "the natural order was to hide this one";
        else
        {
            wrong[0] += !all_five(broadcast<false>);
            wrong[1] += !all_five(rotate<false>);
        }
    });
    EXPECT_GE(wrong[0], 2);
    EXPECT_GE(wrong[1], 2);
}

TEST(Block, SeedsReproduceTheirOrder)
{
    const auto order = [](const char* seed) {
        const Environment s(schedule_seed, seed), t(system_threads, "1");
        std::vector<index_t> visited;
        run(
            3,
            [](void* data, Tile&) {
                static_cast<std::vector<index_t>*>(data)->push_back(1000 * block_index() +
                                                                    thread_index());
                block_sync();
            },
            &visited);
        return visited;
    };
    const auto seven = order("7");
    EXPECT_EQ(std::set<index_t>(seven.begin(), seven.end()).size(), 3u * 128);
    EXPECT_EQ(order("7"), seven);
    EXPECT_NE(order("8"), seven);
}

template <index_t lanes>
void wave_sums(void* data, Tile& tile)
{
    const index_t t = thread_index();
    long sum        = 0;
    for(index_t round = 0; round < 5; ++round)
    {
        long mine = t * (round + 1);
        wave_operation(lanes, &mine, [](void* const* of_lane) {
            long total = 0;
            for(index_t lane = 0; lane < lanes; ++lane)
                total += *static_cast<long*>(of_lane[lane]);
            for(index_t lane = 0; lane < lanes; ++lane)
                *static_cast<long*>(of_lane[lane]) = total + lane;
        });
        sum += mine;
        tile.x[t] = static_cast<float>(round);
        wave_sync<lanes>();
        sum += static_cast<long>(tile.x[t ^ (lanes - 1)]);
        wave_sync<lanes>();
    }
    static_cast<long*>(data)[block_index() * 128 + t] = sum;
}

template <index_t lanes>
void check_wave_sums()
{
    std::vector<long> out(5 * 128, -1);
    run(5, wave_sums<lanes>, out.data());
    for(int i = 0; i < 5 * 128; ++i)
    {
        const long first = i % 128 / lanes * lanes, lane = i % lanes;
        const long ids = lanes * first + lanes * (lanes - 1) / 2;
        ASSERT_EQ(out[i], ids * 15 + 5 * lane + 10) << i;
    }
}

TEST(Block, WaveOperationsMeetTheirLanesOnly)
{
    for_all_schedules([](int) {
        check_wave_sums<32>();
        check_wave_sums<64>();
    });
}

TEST(Block, WavesOfDifferentSizesAndCounts)
{
    for_all_schedules([](int) {
        std::array<int, 128> out{};
        run(
            1,
            [](void* data, Tile&) {
                int& mine        = (*static_cast<std::array<int, 128>*>(data))[thread_index()];
                const auto count = [](void* const* of_lane) { ++*static_cast<int*>(of_lane[0]); };
                for(index_t i = 0; i <= thread_index() / 32; ++i) // 1 to 4 times
                    wave_operation(32, &mine, count);
                wave_operation(128, &mine, count);
                wave_operation(64, &mine, count);
                wave_operation(2, &mine, count);
            },
            out.data());
        for(int t = 0; t < 128; ++t)
            ASSERT_EQ(out[t],
                      (t % 32 == 0 ? t / 32 + 1 : 0) + (t == 0) + (t % 64 == 0) + (t % 2 == 0))
                << t;
    });
}

/// Kernels that compute again what is not finite would repair what they took from memory full of
/// NaN.
TEST(Block, SharedMemoryStartsAsNaNOrAsNumbers)
{
    struct Counts
    {
        std::atomic<int> nan{0}, number{0};
    } counts;
    for(int repeat = 0; repeat < 3; ++repeat)
        run(
            10,
            [](void* data, Tile& tile) {
                auto& count   = *static_cast<Counts*>(data);
                const float x = tile.x[thread_index()];
                count.nan += std::isnan(x);
                count.number += x == std::bit_cast<float>(0x4B4B4B4B);
                tile.x[thread_index()] = 1;
            },
            &counts);
    EXPECT_EQ(counts.nan, 3 * 5 * 128); // every other block
    EXPECT_EQ(counts.number, counts.nan);
}

TEST(Block, ThreadsMayEndEarlyWithoutFurtherBarriers)
{
    for_all_schedules([](int) {
        std::atomic<int> ended{0};
        run(
            6,
            [](void* data, Tile&) {
                if(thread_index() >= 64)
                    return;
                wave_sync<64>();
                ++*static_cast<std::atomic<int>*>(data);
            },
            &ended);
        ASSERT_EQ(ended, 6 * 64);
    });
}

std::string error_of(index_t grid, void (*body)(void*, Tile&), void* data = nullptr)
{
    try
    {
        (void)launch<Custom>(grid, nullptr, {body, data});
    }
    catch(const std::exception& error)
    {
        return error.what();
    }
    return "no error";
}

/// Counts the objects alive in threads that are unwound.
struct Guard
{
    explicit Guard(void* data) : alive{static_cast<std::atomic<int>*>(data)} { ++*alive; }
    ~Guard() { --*alive; }
    std::atomic<int>* alive;
};

TEST(Block, DeadlockIsAnErrorThatCounts)
{
    for_all_schedules([](int) {
        std::atomic<int> alive{0};
        const std::string barrier = error_of(
            1,
            [](void* data, Tile&) {
                const Guard guard(data);
                if(thread_index() < 3)
                    return;
                block_sync();
            },
            &alive);
        ASSERT_NE(barrier.find("of 128 threads, 125 wait at a block barrier, 0 in a wave operation "
                               "and 3 have ended"),
                  std::string::npos)
            << barrier;
        ASSERT_NE(barrier.find("Custom"), std::string::npos) << barrier;
        const std::string mixed = error_of(1, [](void*, Tile&) {
            if(thread_index() == 70)
                block_sync();
            else
                wave_sync<64>();
        });
        ASSERT_NE(mixed.find("1 wait at a block barrier, 63 in a wave operation and 64 have ended"),
                  std::string::npos)
            << mixed;
        ASSERT_EQ(alive, 0);
        check_wave_sums<64>(); // the engine goes on
    });
}

TEST(Block, ExceptionsReachTheCaller)
{
    for_all_schedules([](int) {
        std::atomic<int> alive{0};
        const std::string text = error_of(
            50,
            [](void* data, Tile&) {
                const Guard guard(data);
                block_sync();
                if(block_index() == 30 && thread_index() == 65)
                    throw std::runtime_error("no such luck");
                wave_sync<32>();
                block_sync();
            },
            &alive);
        ASSERT_NE(text.find("block 30 of 50"), std::string::npos) << text;
        ASSERT_NE(text.find("no such luck"), std::string::npos) << text;
        ASSERT_EQ(alive, 0);
        check_wave_sums<32>();
    });
}

TEST(Block, ExceptionsOfAnOperationReachTheCaller)
{
    const std::string text = error_of(1, [](void*, Tile&) {
        wave_operation(64, nullptr, [](void* const*) { throw std::runtime_error("in the wave"); });
    });
    EXPECT_NE(text.find("in the wave"), std::string::npos) << text;
}

TEST(Block, ExceptionsOfAnyTypeReachTheCaller)
{
    for_all_schedules([](int) {
        try
        {
            run(50, [](void*, Tile&) {
                if(block_index() == 30 && thread_index() == 65)
                    throw 7;
                block_sync();
            });
            FAIL() << "it threw nothing";
        }
        catch(const std::runtime_error& error)
        {
            const std::string text = error.what();
            ASSERT_NE(text.find("block 30 of 50"), std::string::npos) << text;
            ASSERT_NE(text.find("it threw no std::exception"), std::string::npos) << text;
            ASSERT_THROW(std::rethrow_if_nested(error), int);
        }
        check_wave_sums<32>(); // the engine goes on
    });
}

TEST(Block, RefusesBadGroups)
{
    for(const index_t lanes : {index_t{0}, index_t{1}, index_t{-2}, index_t{48}, index_t{256}})
    {
        const std::string text = error_of(
            1,
            [](void* data, Tile&) {
                wave_operation(*static_cast<index_t*>(data), nullptr, [](void* const*) {});
            },
            const_cast<index_t*>(&lanes));
        EXPECT_NE(text.find("wave operation of " + std::to_string(lanes) + " lanes"),
                  std::string::npos)
            << text;
    }
}

TEST(Block, RefusesUseOutsideKernelsAndNesting)
{
    EXPECT_THROW(block_sync(), std::logic_error);
    EXPECT_THROW(wave_sync<64>(), std::logic_error);
    const std::string text = error_of(1, [](void*, Tile&) {
        if(thread_index() == 5)
            run(1, [](void*, Tile&) {});
    });
    EXPECT_NE(text.find("launched from inside a kernel"), std::string::npos) << text;
}

TEST(Block, RefusesBadEnvironment)
{
    const auto refused = [](const char* name, const char* value) {
        const Environment e(name, value);
        return error_of(1, [](void*, Tile&) {}) ==
               std::string(name) + "=" + value + ": must be an integer, at least " +
                   (std::string(name) == system_threads ? "1" : "0");
    };
    EXPECT_TRUE(refused(system_threads, "0"));
    EXPECT_TRUE(refused(system_threads, "many"));
    EXPECT_TRUE(refused(schedule_seed, "-1"));
    EXPECT_TRUE(refused(schedule_seed, "3x"));
    EXPECT_TRUE(refused(schedule_seed, "99999999999999999999999"));
}

#if defined(CK_ADDRESS_SANITIZER)
TEST(BlockDeathTest, AddressSanitizerSeesTheEndOfSharedMemory)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto overrun = [] {
        run(1, [](void*, Tile& tile) {
            if(thread_index() == 127)
            {
                volatile float* const x = tile.x;
                x[thread_index() + 1]   = 0;
            }
        });
    };
    EXPECT_DEATH(overrun(), "heap-buffer-overflow");
}
#endif

} // namespace
