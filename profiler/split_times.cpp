// Measures times, and exchanges them between ranks.
#include "split_times.hpp"

#include "ck/library/utility/device_memory.hpp"

#include <algorithm>
#include <chrono>

namespace ck::profiler {

using distributed::Communicator;
using Numbers = std::vector<double>;

namespace {

/// mine: this rank's milliseconds of each round.
SplitTimes slowest(Communicator& c, const Numbers& mine)
{
    Numbers rounds(mine.size(), 0.);
    for(const Numbers& rank : of_all_ranks(c, mine))
        for(std::size_t i = 0; i < rounds.size(); ++i)
            rounds[i] = std::max(rounds[i], rank[i]);
    std::sort(rounds.begin(), rounds.end());
    return {rounds[rounds.size() / 2], rounds.front(), rounds.back()};
}

/// Times rounds that all ranks start together. round: returns its milliseconds.
SplitTimes time_rounds(Communicator& c, int count, const std::function<double()>& round)
{
    Numbers mine;
    static_cast<void>(round()); // warm-up
    for(int i = 0; i < count; ++i)
    {
        c.barrier();
        mine.push_back(round());
    }
    return slowest(c, mine);
}

} // namespace

std::vector<Numbers> of_all_ranks(Communicator& c, const Numbers& mine)
{
    const std::size_t bytes = mine.size() * sizeof(double);
    const DeviceMem memory(bytes * static_cast<std::size_t>(c.size()));
    char* const at = static_cast<char*>(memory.GetDeviceBuffer());
    memory.ToDevice(mine.data(), bytes); // own numbers first
    std::vector<distributed::Send> sends;
    std::vector<distributed::Receive> receives;
    for(int peer = 0; peer < c.size(); ++peer)
        if(peer != c.rank())
        {
            sends.push_back({peer, at, bytes});
            receives.push_back({peer, at + (receives.size() + 1) * bytes, bytes});
        }
    c.begin(sends, receives, nullptr)->finish();
    c.synchronize(nullptr);
    Numbers flat(mine.size() * static_cast<std::size_t>(c.size()));
    memory.FromDevice(flat.data());
    std::vector<Numbers> all;
    for(auto begin = flat.begin(); begin != flat.end();)
    {
        const auto end = begin + static_cast<std::ptrdiff_t>(mine.size());
        all.emplace_back(begin, end);
        begin = end;
    }
    return all;
}

SplitTimes time_passes(Communicator& c, const SplitRounds& of, const std::function<void()>& pass)
{
    using Clock = std::chrono::steady_clock;
    return time_rounds(c, of.rounds, [&] {
        const auto begin = Clock::now();
        for(int i = 0; i < of.passes; ++i)
            pass();
        c.synchronize(nullptr);
        return std::chrono::duration<double, std::milli>(Clock::now() - begin).count() / of.passes;
    });
}

SplitTimes
time_timed_passes(Communicator& c, const SplitRounds& of, const std::function<double()>& pass)
{
    return time_rounds(c, of.rounds, [&] {
        double sum = 0;
        for(int i = 0; i < of.passes; ++i)
            sum += pass();
        return sum / of.passes;
    });
}

} // namespace ck::profiler
