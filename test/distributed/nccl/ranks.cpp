// The library's calls of NCCL, with a stand-in for it between threads: their order, and what
// becomes of lost ranks.
#include "ck/distributed/launch.hpp"

#include <gtest/gtest.h>

#include "../split_problem.hpp"
#include "nccl.h"
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
    setenv("NCCL_COMM_ID", "localhost:1", 1); // before any thread exists
    nccl_stand_in.destroyed = nccl_stand_in.aborted = nccl_stand_in.misused = 0;
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
    EXPECT_EQ(nccl_stand_in.misused, 0) << "destroyed, though something was on its way";
    EXPECT_EQ(nccl_stand_in.alive, 0);
    return all;
}

/// How many communicators were destroyed and aborted.
std::pair<int, int> ends() { return {nccl_stand_in.destroyed, nccl_stand_in.aborted}; }

/// What nccl_communicator() throws for the place, without NCCL_COMM_ID.
std::string why_none(const Place& place)
{
    unsetenv("NCCL_COMM_ID");
    try
    {
        nccl_communicator(place);
    }
    catch(const std::exception& e)
    {
        return e.what();
    }
    return "";
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
        EXPECT_EQ(ends(), std::pair(3, 0)) << name(direction);
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
    EXPECT_EQ(ends(), std::pair(4, 0)) << "each was finalized and destroyed, none aborted";
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
    EXPECT_EQ(ends(), std::pair(0, 3)) << "none waits for what is on its way";
}

TEST(Nccl, RankThatOthersWaitForAsTheyEndIsAborted)
{
    const auto all = messages(
        2,
        [](Communicator& c) {
            c.barrier();
            if(c.rank() == 0)
                c.abandon(); // does not finalize
        },
        200ms);
    EXPECT_EQ(all[0], "rank 0 has left the others") << "at the last barrier";
    EXPECT_EQ(all[1], "rank 1: ncclAllReduce was not done in 200 ms: a rank is lost or late");
    EXPECT_EQ(ends(), std::pair(0, 2));
}

TEST(Nccl, RankThatThrowsAnythingIsAborted)
{
    const auto all = messages(
        2,
        [](Communicator& c) {
            try
            {
                if(c.rank() == 1)
                    throw 7;
            }
            catch(...)
            {
                c.abandon(); // run() does this
                throw std::runtime_error("seven");
            }
            c.barrier();
        },
        200ms);
    EXPECT_EQ(all[0], "rank 0: ncclAllReduce was not done in 200 ms: a rank is lost or late");
    EXPECT_EQ(all[1], "seven");
    EXPECT_EQ(ends(), std::pair(0, 2));
}

TEST(Nccl, FailingCallsAreNamed)
{
    const auto use = [](Communicator& c) {
        const DeviceMem memory(8);
        auto* const at = static_cast<char*>(memory.GetDeviceBuffer());
        const Send send{1 - c.rank(), at, 4};
        const Receive receive{1 - c.rank(), at + 4, 4};
        c.begin({&send, 1}, {&receive, 1}, nullptr)->finish();
        c.broadcast(at, 4, 0, nullptr);
    };
    for(const std::string call : {"ncclGetUniqueId",
                                  "ncclCommInitRank",
                                  "ncclGroupStart",
                                  "ncclSend",
                                  "ncclRecv",
                                  "ncclGroupEnd",
                                  "ncclBroadcast",
                                  "ncclAllReduce"})
    {
        nccl_stand_in.failing = call;
        const auto all        = messages(2, use, 2s);
        for(int rank = 0; rank < 2; ++rank)
            EXPECT_EQ(all[static_cast<std::size_t>(rank)],
                      call == "ncclGetUniqueId"
                          ? call + ": invalid argument"
                          : "rank " + std::to_string(rank) + ": " + call + ": invalid usage");
        EXPECT_EQ(nccl_stand_in.destroyed, 0) << call;
    }
    nccl_stand_in.failing = "ncclCommFinalize";
    EXPECT_EQ(messages(2, use), std::vector<std::string>(2)) << "all has been done by then";
    EXPECT_EQ(ends(), std::pair(0, 2));
    nccl_stand_in.failing = "";
    EXPECT_EQ(messages(2, use), std::vector<std::string>(2));
    EXPECT_EQ(ends(), std::pair(2, 0));
}

TEST(Nccl, MessagesOfOtherSizesAreRefused)
{
    const auto all = messages(
        2,
        [](Communicator& c) {
            const DeviceMem memory(64);
            auto* const at          = static_cast<char*>(memory.GetDeviceBuffer());
            const std::size_t bytes = c.rank() == 0 ? 16 : 32;
            const Send send{1 - c.rank(), at, bytes};
            const Receive receive{1 - c.rank(), at + 32, bytes};
            c.begin({&send, 1}, {&receive, 1}, nullptr)->finish();
        },
        2s);
    for(int rank = 0; rank < 2; ++rank)
        EXPECT_EQ(all[static_cast<std::size_t>(rank)],
                  "rank " + std::to_string(rank) + ": ncclGroupEnd: invalid usage");
    EXPECT_EQ(ends(), std::pair(0, 2));
}

TEST(Nccl, RefusesRootsThatAreNoRanks)
{
    const auto all = messages(1, [](Communicator& c) {
        float number = 0;
        c.broadcast(&number, sizeof number, 1, nullptr);
    });
    EXPECT_EQ(all[0], "the root of a broadcast is rank 1, but there are ranks 0 to 0");
}

TEST(Nccl, RefusesPlacesWhereNoneIsFound)
{
    const std::string missing =
        "MASTER_ADDR and MASTER_PORT, where rank 0 is found, are not set, nor is NCCL_COMM_ID";
    EXPECT_EQ(why_none({0, 1, 0, "", 1, "torchrun"}), missing);
    EXPECT_EQ(why_none({0, 1, 0, "localhost", 0, "torchrun"}), missing);
    const std::string rule = ", but must be from 1 to 65534: ranks meet at the next one";
    EXPECT_EQ(why_none({0, 1, 0, "localhost", 65535, "torchrun"}), "MASTER_PORT is 65535" + rule);
    EXPECT_EQ(why_none({0, 1, 0, "localhost", -1, "torchrun"}), "MASTER_PORT is -1" + rule);
    EXPECT_EQ(why_none({0, 1, -1, "localhost", 1, "torchrun"}),
              "local_rank is -1, but must be at least 0");
    EXPECT_EQ(why_none({1, 1, 0, "localhost", 1, "torchrun"}),
              "rank 1 of 1, but ranks are numbered from 0 to below their number");
    EXPECT_EQ(why_none({0, 1, 0, "localhost", 65534, "torchrun"}), "");
    EXPECT_STREQ(std::getenv("NCCL_COMM_ID"), "localhost:65535");
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
