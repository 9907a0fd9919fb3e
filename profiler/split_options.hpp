#pragma once
// The command line of split_scaling.
#include "platform.hpp"
#include "split_share.hpp"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ck::profiler {

/// The user's options.
struct SplitOptions
{
    SplitProblem problem = on_cpu ? SplitProblem{4, 4, 6, 5, DataType::f32}
                                  : SplitProblem{64, 64, 256, 256, DataType::bf16};
    std::vector<Direction> directions{
        Direction::forward, Direction::backward_data, Direction::backward_weight};
    int ranks                    = 1;
    int rounds                   = 5;
    int passes                   = on_cpu ? 1 : 10;
    int limit                    = 60; // seconds
    bool weak                    = false;
    bool check                   = false;
    bool plans                   = false;
    distributed::Margins margins = distributed::Margins::exchange;
    std::string json;
};

/// Throws CLI::ParseError.
SplitOptions parse_split_options(CLI::App& app, int argc, const char* const* argv);

} // namespace ck::profiler
