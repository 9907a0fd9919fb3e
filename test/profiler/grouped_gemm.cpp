#include "grouped_gemm.hpp"

#include <gtest/gtest.h>

#include "profiler/refusal.hpp"
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

Ran run(const std::string& numbers, Options options = {})
{
    Command command;
    command.operation = "grouped_gemm";
    command.options   = options;
    std::istringstream in(numbers);
    for(std::string word; in >> word;)
        command.positions.push_back(word);
    std::ostringstream out;
    Report report(options, out);
    run_grouped_gemm(command, report);
    return {report.status(), out.str(), {report.results().begin(), report.results().end()}};
}

std::string refusal(const std::string& numbers)
{
    return test::refusal_of([&] { run(numbers); });
}

TEST(GroupedGemm, every_type_and_layout)
{
    for(const char* type_and_layout :
        {"0 0", "0 1", "1 0", "1 1", "1 2", "1 3", "2 0", "2 1", "3 0", "3 1"})
    {
        // The second one's rows have space between them.
        const Ran r =
            run(std::string(type_and_layout) + " 1 1 0 0 16,24 32,16 16,48 0,56 0,64 -1,24 1");
        EXPECT_EQ(r.status, 0) << type_and_layout << r.out;
        EXPECT_GE(r.results.size(), 1u) << type_and_layout << r.out;
        for(const Result& result : r.results)
            EXPECT_LE(result.error, result.bound) << result.instance;
    }
}

TEST(GroupedGemm, sizes_that_no_wide_load_takes)
{
    Options options;
    options.why = true;
    const Ran r = run("1 1 1 2 0 1 7 5 3 0 0 0", options);
    EXPECT_EQ(r.status, 0) << r.out;
    EXPECT_EQ(r.results.size(), 1u) << r.out;
    EXPECT_NE(r.out.find("does not support this problem\n    GEMM 0: "), std::string::npos)
        << r.out;
    EXPECT_NE(r.out.find("Perf: "), std::string::npos) << r.out;
}

TEST(GroupedGemm, operations_and_bytes)
{
    const Ran r = run("1 1 0 1 0 0 8,16 8,8 16,8 0,0 0,0 0,0");
    ASSERT_FALSE(r.results.empty());
    EXPECT_EQ(r.results[0].flops, 2. * (8 * 8 * 16 + 16 * 8 * 8));
    EXPECT_EQ(r.results[0].bytes, 2. * (8 * 16 + 16 * 8 + 8 * 8 + 16 * 8 + 8 * 8 + 16 * 8));
    EXPECT_EQ(r.results[0].problem, "m8n8k16 m16n8k8");
}

TEST(GroupedGemm, refusals_name_position_value_and_rule)
{
    EXPECT_EQ(refusal("1 1 1 1 0 1 16,x 16 16 0 0 0"),
              "number 7 after grouped_gemm (Ms) is '16,x', but must be whole numbers from 1 to "
              "2147483647 with commas between them");
    EXPECT_EQ(refusal("1 1 1 1 0 1 16, 16 16 0 0 0"),
              "number 7 after grouped_gemm (Ms) is '16,', but must be whole numbers from 1 to "
              "2147483647 with commas between them");
    EXPECT_EQ(refusal("1 1 1 1 0 1 16,16 16 16 0 0 0"),
              "number 8 after grouped_gemm (Ns) has 1 numbers, but there are 2 Ms");
    EXPECT_EQ(refusal("1 1 1 1 0 1 16 16 16 8 0 0"),
              "the stride of A is 8, but must be at least 16, or 0 or -1 for that");
    EXPECT_EQ(refusal("1 1 1 1 0 1 16 16 16 0 0 0 2"),
              "number 13 after grouped_gemm (kbatch: the sums are not split) is '2', but must be a "
              "whole number from 1 to 1");
    EXPECT_EQ(refusal("1 1 1 1 0 1 16 16 16 0 0"),
              "there are 11 numbers after grouped_gemm, but number 12 must be the StrideCs");
    EXPECT_EQ(refusal(""), "grouped_gemm takes numbers by position, but there are none");
    EXPECT_THROW(run("0 2 1 1 0 1 16 16 16 0 0 0"), NotImplemented);
}

} // namespace
} // namespace ck::profiler
