#pragma once
// A clock that tests advance by hand, so that the profiler's times, and everything computed from
// them, are known exactly.

namespace ck::test {

/// While it lives, std::chrono::steady_clock of this program stands still: only advance() turns it,
/// and every reading, by `step` milliseconds, which may be none. One at a time.
class StandInClock
{
public:
    explicit StandInClock(double step = 0);
    ~StandInClock();
    StandInClock(const StandInClock&)            = delete;
    StandInClock& operator=(const StandInClock&) = delete;

    void advance(double ms);
};

} // namespace ck::test
