// Messages, sums and agreement between ranks of one process, and what becomes of lost ranks.
#include "ck/distributed/communicator.hpp"

#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace ck::distributed;
using namespace std::chrono_literals;

/// What each rank throws; empty: nothing.
std::vector<std::string>
messages(int ranks, const std::function<void(Communicator&)>& f, const Limits& limits = {})
{
    std::vector<std::string> all(static_cast<std::size_t>(ranks));
    try
    {
        run_in_process(
            ranks,
            [&](Communicator& c) {
                try
                {
                    f(c);
                }
                catch(const std::exception& e)
                {
                    all[static_cast<std::size_t>(c.rank())] = e.what();
                    throw;
                }
            },
            limits);
    }
    catch(const std::exception&)
    {}
    return all;
}

TEST(Communicator, MessagesArriveInOrder)
{
    run_in_process(3, [](Communicator& c) {
        EXPECT_EQ(c.size(), 3);
        EXPECT_EQ(c.transport(), "in-process");
        const int next = (c.rank() + 1) % 3, before = (c.rank() + 2) % 3;
        const std::array<int, 2> sent{10 * c.rank(), 10 * c.rank() + 1};
        const DeviceMem from(sizeof sent), to(sizeof sent);
        from.ToDevice(sent.data());
        const auto at = [](const DeviceMem& memory, int i) {
            return static_cast<int*>(memory.GetDeviceBuffer()) + i;
        };
        std::vector<std::unique_ptr<Exchange>> exchanges;
        for(int i = 0; i < 2; ++i)
        {
            const Send send{next, at(from, i), sizeof(int)};
            const Receive receive{before, at(to, i), sizeof(int)};
            exchanges.push_back(c.begin({&send, 1}, {&receive, 1}, nullptr));
        }
        exchanges[1]->finish(); // another order than begin()
        exchanges[0]->finish();
        std::array<int, 2> received{};
        to.FromDevice(received.data());
        EXPECT_EQ(received, (std::array<int, 2>{10 * before, 10 * before + 1}));
    });
}

TEST(Communicator, BroadcastsTheRootsMemory)
{
    for(const int root : {0, 2})
        run_in_process(4, [&](Communicator& c) {
            const DeviceMem memory(sizeof(int));
            memory.ToDevice(&static_cast<const int&>(c.rank() * 7));
            c.broadcast(memory.GetDeviceBuffer(), sizeof(int), root, nullptr);
            int value = -1;
            memory.FromDevice(&value);
            EXPECT_EQ(value, root * 7);
            c.barrier();
        });
}

TEST(Communicator, SumsAreInTheRanksOrder)
{
    for(const int ranks : {1, 2, 3, 5, 8})
        for(const std::size_t count : {0u, 1u, 7u, 5000u})
        {
            std::mt19937 random(static_cast<unsigned>(ranks));
            std::uniform_real_distribution<float> numbers(-1, 1);
            std::vector<std::vector<float>> all(static_cast<std::size_t>(ranks));
            std::vector<float> expected(count, 0.f);
            for(std::size_t r = 0; r < all.size(); ++r)
                for(std::size_t i = 0; i < count; ++i)
                {
                    all[r].push_back(numbers(random));
                    expected[i] = r == 0 ? all[r][i] : expected[i] + all[r][i];
                }
            run_in_process(ranks, [&](Communicator& c) {
                AllReduce sum(c, count);
                const DeviceMem memory(count * sizeof(float));
                for(int run = 0; run < 2; ++run)
                {
                    memory.ToDevice(all[static_cast<std::size_t>(c.rank())].data());
                    sum.begin(static_cast<float*>(memory.GetDeviceBuffer()), nullptr);
                    sum.finish();
                    std::vector<float> got(count);
                    memory.FromDevice(got.data());
                    EXPECT_EQ(got, expected); // every bit is equal
                }
            });
        }
}

TEST(Communicator, BucketsGiveTheSumsInSteps)
{
    constexpr std::size_t count = 100;
    run_in_process(3, [](Communicator& c) {
        const DeviceMem memory(count * sizeof(float));
        auto* const numbers = static_cast<float*>(memory.GetDeviceBuffer());
        BucketedAllReduce sum(c, numbers, count, 32);
        for(int step = 1; step < 3; ++step)
        {
            std::vector<float> values(count), expected(count);
            for(std::size_t i = 0; i < count; ++i)
            {
                values[i]   = static_cast<float>(step * 10 + c.rank()) + static_cast<float>(i);
                expected[i] = static_cast<float>(3 * step * 10 + 3) + 3 * static_cast<float>(i);
            }
            memory.ToDevice(values.data());
            for(const std::size_t ready :
                {5u, 31u, 70u, 99u}) // buckets: none, none, two, three of four
                sum.ready(ready, nullptr);
            sum.finish(nullptr);
            std::vector<float> got(count);
            memory.FromDevice(got.data());
            EXPECT_EQ(got, expected);
        }
    });
    run_in_process(1, [](Communicator& c) {
        EXPECT_THROW(BucketedAllReduce(c, nullptr, 1, 0), std::invalid_argument);
    });
}

