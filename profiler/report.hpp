#pragma once
// What the program prints and writes while it measures: lines as Composable Kernel's profiler has
// them, and below each, indented, what that one does not tell.
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
    /// Lines go to `out`. Throws std::runtime_error where a file of the options cannot be written.
    Report(const Options& options, std::ostream& out);

    Progress& progress() { return progress_; }
    /// A line.
    void line(const std::string& text);
    /// An instance that ran, and is right as far as was looked at. It lives as long as the report.
    Result& add(const Result& result);
    void refuse(const Refusal& refusal);
    /// An instance that is wrong, or threw: the program's status becomes 1.
    void fail(const std::string& instance, const std::string& why);
    /// Something that makes the status 1.
    void fail(const std::string& why);
    /// The end of a problem: marks and prints the fastest of its results, null where none ran.
    void best(Result* fastest);

    const std::deque<Result>& results() const { return results_; }
    const std::vector<Refusal>& refusals() const { return refusals_; }
    /// The files, and a summary of several problems. Throws std::runtime_error where a file
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
