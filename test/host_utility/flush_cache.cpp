// Kernels that are functions: launched, timed, with work before each launch, and with cold caches.
#include "ck/host_utility/flush_cache.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace {

using ck::index_t;

/// Each thread adds `by` to an element of its own; the last element counts threads of the grid.
CK_USER_KERNEL(64, 1) void add(int* counter, int by)
{
    const auto place = ck::arch::place_in_grid();
    counter[place.thread] += by;
    if(place.thread == 0)
        counter[place.threads] = static_cast<int>(place.threads);
}

struct Dim
{
    unsigned x = 1, y = 1, z = 1;
};

class FlushCache : public testing::Test
{
protected:
    static constexpr index_t grid = 3, block = 64, threads = grid * block;

    void SetUp() override
    {
        hip_check_error(hipMalloc(&counter_, (threads + 1) * sizeof(int)));
        hip_check_error(hipMemset(counter_, 0, (threads + 1) * sizeof(int)));
    }
    void TearDown() override { hip_check_error(hipFree(counter_)); }

    /// What every thread has added, and that the grid had `threads` threads.
    int sum() const
    {
        std::vector<int> counts(threads + 1);
        hip_check_error(
            hipMemcpy(counts.data(), counter_, counts.size() * sizeof(int), hipMemcpyDeviceToHost));
        for(index_t i = 1; i < threads; ++i)
            EXPECT_EQ(counts[i], counts[0]) << i;
        EXPECT_EQ(counts[threads], threads);
        return counts[0];
    }

    int* counter_ = nullptr;
};

TEST_F(FlushCache, LaunchesOnceOrTimes)
{
    EXPECT_EQ(launch_and_time_kernel(StreamConfig{}, add, grid, block, 0, counter_, 5), 0);
    EXPECT_EQ(sum(), 5);
    const StreamConfig timed{nullptr, true, 0, 2, 3};
    EXPECT_GT(launch_and_time_kernel(timed, add, Dim{grid}, Dim{block}, 0, counter_, 1), 0);
    EXPECT_EQ(sum(), 5 + 2 + 3);
}

TEST_F(FlushCache, PreprocessComesBeforeEachLaunch)
{
    int calls         = 0;
    const auto clears = [&] {
        ++calls;
        hip_check_error(hipMemsetAsync(counter_, 0, threads * sizeof(int), nullptr));
    };
    EXPECT_EQ(launch_and_time_kernel_with_preprocess(
                  StreamConfig{}, clears, add, grid, block, 0, counter_, 5),
              0);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(sum(), 5);
    for(const bool flushes : {false, true})
    {
        calls = 0;
        const StreamConfig timed{nullptr, true, 0, 1, 2, flushes};
        EXPECT_GT(
            launch_and_time_kernel_with_preprocess(timed, clears, add, grid, block, 0, counter_, 7),
            0);
        EXPECT_EQ(calls, 1 + 2);
        EXPECT_EQ(sum(), 7) << "cleared before the last";
    }
}

TEST_F(FlushCache, RefusesWhatItCannotLaunchOrTime)
{
    const StreamConfig config;
    EXPECT_THROW(launch_and_time_kernel(config, add, Dim{1, 2}, 64, 0, counter_, 1),
                 std::invalid_argument);
    EXPECT_THROW(launch_and_time_kernel(config, add, 1, Dim{64, 1, 2}, 0, counter_, 1),
                 std::invalid_argument);
    EXPECT_THROW(launch_and_time_kernel(config, add, Dim{1u << 31}, 64, 0, counter_, 1),
                 std::invalid_argument);
    EXPECT_THROW(launch_and_time_kernel(config, add, 1, 2048, 0, counter_, 1), std::runtime_error);
    const auto nothing = [] {};
    for(const StreamConfig& wrong :
        {StreamConfig{nullptr, true, 0, -1, 1}, StreamConfig{nullptr, true, 0, 0, 0}})
        EXPECT_THROW(
            launch_and_time_kernel_with_preprocess(wrong, nothing, add, 1, 64, 0, counter_, 1),
            std::invalid_argument);
}

TEST(CacheFlushing, OverwritesItsMemoryAlone)
{
    int* mine = nullptr;
    hip_check_error(hipMalloc(&mine, sizeof(int)));
    const int before = 7;
    hip_check_error(hipMemcpy(mine, &before, sizeof before, hipMemcpyHostToDevice));
    const ck::utility::CacheFlush flush(1 << 20);
    flush(nullptr);
    int after = 0;
    hip_check_error(hipMemcpy(&after, mine, sizeof after, hipMemcpyDeviceToHost));
    EXPECT_EQ(after, before);
    hip_check_error(hipFree(mine));
}

} // namespace
