// The clock of this program: the linker takes this function before the standard library's.
//
// Labels: compiled alone
#include "profiler/stand_in_clock.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace {

std::atomic<bool> stands_in = false;
std::atomic<std::int64_t> stand_in_time{0}, stand_in_step{0}; // nanoseconds

std::int64_t nanoseconds(double ms) { return static_cast<std::int64_t>(ms * 1e6); }

} // namespace

namespace std::chrono {
inline namespace _V2 {

steady_clock::time_point steady_clock::now() noexcept
{
    if(stands_in)
        return time_point(std::chrono::nanoseconds(stand_in_time += stand_in_step));
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

} // namespace _V2
} // namespace std::chrono

namespace ck::test {

StandInClock::StandInClock(double step)
{
    stand_in_step = nanoseconds(step);
    stand_in_time = nanoseconds(1000);
    stands_in     = true;
}

StandInClock::~StandInClock() { stands_in = false; }

void StandInClock::advance(double ms) { stand_in_time += nanoseconds(ms); }

} // namespace ck::test
