#pragma once
// Times of each kernel for each problem, in the format of test/library/tables/h200_times.
#include "measure.hpp"
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ck::profiler {

/// Milliseconds of a launch that takes about `ms`: the median of four rounds of about 1.5 ms, each
/// after a pause, so that power does not limit them; a first round is not counted.
inline double time_with_pauses(const Launch& launch, double ms)
{
    Replay replay(std::clamp(static_cast<int>(1.5 / ms), 3, 60), launch);
    std::vector<double> times;
    for(int i = 0; i < 5; ++i)
    {
        std::this_thread::sleep_for(std::chrono::microseconds(1500));
        times.push_back(replay.time());
    }
    times.erase(times.begin());
    std::sort(times.begin(), times.end());
    return (times[1] + times[2]) / 2;
}

/// Lines "row", number, kernel; then "problem", name, and number and milliseconds of each kernel.
class TimesFile
{
public:
    /// For the latest problem, or a new one.
    void add(const std::string& problem, const std::string& kernel, double ms)
    {
        const auto number = static_cast<int>(rows_.size());
        const int row     = rows_.emplace(kernel.substr(kernel.find('<')), number).first->second;
        if(problem != latest_)
            times_ << (latest_.empty() ? "" : "\n") << "problem " << problem;
        latest_ = problem;
        times_ << ' ' << row << ' ' << std::fixed << ms;
    }

    /// Throws std::runtime_error if it fails.
    void write(const std::string& file) const
    {
        std::ofstream out(file);
        for(const auto& [kernel, row] : rows_)
            out << "row " << row << ' ' << kernel << '\n';
        out << times_.str() << '\n';
        if(!out.flush())
            throw std::runtime_error("cannot write " + file);
    }

private:
    std::map<std::string, int> rows_;
    std::ostringstream times_;
    std::string latest_;
};

} // namespace ck::profiler
