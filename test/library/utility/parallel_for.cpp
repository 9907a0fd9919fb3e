// Loops on several threads: every iteration runs once, exceptions arrive, and the environment
// variable is obeyed.
#include "ck/library/utility/parallel_for.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

TEST(ParallelFor, RunsEveryIterationOnce)
{
    for(std::size_t count : {0, 1, 7, 1000})
        for(std::size_t grain : {0, 1, 3, 5000})
            for(std::size_t threads : {0, 1, 2, 9})
            {
                std::vector<std::atomic<int>> runs(count);
                ck::utils::parallel_for(
                    count, grain, threads, [&](std::size_t begin, std::size_t end) {
                        EXPECT_LT(begin, end);
                        for(std::size_t i = begin; i < end; ++i)
                            ++runs[i];
                    });
                for(const auto& n : runs)
                    ASSERT_EQ(n, 1) << count << ' ' << grain << ' ' << threads;
            }
}

TEST(ParallelFor, RethrowsTheFirstException)
{
    for(std::size_t threads : {1, 4})
        EXPECT_THROW(
            ck::utils::parallel_for(
                100, 1, threads, [](std::size_t, std::size_t) { throw std::out_of_range("x"); }),
            std::out_of_range);
}

TEST(HostThreads, FollowsTheEnvironment)
{
    const auto threads = [](const std::optional<std::string>& value) {
        const ck::test::EnvironmentVariable environment("CK_HOST_THREADS", value);
        return ck::utils::host_threads();
    };
    EXPECT_EQ(threads("3"), 3u);
    for(const char* wrong : {"0", "-1", "two", "3x", "99999999999999999999"})
    {
        try
        {
            threads(wrong);
            ADD_FAILURE() << wrong;
        }
        catch(const std::invalid_argument& e)
        {
            EXPECT_NE(std::string(e.what()).find(wrong), std::string::npos) << e.what();
        }
    }
    EXPECT_GE(threads(""), 1u);
    EXPECT_GE(threads(std::nullopt), 1u);
}

TEST(JoinableThread, JoinsWhenDestroyed)
{
    std::atomic<bool> ran = false;
    {
        joinable_thread t([&] { ran = true; });
    }
    EXPECT_TRUE(ran);
}

} // namespace
