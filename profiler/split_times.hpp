#pragma once
// Times of ranks that compute together: all start a round at once, and the slowest rank
// counts.
#include "ck/distributed.hpp"

#include <functional>
#include <vector>

namespace ck::profiler {

/// Milliseconds of one pass over rounds, each that of the slowest rank.
struct SplitTimes
{
    double median = 0, least = 0, most = 0;
};

/// How often to measure.
struct SplitRounds
{
    int rounds; ///< each has its own time; at least 1
    int passes; ///< in a round, whose time is divided by them; at least 1
};

/// The numbers of all ranks, equally many each; own ones first, others in no certain order.
std::vector<std::vector<double>> of_all_ranks(distributed::Communicator& c,
                                              const std::vector<double>& mine);

/// Times passes with the clock; a round ends when the device is done with it.
SplitTimes
time_passes(distributed::Communicator& c, const SplitRounds& of, const std::function<void()>& pass);

/// The same for passes that return their milliseconds.
SplitTimes time_timed_passes(distributed::Communicator& c,
                             const SplitRounds& of,
                             const std::function<double()>& pass);

} // namespace ck::profiler
