// How much time the choice by predicted time loses on an H200. h200_times/ holds the times of the
// tables' rows that tensor maps feed, for the 173 problems of four profiler/*_problems.json (in
// backward weight those that such a row supports) and the 14 of strided_problems.json. The row with
// the least predicted time is compared with the fastest. Times are in ms: replays of graphs with
// pauses between them, random normal data, 200 MB of buffers in turns, the median of four; CUDA
// 13.0. `ckProfiler --times` records times without pauses, with 400 MB: those of six problems of
// 1x1 with stride 2 in backward data, and of tf32 backward weight.
//
// Labels: not sanitized
#include "tables/wgmma.hpp"

#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "problem_file.hpp"
#include "tensor_operation_instance/conv_kernels.hpp"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ck::test {
namespace {

using namespace ck::tensor_operation::device;
using tensor_operation::element_wise::PassThrough;
using enum arch::Matrix;

const std::filesystem::path here = std::filesystem::path(__FILE__).parent_path();

std::map<std::string, ConvProblem> read_problems()
{
    std::map<std::string, ConvProblem> all;
    for(const char* list : {"suite", "network", "varied", "other", "strided"})
        for(const auto& [name, problem] : profiler::read_problems(
                (here / "../../../profiler" / (std::string(list) + "_problems.json")).string(), ""))
            all.emplace(name, problem);
    return all;
}

/// What the rows of one table took. Lines: "row", number, type string; "problem", name, then the
/// number and the milliseconds of each row that supports it.
struct Times
{
    std::map<int, std::string> rows;
    std::map<std::string, std::map<int, double>> problems;
};
Times read_times(const std::string& name)
{
    Times times;
    const auto path = here / "h200_times" / name;
    std::ifstream file(path);
    EXPECT_TRUE(file) << "cannot read " << path;
    for(std::string line; std::getline(file, line);)
    {
        std::istringstream from(line);
        std::string what, of;
        int row;
        double ms;
        if(from >> what; what == "row")
        {
            from >> row >> std::ws;
            std::getline(from, times.rows[row]);
            continue;
        }
        EXPECT_EQ(what, "problem") << line;
        from >> of;
        while(from >> row >> ms)
            times.problems[of][row] = ms;
        EXPECT_TRUE(from.eof()) << line;
    }
    return times;
}

/// A row as its type string says it, and its time for a problem that it supports.
struct Row
{
    std::string name;
    bool by_maps; ///< tensor maps feed its wgmma
    std::optional<double> (*predict)(const ConvProblem&);
};
template <Direction direction, class T, class Compute, GemmTuning tuning>
std::optional<double> predict(const ConvProblem& p)
{
    using Types =
        ConvTypes<T, T, T, PassThrough, PassThrough, PassThrough, Tuple<>, Compute, Compute>;
    using Functions = instance::FunctionsOf<direction, Types, tuning>;
    static const PassThrough pass_through;
    alignas(16) static char workspace[16]; // its address is only asked about
    instance::ConvArgument argument;
    argument.problem     = p;
    argument.a           = {nullptr};
    argument.b           = {nullptr};
    argument.operation_a = argument.operation_b = argument.operation_c = &pass_through;
    argument.split_k                                                   = -1;
    argument.workspace                                                 = workspace;
    return Functions::template predict<true>(argument, true);
}
template <Direction direction, class T, class Compute, arch::Matrix id>
std::vector<Row> rows_of_table()
{
    constexpr auto& table = tables::wgmma<direction, id>;
    std::vector<Row> rows;
    unrolled<0, static_cast<index_t>(table.size())>([&](auto i) {
        constexpr GemmTuning tuning = table[i];
        if(tuning.maps.promoted_accumulation) // kernels of 3xTF32; not timed as those of tf32
            return;
        rows.push_back(
            {conv_kernel_string(direction, tuning),
             has_producer_warp(tuning.pipeline) && arch::takes_shared(tuning.instruction),
             predict<direction, T, Compute, tuning>});
    });
    return rows;
}

/// Returns the rows of a table that have times, by their numbers.
std::map<int, const Row*> rows_with_times(const Times& times, const std::vector<Row>& table)
{
    std::map<int, const Row*> row_of;
    for(const auto& [number, text] : times.rows)
    {
        const std::string& name = text; // clang 14 captures no bindings
        const auto row          = std::find_if(table.begin(), table.end(), [&](const Row& r) {
            return r.name.substr(r.name.find('<')) == name;
        });
        EXPECT_NE(row, table.end()) << "the table has no row " << name;
        if(row != table.end())
            row_of[number] = &*row;
    }
    return row_of;
}

/// Among the rows that have times the rule chooses well. most_loss: on average, in parts of the
/// fastest row's time.
void expect_loss_below(double most_loss,
                       const std::string& times_of,
                       std::size_t least_problems,
                       const std::vector<Row>& table)
{
    const AssumedComputeUnits h200(132);
    const Times times   = read_times(times_of);
    const auto problems = read_problems();
    const auto row_of   = rows_with_times(times, table);
    ASSERT_EQ(row_of.size(), times.rows.size());
    double losses = 0, worst = 0;
    std::string worst_problem;
    for(const auto& [name, took] : times.problems)
    {
        ASSERT_TRUE(problems.contains(name)) << name;
        double fastest = 0, least = 0, chosen = 0;
        for(const auto& [row, ms] : took)
        {
            const std::optional<double> predicted = row_of.at(row)->predict(problems.at(name));
            ASSERT_TRUE(predicted) << name << " by " << row_of.at(row)->name;
            if(fastest == 0 || ms < fastest)
                fastest = ms;
            if(least == 0 || *predicted < least)
                least = *predicted, chosen = ms;
        }
        const double loss = chosen / fastest - 1;
        losses += loss;
        if(loss > worst)
            worst = loss, worst_problem = name;
    }
    const double mean = losses / static_cast<double>(times.problems.size());
    std::printf("%s: of %zu problems the rule loses %.2f %% on average, at most %.0f %% (%s)\n",
                times_of.c_str(),
                times.problems.size(),
                100 * mean,
                100 * worst,
                worst_problem.c_str());
    EXPECT_GE(times.problems.size(), least_problems);
    EXPECT_LT(mean, most_loss);
}

/// Rows that are to be timed: a row with times must not be here.
const std::set<std::string> not_timed_yet{
    "<384, 256, 96, 64, 32, 96, wgmma_f32_16x8x16_f16, 8, 8, 8, tensor_maps 4, 1>",
    "<384, 256, 96, 64, 32, 96, wgmma_f32_16x8x16_f16, 8, 8, 8, tensor_maps 4, 1, cluster 2>",
    "<384, 256, 128, 64, 32, 128, wgmma_f32_16x8x16_f16, 8, 8, 8, tensor_maps 4, 1, cluster 2>"};

/// A file of times, and the most that the rule may lose by them: see expect_loss_below().
struct Bound
{
    const char* times_of;
    double most_loss;
    std::size_t least_problems = 161;
};
/// Expects losses below the bounds, and of every row that tensor maps feed times in some file.
void expect_losses_below(const std::vector<Bound>& bounds, const std::vector<Row>& table)
{
    std::set<const Row*> timed;
    for(const Bound& bound : bounds)
    {
        for(const auto& [number, row] : rows_with_times(read_times(bound.times_of), table))
            timed.insert(row);
        expect_loss_below(bound.most_loss, bound.times_of, bound.least_problems, table);
    }
    for(const Row& row : table)
        if(row.by_maps)
        {
            const bool is_new = not_timed_yet.contains(row.name.substr(row.name.find('<')));
            EXPECT_NE(timed.contains(&row), is_new) << "has times, or none: " << row.name;
        }
}

template <Direction direction>
constexpr auto& f16_rows = rows_of_table<direction, half_t, half_t, wgmma_f32_16x8x16_f16>;
template <Direction direction>
constexpr auto& tf32_rows = rows_of_table<direction, float, tf32_t, wgmma_f32_16x8x8_tf32>;

TEST(WgmmaRule, F16Forward)
{
    expect_losses_below({{"f16_forward.txt", 0.0090}, {"f16_forward_strided.txt", 0.0150, 14}},
                        f16_rows<Direction::forward>());
}

/// No constants were fitted to the second times, those of all rows, measured later.
TEST(WgmmaRule, F16BackwardData)
{
    expect_losses_below(
        {{"f16_backward_data.txt", 0.0075}, {"f16_backward_data_again.txt", 0.0160}},
        f16_rows<Direction::backward_data>());
}

TEST(WgmmaRule, F16BackwardWeight)
{
    expect_losses_below({{"f16_backward_weight.txt", 0.0085}},
                        f16_rows<Direction::backward_weight>());
}

TEST(WgmmaRule, Tf32Forward)
{
    expect_losses_below({{"tf32_forward.txt", 0.020}}, tf32_rows<Direction::forward>());
}

TEST(WgmmaRule, Tf32BackwardData)
{
    expect_losses_below({{"tf32_backward_data.txt", 0.0150}},
                        tf32_rows<Direction::backward_data>());
}

TEST(WgmmaRule, Tf32BackwardWeight)
{
    expect_losses_below({{"tf32_backward_weight.txt", 0.0097}},
                        tf32_rows<Direction::backward_weight>());
}

} // namespace
} // namespace ck::test
