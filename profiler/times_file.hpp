#pragma once
// What each kernel took for each problem, in the format of test/library/tables/h200_times.
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ck::profiler {

/// Lines "row", number, kernel; then "problem", name, and number and milliseconds of each kernel.
class TimesFile
{
public:
    /// Of the latest problem, or the next one.
    void add(const std::string& problem, const std::string& kernel, double ms)
    {
        const auto number = static_cast<int>(rows_.size());
        const int row     = rows_.emplace(kernel.substr(kernel.find('<')), number).first->second;
        if(problem != latest_)
            times_ << (latest_.empty() ? "" : "\n") << "problem " << problem;
        latest_ = problem;
        times_ << ' ' << row << ' ' << std::fixed << ms;
    }

    /// Throws std::runtime_error if it cannot.
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
