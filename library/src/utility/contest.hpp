#pragma once
// How long launches take, several kinds of them in turns: each alone, or ours beside a rival's.
#include "utility/replay.hpp"
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ck::measure {

struct Rounds
{
    int count      = 5; ///< timed rounds of each
    double warm_up = 0; ///< seconds of load before them
    double ms      = 2; ///< of launches in a round of one; at least 3, on the CPU 1; at most 200
    /// When a contest ends, whatever is missing: no first look and no round begins after it.
    std::optional<std::chrono::steady_clock::time_point> until{};
};

/// Milliseconds a launch over rounds; a ratio has the same form. Of none: NaN, and the reason.
struct Timing
{
    double median, low, high;
    std::string error; ///< why there is no time; else empty

    bool ok() const { return error.empty(); }
};

/// The median and the ends of at least one round.
Timing timing_of(std::vector<double> rounds);

/// The error of what was not timed for Rounds::until.
inline constexpr const char* time_is_up = "the time is up";

/// Each of `all` in turns, round by round, so that a change of the clock meets all alike. One that
/// throws std::exception has no time, but the reason. Each has as many launches in a round as last
/// for Rounds::ms, and launch i gets the number i.
std::vector<Timing> time_each(const std::vector<Launch>& all, const Rounds& rounds);

/// The fastest of ours beside the fastest of a rival's.
struct Contest
{
    std::size_t ours = 0;                ///< which
    std::optional<std::size_t> theirs{}; ///< which; none where no way of the rival runs
    Timing time{}, rival_time{};         ///< ms
    Timing ratio{};                      ///< the rival's time over ours, of each round
    Timing rule_time{};                  ///< of the one that the rule takes
    std::vector<Timing> first_looks{};   ///< at each of ours, short: for a ranking alone
    std::vector<std::string> left_out{}; ///< why a way of the rival has no time; else empty
};

/// Under load: a first look at each, on both sides those that it cannot tell from the fastest go
/// on, four at most; of these the ones that are fastest at the end of the warm-up are timed in
/// turns. rule: one of ours that is timed with them. Throws std::runtime_error where none of ours
/// runs.
Contest hold_contest(const std::vector<Launch>& ours,
                     const std::vector<Launch>& theirs,
                     std::optional<std::size_t> rule,
                     const Rounds& rounds);

} // namespace ck::measure