/// The only rank, which counts exchanges that begin.
class CountingCommunicator : public Communicator
{
public:
    CountingCommunicator() : Communicator(0, 1, {}) {}
    std::string transport() const override { return "none"; }
    int begun() { return std::exchange(begun_, 0); }

private:
    struct Nothing : Exchange
    {
        void finish() override {}
    };
    std::unique_ptr<Exchange> start(std::span<const Send>, std::span<const Receive>, void*) override
    {
        ++begun_;
        return std::make_unique<Nothing>();
    }
    int begun_ = 0;
};

// A bucket begins when its last number is there, and is finished, by a second exchange, when the
// next one begins.
TEST(Communicator, BucketsBeginAsSoonAsTheyAreComplete)
{
    CountingCommunicator c;
    const DeviceMem memory(100 * sizeof(float));
    memory.SetZero();
    auto* const numbers = static_cast<float*>(memory.GetDeviceBuffer());
    BucketedAllReduce sum(c, numbers, 100, 32);
    for(int step = 0; step < 2; ++step)
    {
        for(const auto& [ready, exchanges] :
            {std::pair{0u, 0}, {31u, 0}, {32u, 1}, {63u, 0}, {64u, 2}, {99u, 2}, {100u, 2}})
        {
            sum.ready(ready, nullptr);
            EXPECT_EQ(c.begun(), exchanges) << ready << " numbers are ready";
        }
        sum.finish(nullptr);
        EXPECT_EQ(c.begun(), 1);
    }
    BucketedAllReduce one(c, numbers, 32, 32), none(c, nullptr, 0, 32);
    one.finish(nullptr);
    EXPECT_EQ(c.begun(), 2) << "a single bucket is finished, too";
    none.finish(nullptr);
    EXPECT_EQ(c.begun(), 0);
    EXPECT_THROW(BucketedAllReduce(c, nullptr, 1), std::invalid_argument);
}

TEST(Communicator, RanksThatDisagreeAllSaySo)
{
    const auto all =
        messages(3, [](Communicator& c) { agree(c, c.rank() == 2 ? "stride 2" : "stride 1"); });
    for(const std::string& message : all)
        EXPECT_EQ(message,
                  "ranks are asked for different things: rank 0 for \"stride 1\", rank 2 for "
                  "\"stride 2\"");
    const auto long_text = [](char last) { return std::string(5000, 'x') + last; };
    const auto hidden =
        messages(2, [&](Communicator& c) { agree(c, long_text(c.rank() == 0 ? 'a' : 'b')); });
    EXPECT_NE(hidden[0].find("different things"), std::string::npos) << "beyond what is shown";
    const auto problem =
        messages(3, [](Communicator& c) { agree(c, "same", c.rank() == 1 ? "no memory" : ""); });
    for(const std::string& message : problem)
        EXPECT_EQ(message, "rank 1: no memory");
    EXPECT_EQ(messages(4, [](Communicator& c) { agree(c, "same"); }), std::vector<std::string>(4));
}

TEST(Communicator, RankThatThrowsEndsTheOthers)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto wait  = [](Communicator& c) {
        if(c.rank() == 1)
            throw std::runtime_error("out of memory");
        c.barrier();
    };
    const auto all = messages(3, wait);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s) << "not by the limit of 60 s";
    EXPECT_EQ(all[1], "out of memory");
    for(const int rank : {0, 2})
    {
        // The reason of rank 1, or of the other rank, which waits for it.
        const std::string& why = all[static_cast<std::size_t>(rank)];
        EXPECT_EQ(why.find("rank " + std::to_string(rank) + " waited for rank "), 0u) << why;
        EXPECT_NE(why.find(", but rank 1 ended: out of memory"), std::string::npos) << why;
    }
    EXPECT_THROW(
        try { run_in_process(3, wait); } catch(const std::exception& e) {
            EXPECT_STREQ(e.what(), "out of memory") << "the first is what is thrown";
            throw;
        },
        std::runtime_error);
}

TEST(Communicator, RankMayThrowAnything)
{
    std::string other;
    EXPECT_THROW(run_in_process(2,
                                [&](Communicator& c) {
                                    if(c.rank() == 1)
                                        throw 7;
                                    try
                                    {
                                        c.barrier();
                                    }
                                    catch(const TransportError& e)
                                    {
                                        other = e.what();
                                        throw;
                                    }
                                }),
                 int);
    EXPECT_EQ(other, "rank 0 waited for rank 1, but rank 1 ended: it threw no std::exception");
}

