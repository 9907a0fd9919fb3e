#pragma once
// What split_scaling prints and writes.
#include "split_check.hpp"
#include "split_options.hpp"
#include "split_times.hpp"

namespace ck::profiler {

/// A line of the table.
struct SplitLine
{
    Direction direction{};
    SplitTimes whole;              ///< pass
    SplitTimes compute;            ///< SplitShare::compute()
    SplitTimes rows;               ///< SplitShare::exchange_rows()
    std::optional<SplitTimes> sum; ///< SplitShare::add_up()
    double tflops = 0;             ///< rate of all ranks, for the whole pass
    std::optional<SplitCheck> check;
};

/// The title: the problem, and where it runs.
std::string split_title(const SplitOptions& options,
                        const SplitProblem& problem,
                        const distributed::Communicator& communicator);
/// Prints the lines above the table.
void print_split_head(const std::string& title, const SplitProblem& problem);
void print_split_line(const SplitLine& line);
/// In the format of benchmarks/README.md. Throws std::runtime_error if it cannot be written.
void write_split_json(const std::string& file,
                      const std::string& title,
                      int ranks,
                      const std::vector<SplitLine>& lines);

} // namespace ck::profiler
