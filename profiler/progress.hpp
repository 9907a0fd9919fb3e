#pragma once
// A line on a terminal with the expected remaining time.
#include <chrono>
#include <string>

namespace ck::profiler {

/// Writes to standard error if it is a terminal, once work takes longer than a second.
class Progress
{
public:
    Progress();
    explicit Progress(bool shown) : shown_(shown) {}
    ~Progress() { clear(); }
    Progress(const Progress&)            = delete;
    Progress& operator=(const Progress&) = delete;

    /// Adds steps to the total.
    void expect(long steps) { all_ += steps; }
    /// Counts a step as done; `what` is next.
    void step(const std::string& what);
    long done() const { return done_; }
    long expected() const { return all_; }
    /// Removes the line, before other text is written.
    void clear();

    /// For example "12 of 148, 37 s left: what".
    static std::string text(long done, long all, double seconds, const std::string& what);

private:
    bool shown_, visible_ = false;
    long done_ = 0, all_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), latest_{};
};

} // namespace ck::profiler
