// The timing contract of StreamConfig.
#include "ck/host_utility/kernel_launch.hpp"

#include "ck/arch/index.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include <stdexcept>

namespace {

using ck::index_t;

/// Each block adds one to its own counter.
struct Count
{
    struct Params
    {
        int* counter;
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size = 64, min_blocks_per_cu = 1;
    static constexpr ck::arch::Requirement requirement = ck::arch::Requirement::none;

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        if(ck::arch::thread_index() == 0)
            p.counter[ck::arch::block_index()] += 1;
    }
};

class KernelLaunch : public testing::Test
{
protected:
    static constexpr index_t grid = 3;

    void SetUp() override
    {
        hip_check_error(hipMalloc(&counter_, grid * sizeof(int)));
        hip_check_error(hipMemset(counter_, 0, grid * sizeof(int)));
    }
    void TearDown() override { hip_check_error(hipFree(counter_)); }

    /// How often the kernel ran since the last call.
    int launches()
    {
        int counts[grid] = {};
        hip_check_error(hipMemcpy(counts, counter_, sizeof counts, hipMemcpyDeviceToHost));
        hip_check_error(hipMemset(counter_, 0, sizeof counts));
        EXPECT_EQ(counts[0], counts[1]);
        EXPECT_EQ(counts[0], counts[2]);
        return counts[0];
    }

    int* counter_ = nullptr;
};

TEST_F(KernelLaunch, UntimedLaunchesOnceAndReturnsZero)
{
    EXPECT_EQ(ck::launch_and_time_kernel<Count>(StreamConfig{}, grid, {counter_}), 0);
    EXPECT_EQ(launches(), 1);
    EXPECT_EQ(
        ck::launch_and_time_kernel<Count>(StreamConfig{nullptr, false, 0, 3, 7}, grid, {counter_}),
        0);
    EXPECT_EQ(launches(), 1);
}

TEST_F(KernelLaunch, TimedWarmsUpAndRepeats)
{
    EXPECT_GT(
        ck::launch_and_time_kernel<Count>(StreamConfig{nullptr, true, 0, 3, 7}, grid, {counter_}),
        0);
    EXPECT_EQ(launches(), 3 + 7);
    EXPECT_GT(
        ck::launch_and_time_kernel<Count>(StreamConfig{nullptr, true, 0, 0, 1}, grid, {counter_}),
        0);
    EXPECT_EQ(launches(), 1);
    EXPECT_GT(ck::launch_and_time_kernel<Count>(StreamConfig{nullptr, true}, grid, {counter_}), 0);
    EXPECT_EQ(launches(), 5 + 50) << "the defaults";
}

TEST_F(KernelLaunch, RunsOnTheStreamOfTheConfiguration)
{
    hipStream_t stream{};
    hip_check_error(hipStreamCreate(&stream));
    EXPECT_EQ(ck::launch_and_time_kernel<Count>(StreamConfig{stream}, grid, {counter_}), 0);
    hip_check_error(hipStreamSynchronize(stream));
    EXPECT_EQ(launches(), 1);
    EXPECT_GT(
        ck::launch_and_time_kernel<Count>(StreamConfig{stream, true, 0, 1, 2}, grid, {counter_}),
        0);
    EXPECT_EQ(launches(), 3);
    hip_check_error(hipStreamDestroy(stream));
}

TEST_F(KernelLaunch, EmptyGrid)
{
    EXPECT_EQ(ck::launch_and_time_kernel<Count>(StreamConfig{}, 0, {counter_}), 0);
    EXPECT_EQ(launches(), 0);
}

TEST_F(KernelLaunch, RefusesBadNumbers)
{
    EXPECT_THROW(ck::launch_and_time_kernel<Count>(StreamConfig{}, -1, {counter_}),
                 std::runtime_error);
    EXPECT_THROW(
        ck::launch_and_time_kernel<Count>(StreamConfig{nullptr, true, 0, -1, 7}, grid, {counter_}),
        std::invalid_argument);
    EXPECT_THROW(
        ck::launch_and_time_kernel<Count>(StreamConfig{nullptr, true, 0, 1, 0}, grid, {counter_}),
        std::invalid_argument);
    EXPECT_EQ(launches(), 0);
    (void)hipGetLastError();
}

TEST_F(KernelLaunch, LogsInTheFormThatToolsRead)
{
    const std::string header =
        "launch_and_time_kernel: grid_dim {3, 1, 1}, block_dim {64, 1, 1} \n";
    testing::internal::CaptureStdout();
    ck::launch_and_time_kernel<Count>(StreamConfig{nullptr, true, 1, 2, 4}, grid, {counter_});
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              header + "Warm up 2 times\nStart running 4 times...\n");

    testing::internal::CaptureStdout();
    ck::launch_and_time_kernel<Count>(StreamConfig{}, grid, {counter_});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");

    const ck::test::EnvironmentVariable logging("CK_LOGGING", "1");
    testing::internal::CaptureStdout();
    ck::launch_and_time_kernel<Count>(StreamConfig{}, grid, {counter_});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), header);
}

TEST(TimeLaunches, CountsAndPassesErrorsOn)
{
    int calls = 0;
    EXPECT_EQ(ck::time_launches(StreamConfig{}, [&] { ++calls; }), 0);
    EXPECT_EQ(calls, 1);
    EXPECT_GT(ck::time_launches(StreamConfig{nullptr, true, 0, 2, 3}, [&] { ++calls; }), 0);
    EXPECT_EQ(calls, 1 + 5);
    EXPECT_THROW(ck::time_launches(StreamConfig{nullptr, true},
                                   [] { hip_check_error(hipErrorLaunchFailure); }),
                 std::runtime_error);
}

} // namespace
