#pragma once
// What the program prints and writes while it measures: the lines of Composable Kernel's profiler,
// and indented below each what that one does not print.
#include "progress.hpp"
#include "request.hpp"
#include "result.hpp"
#include <deque>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace ck::profiler {

class Report
{
public:
    /// Lines go to `out`. Throws std::runtime_error if a file in the options cannot be written.
    Report(const Options& options, std::ostream& out);

    Progress& progress() { return progress_; }
    /// Prints a line.
    void line(const std::string& text);
    /// Adds an instance that ran with correct results. It lives as long as the report.
    Result& add(const Result& result);
    void refuse(const Refusal& refusal);
    /// Reports an instance that is wrong, or threw: the program's status becomes 1.
    void fail(const std::string& instance, const std::string& why);
    /// Reports an error: the program's status becomes 1.
    void fail(const std::string& why);
    /// Ends a problem: marks and prints the fastest of its results, null if none ran.
    void best(Result* fastest);

    const std::deque<Result>& results() const { return results_; }
    const std::vector<Refusal>& refusals() const { return refusals_; }
    /// Writes the files, and a summary of several problems. Throws std::runtime_error if a file
    /// could not be written.
    void finish();
    int status() const { return failed_ ? 1 : 0; }

private:
    Options options_;
    std::ostream& out_;
    Progress progress_;
    std::deque<Result> results_;
    std::vector<Refusal> refusals_;
    bool failed_ = false;
};

} // namespace ck::profiler
