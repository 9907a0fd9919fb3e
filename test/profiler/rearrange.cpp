// Labels: compiled alone
#include "rearrange.hpp"

#include <gtest/gtest.h>

#include "buffers.hpp"
#include "problem_text.hpp"
#include "profiler/refusal.hpp"
#include "profiler/stand_in_clock.hpp"
#include <cmath>
#include <regex>
#include <sstream>
#include <string>

namespace ck::profiler {
namespace {

struct Ran
{
    int status;
    std::string out;
    std::vector<Result> results;
};

Ran run(const std::string& numbers, Command command = {})
{
    command.operation = "conv_tensor_rearrange";
    std::istringstream in(numbers);
    for(std::string word; in >> word;)
        command.positions.push_back(word);
    std::ostringstream out;
    Report report(command.options, out);
    run_rearrange(command, report);
    EXPECT_EQ(report.progress().done(), report.progress().expected());
    return {report.status(), out.str(), {report.results().begin(), report.results().end()}};
}

TEST(Rearrange, every_type_layout_way_and_rank)
{
    for(const std::string type : {"0", "1", "2", "3"})
        for(const std::string layout : {"0", "1"})
            for(const std::string way : {"0", "1"})
                for(const std::string problem : {"1 2 2 1 8 3 9 2 1 1 0",
                                                 "2 2 2 1 5 3 2 6 7 1 2 2 1 1 0 1 1",
                                                 "3 2 1 1 8 2 1 3 3 4 5 1 1 2 1 1 1 0 0 1 1 0 1"})
                {
                    const std::string line =
                        type + " " + layout + " 1 2 0 1 " + way + " " + problem;
                    const Ran r = run(line);
                    EXPECT_EQ(r.status, 0) << line << "\n" << r.out;
                    EXPECT_GE(r.results.size(), 1u) << line << "\n" << r.out;
                    for(const Result& result : r.results)
                        EXPECT_EQ(result.error, 0) << result.instance;
                }
}

TEST(Rearrange, lines_and_bytes)
{
    const Ran r = run("1 0 1 1 0 1 0 1 1 1 1 8 1 4 1 1 0 0");
    ASSERT_FALSE(r.results.empty()) << r.out;
    EXPECT_EQ(r.results[0].bytes, 2. * (4 * 8 + 4 * 8));
    EXPECT_EQ(r.results[0].flops, 0);
    EXPECT_EQ(r.results[0].direction, "im2col");
    EXPECT_TRUE(r.out.starts_with("problem: conv_tensor_rearrange im2col f16 gnhwc: n1 c8 k1 in4\n"
                                  "found " +
                                  std::to_string(r.results.size()) + " instances\nPerf: "))
        << r.out;
    EXPECT_NE(r.out.find("\nBest configuration parameters:\nname: "), std::string::npos) << r.out;
}

TEST(Rearrange, every_time_is_of_one_launch_and_rates_are_worked_out_of_it)
{
    test::StandInClock clock(4); // two readings are a time
    const Ran r = run("0 0 0 1 0 1 1 1 1 1 1 8 1 4 1 1 0 0");
    ASSERT_FALSE(r.results.empty()) << r.out;
    EXPECT_EQ(r.results[0].direction, "col2im");
    EXPECT_EQ(r.results[0].ms, 4);
    EXPECT_EQ(r.results[0].bytes, 4. * (4 * 8 + 4 * 8));
    EXPECT_NE(r.out.find("Perf:          4 ms, 0 TFlops, 6.4e-05 GB/s, "), std::string::npos)
        << r.out;
}

TEST(Rearrange, only_instances_that_the_filter_names_run)
{
    Command command;
    command.options.time = false;
    const std::string line("0 0 1 1 0 0 0 1 1 1 1 8 1 4 1 1 0 0");
    const Ran all = run(line, command);
    ASSERT_GE(all.results.size(), 2u) << all.out;
    for(const Result& one : all.results)
    {
        command.options.instances =
            std::regex_replace(one.instance, std::regex("[^A-Za-z0-9_ ,]"), "[$&]") + "$";
        const Ran r = run(line, command);
        ASSERT_EQ(r.results.size(), 1u) << command.options.instances << r.out;
        EXPECT_EQ(r.results[0].instance, one.instance);
    }
    command.options.instances = "there is none";
    const Ran none            = run(line, command);
    EXPECT_EQ(none.status, 1);
    EXPECT_NE(none.out.find("FAILED: no instance has computed this problem; --why"), none.out.npos);
}

TEST(Rearrange, printed_results_are_what_is_moved)
{
    // Filters of 2 over an image of 3 numbers and a pad on the left: rows {0, a}, {a, b}, {b, c}.
    const NumberType& f32 = number_type("f32");
    const Block image(Fill::integer, 0, 3, f32);
    const auto text = [&](std::size_t i) { return std::to_string(std::lround(image[i])); };
    const Ran r     = run("0 0 0 1 1 0 0 1 1 1 1 1 2 3 1 1 1 0");
    EXPECT_NE(r.out.find("result: {0, " + text(0) + ", " + text(0) + ", " + text(1) + ", " +
                         text(1) + ", " + text(2) + "}\n"),
              std::string::npos)
        << r.out;
    EXPECT_EQ(run("0 0 0 1 0 0 0 1 1 1 1 1 2 3 1 1 1 0").out.find("result: "), std::string::npos);
}

TEST(Rearrange, words_are_of_both_ways)
{
    Command command;
    command.problems = {"g2 n1 c8 k1 in4x4 f3x3 p1"};
    const Ran r      = run("", command);
    EXPECT_EQ(r.status, 0) << r.out;
    bool ways[2] = {};
    for(const Result& result : r.results)
    {
        ways[result.direction == "col2im" ? 1 : 0] = true;
        EXPECT_EQ(result.kind, "grouped");
    }
    EXPECT_TRUE(ways[0] && ways[1]) << r.out;
}

TEST(Rearrange, share_of_the_matrix_that_is_no_padding)
{
    EXPECT_EQ(inside_share(problem_from_text("c1 k1 in4x3 f3x1")), 1);
    // Of 4 x 3 rows that filters meet, the first and the last are padding,
    EXPECT_DOUBLE_EQ(inside_share(problem_from_text("c1 k1 in4x3 f3x1 p1x0")), 10. / 12);
    // and of 7 columns four.
    EXPECT_DOUBLE_EQ(inside_share(problem_from_text("c1 k1 in4x3 f3x1 p1x2")), 10. / 12 * 3 / 7);
}

TEST(Rearrange, refusals_name_position_value_and_rule)
{
    EXPECT_EQ(test::refusal_of([] { run(""); }),
              "a problem of conv_tensor_rearrange must be given by one of: numbers after the "
              "operation, --problem and --problems");
    Command command;
    command.problems = {"c8 k1 in4"};
    command.type     = "f8";
    EXPECT_EQ(test::refusal_of([&] { run("", command); }),
              "the type is 'f8', but conv_tensor_rearrange takes one of f32, f16, bf16, i8");
    EXPECT_NE(test::refusal_of([] {
                  run("0 0 1 1 0 1 2 1 1 1 1 8 1 4 1 1 0 0");
              }).find("number 7 after conv_tensor_rearrange (operation) is '2', but must be "),
              std::string::npos);
}

} // namespace
} // namespace ck::profiler
