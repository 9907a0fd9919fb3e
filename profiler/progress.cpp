// The progress line.
#include "progress.hpp"

#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace ck::profiler {

Progress::Progress() : shown_(isatty(STDERR_FILENO) != 0) {}

std::string Progress::text(long done, long all, double seconds, const std::string& what)
{
    const double left =
        done == 0 ? 0 : seconds / static_cast<double>(done) * static_cast<double>(all - done);
    std::string text = std::to_string(done) + " of " + std::to_string(all);
    if(done > 0)
        text += left < 100 ? ", " + std::to_string(std::lround(left)) + " s left"
                           : ", " + std::to_string(std::lround(left / 60)) + " min left";
    return text + ": " + what.substr(0, 50);
}

void Progress::step(const std::string& what)
{
    ++done_;
    if(!shown_)
        return;
    using namespace std::chrono;
    const auto now = steady_clock::now();
    if(now - start_ < seconds(1) || now - latest_ < milliseconds(100))
        return;
    latest_ = now;
    clear();
    const double passed = duration<double>(now - start_).count();
    std::fputs(text(done_, all_, passed, what).c_str(), stderr);
    visible_ = true;
}

void Progress::clear()
{
    if(visible_)
        std::fputs("\r\033[K", stderr);
    visible_ = false;
}

} // namespace ck::profiler