// Rank 0 waits until rank 1 has taken what it sends.
TEST(Communicator, SenderDoesNotWaitForALostReceiver)
{
    const auto send = [](const auto& other, const Limits& limits) {
        return messages(
            2,
            [&](Communicator& c) {
                const DeviceMem memory(8);
                const Send message{1, memory.GetDeviceBuffer(), 8};
                if(c.rank() == 1)
                    other();
                else
                    c.begin({&message, 1}, {}, nullptr)->finish();
            },
            limits);
    };
    const auto lost = send([] { throw std::runtime_error("out of memory"); }, Limits{});
    EXPECT_EQ(lost[0], "rank 0 waited for rank 1, but rank 1 ended: out of memory");
    const auto late = send([] { std::this_thread::sleep_for(300ms); }, Limits{.wait = 50ms});
    EXPECT_EQ(late[0], "rank 0 waited for rank 1, but nothing came in 50 ms");
}

// What was offered is taken back before its memory is freed; the receiver then has nothing to copy.
TEST(Communicator, OffersOfAnExchangeThatIsGivenUpAreTakenBack)
{
    const auto all = messages(2, [](Communicator& c) {
        const DeviceMem memory(8);
        const Send send{1, memory.GetDeviceBuffer(), 8};
        const Receive receive{0, memory.GetDeviceBuffer(), 8};
        if(c.rank() == 0)
        {
            c.begin({&send, 1}, {}, nullptr);
            throw std::runtime_error("given up");
        }
        std::this_thread::sleep_for(100ms);
        c.begin({}, {&receive, 1}, nullptr)->finish();
    });
    EXPECT_EQ(all[0], "given up");
    EXPECT_EQ(all[1], "rank 1 waited for rank 0, but rank 0 ended: given up");
}

// The receiver has copied; the sender, who gives the exchange up, has nothing to wait for.
TEST(Communicator, ExchangesThatAreGivenUpLateDoNotWait)
{
    std::promise<void> taken;
    const auto begin = std::chrono::steady_clock::now();
    run_in_process(2, [&](Communicator& c) {
        const DeviceMem memory(8);
        const Send send{1, memory.GetDeviceBuffer(), 8};
        const Receive receive{0, memory.GetDeviceBuffer(), 8};
        if(c.rank() == 0)
        {
            const auto exchange = c.begin({&send, 1}, {}, nullptr);
            taken.get_future().wait();
        }
        else
        {
            c.begin({}, {&receive, 1}, nullptr)->finish();
            taken.set_value();
        }
    });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s) << "not the limit of 60 s";
}

TEST(Communicator, SilentRankEndsTheOthersInTime)
{
    const auto all = messages(2,
                              [](Communicator& c) {
                                  if(c.rank() == 1)
                                      std::this_thread::sleep_for(300ms); // longer than the limit
                                  else
                                      c.barrier();
                              },
                              {.wait = 50ms});
    EXPECT_EQ(all[0], "rank 0 waited for rank 1, but nothing came in 50 ms");
}

TEST(Communicator, MessagesOfOtherSizesAreRefused)
{
    const auto all           = messages(2, [](Communicator& c) {
        const DeviceMem memory(64);
        const std::size_t bytes = c.rank() == 0 ? 16 : 32;
        const Send send{1 - c.rank(), memory.GetDeviceBuffer(), bytes};
        const Receive receive{
            1 - c.rank(), static_cast<char*>(memory.GetDeviceBuffer()) + 32, bytes};
        c.begin({&send, 1}, {&receive, 1}, nullptr)->finish();
    });
    const std::string first  = "rank 1 sends 32 bytes, but rank 0 awaits 16",
                      second = "rank 0 sends 16 bytes, but rank 1 awaits 32";
    EXPECT_TRUE(all[0] == first || all[1] == second) << all[0] << ' ' << all[1];
    EXPECT_TRUE(all[0] == first || all[0].find("rank 1 ended: " + second) != std::string::npos)
        << all[0];
    EXPECT_TRUE(all[1] == second || all[1].find("rank 0 ended: " + first) != std::string::npos)
        << all[1];
}

TEST(Communicator, RefusesWhatIsNoRank)
{
    run_in_process(2, [](Communicator& c) {
        for(const int peer : {-1, 2, c.rank()})
        {
            const Send send{peer, nullptr, 0};
            EXPECT_THROW(c.begin({&send, 1}, {}, nullptr), std::invalid_argument);
        }
    });
    EXPECT_THROW(run_in_process(0, [](Communicator&) {}), std::invalid_argument);
    EXPECT_THROW(run_in_process(1, [](Communicator&) {}, {.wait = 0ms}), std::invalid_argument);
}

} // namespace
