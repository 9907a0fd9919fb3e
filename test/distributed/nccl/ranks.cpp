// The library's calls of NCCL, with a stand-in for it between threads: their order, and what
// becomes of lost ranks.
#include "ck/distributed/launch.hpp"

#include <gtest/gtest.h>

#include "../split_problem.hpp"
#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

using namespace ck;
using namespace ck::split_test;
using namespace std::chrono_literals;

/// What each rank throws; empty: nothing.
std::vector<std::string> messages(int ranks,
                                  const std::function<void(Communicator&)>& f,
                                  std::chrono::milliseconds wait = 60s)
{
    setenv("NCCL_COMM_ID", "localhost:1", 1); // before there are threads
    std::vector<std::string> all(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for(int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            try
            {
                const Place place{rank, ranks, rank, "localhost", 1, "torchrun"};
                const auto communicator = nccl_communicator(place, {.wait = wait});
                f(*communicator);
                communicator->barrier();
            }
            catch(const std::exception& e)
            {
                all[static_cast<std::size_t>(rank)] = e.what();
            }
        });
    for(std::thread& thread : threads)
        thread.join();
    return all;
}

TEST(Nccl, SplitConvolutionsEqualTheWhole)
{
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        ConvSpec s{.direction = direction,
                   .k         = 4,
                   .c         = 3,
                   .input     = {11, 5},
                   .filter    = {3, 3},
                   .pads      = {{1, 1}, {1, 1}}};
        s.bias_gradient = direction == Direction::backward_weight;
        const SplitProblem problem(s);
        const auto all = messages(3, [&](Communicator& c) {
            EXPECT_EQ(c.transport(), "NCCL");
            EXPECT_EQ(problem.mistakes(c, {.axis = Axis::h, .x = even_parts(11, 3)}, 2), 0u);
        });
        EXPECT_EQ(all, std::vector<std::string>(3)) << name(direction);
    }
}

TEST(Nccl, BroadcastsAndSums)
{
    const auto all = messages(4, [](Communicator& c) {
        const DeviceMem memory(sizeof(float));
        float value = static_cast<float>(c.rank() + 1);
        memory.ToDevice(&value);
        AllReduce sum(c, 1);
        sum.begin(static_cast<float*>(memory.GetDeviceBuffer()), nullptr);
        sum.finish();
        c.synchronize(nullptr);
        memory.FromDevice(&value);
        EXPECT_EQ(value, 10.f);
        value = static_cast<float>(c.rank());
        memory.ToDevice(&value);
        c.broadcast(memory.GetDeviceBuffer(), sizeof(float), 2, nullptr);
        memory.FromDevice(&value);
        EXPECT_EQ(value, 2.f);
    });
    EXPECT_EQ(all, std::vector<std::string>(4));
}

TEST(Nccl, LostRankEndsTheOthersInTime)
{
    const auto all = messages(
        3,
        [](Communicator& c) {
            if(c.rank() == 1)
                throw std::runtime_error("out of memory");
            const DeviceMem freed_on_the_way(64);
            c.barrier();
        },
        200ms);
    EXPECT_EQ(all[1], "out of memory");
    for(const int rank : {0, 2})
        EXPECT_EQ(all[static_cast<std::size_t>(rank)],
                  "rank " + std::to_string(rank) +
                      ": ncclAllReduce was not done in 200 ms: a rank is lost or late");
}

TEST(Nccl, RanksThatDisagreeAllSaySo)
{
    const auto all =
        messages(3, [](Communicator& c) { agree(c, c.rank() == 2 ? "stride 2" : "stride 1"); });
    for(const std::string& message : all)
        EXPECT_EQ(message,
                  "ranks are asked for different things: rank 0 for \"stride 1\", rank 2 for "
                  "\"stride 2\"");
}

} // namespace
