// Work on other streams waits for the user's stream, and the user's for them: events order each
// pair of accesses to the same memory.
#include "ck/distributed/communicator.hpp"

#include <gtest/gtest.h>

#include "streams.hpp"
#include <algorithm>
#include <vector>

namespace {

using namespace ck::distributed;
using ck::test::Streams;

using Lines = std::vector<std::string>;

/// A rank's numbers, and the stream on which it reads and writes them.
class Numbers
{
public:
    explicit Numbers(std::size_t count, void* stream = nullptr)
        : numbers_(count),
          stream_(stream != nullptr ? stream : &own_)
    {
        Streams::all().watch(numbers_.data(), count * sizeof(float));
    }
    void* stream() { return stream_; }
    float* data() { return numbers_.data(); }
    /// Work on the stream: from number `first` on.
    void write(std::size_t first, std::size_t count, float value)
    {
        Streams::all().touch(stream_, data() + first, count * sizeof(float), true);
        std::fill_n(numbers_.begin() + static_cast<std::ptrdiff_t>(first), count, value);
    }
    std::vector<float> read()
    {
        Streams::all().touch(stream_, data(), numbers_.size() * sizeof(float), false);
        return numbers_;
    }

private:
    std::vector<float> numbers_;
    char own_ = 0;
    void* stream_;
};

TEST(DistributedStreams, RacesAreSeenWhereNoEventOrdersThem)
{
    char one = 0, other = 0;
    float memory[2]{};
    Streams& s         = Streams::all();
    const auto touches = [&](std::size_t second, bool writes, bool ordered) {
        s.watch(memory, sizeof memory);
        s.touch(&one, memory, sizeof(float), true);
        if(ordered)
            s.hold(&other, s.done_before(&one));
        s.touch(&other, memory + second, sizeof(float), writes);
        return s.races();
    };
    EXPECT_EQ(touches(0, false, false), Lines{"a read does not wait for a write"});
    EXPECT_EQ(touches(0, true, false), Lines{"a write does not wait for a write"});
    EXPECT_EQ(touches(1, true, false), Lines{}) << "other memory";
    EXPECT_EQ(touches(0, true, true), Lines{});
    s.watch(memory, sizeof memory);
    s.touch(&one, memory, sizeof(float), false);
    s.touch(&other, memory, sizeof(float), false);
    EXPECT_EQ(s.races(), Lines{}) << "two reads";
}

TEST(DistributedStreams, ExchangesWaitForTheirMemoryAndItsNextUseForThem)
{
    run_in_process(3, [](Communicator& c) {
        const int next = (c.rank() + 1) % 3, before = (c.rank() + 2) % 3;
        Numbers sent(8), received(8, sent.stream());
        for(int step = 0; step < 3; ++step)
        {
            sent.write(0, 8, static_cast<float>(10 * step + c.rank()));
            received.write(0, 8, -1);
            const Send send{next, sent.data(), 8 * sizeof(float)};
            const Receive receive{before, received.data(), 8 * sizeof(float)};
            c.begin({&send, 1}, {&receive, 1}, sent.stream())->finish();
            EXPECT_EQ(received.read(),
                      std::vector<float>(8, static_cast<float>(10 * step + before)));
        }
        c.barrier();
    });
    EXPECT_EQ(Streams::all().races(), Lines{});
}

TEST(DistributedStreams, SumsWaitForTheirNumbersAndTheirNextUseForThem)
{
    run_in_process(3, [](Communicator& c) {
        Numbers numbers(10);
        AllReduce sum(c, 10);
        for(int step = 0; step < 3; ++step)
        {
            numbers.write(0, 10, static_cast<float>(step + c.rank()));
            sum.begin(numbers.data(), numbers.stream());
            sum.finish();
            EXPECT_EQ(numbers.read(), std::vector<float>(10, static_cast<float>(3 * step + 3)));
        }
        c.barrier();
    });
    EXPECT_EQ(Streams::all().races(), Lines{});
}

TEST(DistributedStreams, BucketsWaitForTheirNumbersAndTheirNextUseForThem)
{
    run_in_process(3, [](Communicator& c) {
        constexpr std::size_t count = 100;
        Numbers numbers(count);
        BucketedAllReduce sum(c, numbers.data(), count, 32);
        for(int step = 0; step < 3; ++step)
        {
            std::size_t written = 0;
            const auto write_to = [&](std::size_t end) {
                numbers.write(written, end - written, static_cast<float>(step + c.rank()));
                written = end;
            };
            for(const std::size_t ready : {5u, 70u, 96u})
            {
                write_to(ready);
                sum.ready(ready, numbers.stream());
            }
            write_to(count);
            sum.finish(numbers.stream());
            EXPECT_EQ(numbers.read(), std::vector<float>(count, static_cast<float>(3 * step + 3)));
        }
        c.barrier();
    });
    EXPECT_EQ(Streams::all().races(), Lines{});
}

} // namespace
