#pragma once
// A clock that tests turn by hand: times of the profiler, and all that is worked out from them, are
// then known exactly.

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
