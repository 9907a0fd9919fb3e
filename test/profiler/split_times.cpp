// Rounds are counted and timed as split_scaling documents. The clock stands still, so times are
// exact.
//
// Labels: compiled alone
#include "split_times.hpp"

#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime.hpp"

#include <gtest/gtest.h>

#include "profiler/stand_in_clock.hpp"
#include <cstring>
#include <memory>

namespace ck::profiler {
namespace {

using Numbers = std::vector<double>;

/// Rank 1 of ranks whose numbers are tenfold, hundredfold ... its own, and, where they are to be
/// slower only in some rounds, have `extra` more in the first.
class StandInRanks : public distributed::Communicator
{
public:
    explicit StandInRanks(int ranks, double extra = 0)
        : Communicator(ranks > 1 ? 1 : 0, ranks, {}),
          extra_(extra)
    {}
    std::string transport() const override { return "stand-in"; }
    void barrier() override { ++barriers; }
    void synchronize(void*) override
    {
        ++synchronized;
        if(clock != nullptr)
            clock->advance(1);
    }

    test::StandInClock* clock = nullptr;
    int barriers = 0, synchronized = 0;

private:
    struct Done : distributed::Exchange
    {
        void finish() override {}
    };
    std::unique_ptr<distributed::Exchange> start(std::span<const distributed::Send> sends,
                                                 std::span<const distributed::Receive> receives,
                                                 void*) override
    {
        double factor = 1;
        for(const distributed::Receive& r : receives)
        {
            Numbers numbers(r.bytes / sizeof(double));
            HIP_CHECK_ERROR(
                hipMemcpy(numbers.data(), sends[0].data, r.bytes, hipMemcpyDeviceToHost));
            factor *= 10;
            for(double& n : numbers)
                n *= extra_ > 0 ? 1 : factor;
            numbers[0] += extra_;
            HIP_CHECK_ERROR(hipMemcpy(r.data, numbers.data(), r.bytes, hipMemcpyHostToDevice));
        }
        return std::make_unique<Done>();
    }

    double extra_;
};

void expect_times(const SplitTimes& got, double median, double least, double most)
{
    EXPECT_DOUBLE_EQ(got.median, median);
    EXPECT_DOUBLE_EQ(got.least, least);
    EXPECT_DOUBLE_EQ(got.most, most);
}

TEST(SplitTimes, the_clock_is_read_once_the_device_is_done)
{
    StandInRanks one(1);
    test::StandInClock clock;
    one.clock = &clock;
    const Numbers ms{500, 500, 2, 3, 40, 9, 5, 6}; // the first round warms up
    std::size_t calls = 0;
    const SplitTimes t =
        time_passes(one, {.rounds = 3, .passes = 2}, [&] { clock.advance(ms.at(calls++)); });
    EXPECT_EQ(calls, ms.size());
    EXPECT_EQ(one.barriers, 3);
    expect_times(t, 6, 3, 25); // (2 + 3 + 1) / 2, (40 + 9 + 1) / 2, (5 + 6 + 1) / 2
}

TEST(SplitTimes, passes_may_say_their_times)
{
    StandInRanks one(1);
    const Numbers ms{500, 500, 500, 1, 2, 6, 10, 30, 20};
    std::size_t calls = 0;
    const SplitTimes t =
        time_timed_passes(one, {.rounds = 2, .passes = 3}, [&] { return ms.at(calls++); });
    EXPECT_EQ(calls, ms.size());
    EXPECT_EQ(one.barriers, 2);
    expect_times(t, 20, 3, 20); // the later of two rounds
}

TEST(SplitTimes, the_slowest_rank_of_each_round_counts)
{
    const auto times = [](StandInRanks ranks) {
        const Numbers ms{500, 8, 4, 6};
        std::size_t calls = 0;
        return time_timed_passes(ranks, {.rounds = 3, .passes = 1}, [&] { return ms.at(calls++); });
    };
    expect_times(times(StandInRanks(3)), 600, 400, 800);
    expect_times(times(StandInRanks(2, 1)), 6, 4, 9); // the peer is slower only in the first round
}

TEST(SplitTimes, every_rank_has_all_numbers)
{
    StandInRanks three(3);
    EXPECT_EQ(of_all_ranks(three, {1, 2}), (std::vector<Numbers>{{1, 2}, {10, 20}, {100, 200}}));
    EXPECT_EQ(three.synchronized, 1);
    StandInRanks one(1);
    EXPECT_EQ(of_all_ranks(one, {7}), std::vector<Numbers>{{7}});
}

} // namespace
} // namespace ck::profiler
