#pragma once
// Times several kinds of launches in turns: each alone, or ours against a rival's.
#include "utility/replay.hpp"
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ck::measure {

struct Rounds
{
    int count      = 5; ///< timed rounds for each
    double warm_up = 0; ///< seconds of load before they start
    double ms      = 2; ///< duration of a round; at least 3 launches, on the CPU 1; at most 200
    /// The time at which a contest ends, even if incomplete: no first look or round starts later.
    std::optional<std::chrono::steady_clock::time_point> until{};
};

/// Milliseconds for a launch over all rounds, or a ratio. Without rounds: NaN, and the reason.
struct Timing
{
    double median, low, high;
    std::string error; ///< why there is no time; otherwise empty

    bool ok() const { return error.empty(); }
};

/// The median and the extremes of one or more rounds.
Timing timing_of(std::vector<double> rounds);

/// The error for what was not timed because of Rounds::until.
inline constexpr const char* time_is_up = "the time is up";

/// Times each of `all` in turns, round by round, so that changes of the clock affect all alike. One
/// that throws std::exception has a reason instead of a time. Each has as many launches in a round
/// as take Rounds::ms, and launch i gets the number i.
std::vector<Timing> time_each(const std::vector<Launch>& all, const Rounds& rounds);

/// The fastest of ours against the fastest of a rival's.
struct Contest
{
    std::size_t ours = 0;                ///< index
    std::optional<std::size_t> theirs{}; ///< index; empty if nothing of the rival runs
    Timing time{}, rival_time{};         ///< ms
    Timing ratio{};                      ///< the rival's time over ours, of each round
    Timing rule_time{};                  ///< time of the one that the rule chooses
    std::vector<Timing> first_looks{};   ///< a short time of each of ours: only for a ranking
    std::vector<std::string> left_out{}; ///< why something of the rival has no time; else empty
};

/// Runs under load. After a first look at each, those that it cannot distinguish from the fastest
/// continue on both sides, at most four; of these, the ones that are fastest at the end of the
/// warm-up are timed in turns. rule: one of ours that is timed with them. Throws std::runtime_error
/// if none of ours runs.
Contest hold_contest(const std::vector<Launch>& ours,
                     const std::vector<Launch>& theirs,
                     std::optional<std::size_t> rule,
                     const Rounds& rounds);

} // namespace ck::measure
