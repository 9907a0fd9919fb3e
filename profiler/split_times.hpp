#pragma once
// Times of ranks that compute together: rounds that all begin at once, of which the slowest rank
// counts.
#include "ck/distributed.hpp"

#include <functional>
#include <vector>

namespace ck::profiler {

/// Milliseconds of one pass, over rounds: of the slowest rank in each.
struct SplitTimes
{
    double median = 0, least = 0, most = 0;
};

/// How often something is timed.
struct SplitRounds
{
    int rounds; ///< each has a time of its own; at least 1
    int passes; ///< of a round, whose time is divided by them; at least 1
};

/// The numbers of all ranks, as many of each; own ones first, others in no certain order.
std::vector<std::vector<double>> of_all_ranks(distributed::Communicator& c,
                                              const std::vector<double>& mine);

/// Times passes by the clock, until the device is done with all of a round.
SplitTimes
time_passes(distributed::Communicator& c, const SplitRounds& of, const std::function<void()>& pass);

/// The same of passes that say how many milliseconds they took.
SplitTimes time_timed_passes(distributed::Communicator& c,
                             const SplitRounds& of,
                             const std::function<double()>& pass);

} // namespace ck::profiler
