#include "grouped_gemm.hpp"

#include <gtest/gtest.h>

#include "buffers.hpp"
#include "profiler/refusal.hpp"
#include "profiler/stand_in_clock.hpp"
#include <cmath>
#include <regex>
#include <sstream>
#include <string>
#include <utility>

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
    EXPECT_EQ(report.progress().done(), report.progress().expected());
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

TEST(GroupedGemm, other_layouts_are_not_implemented)
{
    for(const auto& [type_and_layout, words] : {std::pair("0 2", "f32 # km_kn_mn"),
                                                std::pair("0 3", "f32 # km_nk_mn"),
                                                std::pair("2 2", "bf16 # km_kn_mn"),
                                                std::pair("3 3", "i8 # km_nk_mn")})
        try
        {
            run(std::string(type_and_layout) + " 1 1 0 0 16 16 16 0 0 0 1");
            ADD_FAILURE() << words;
        }
        catch(const NotImplemented& e)
        {
            const std::string text = words;
            EXPECT_EQ(e.what(),
                      "grouped_gemm of " + text.substr(0, text.find(' ')) +
                          " has the layouts mk_kn_mn and mk_nk_mn, but this is " +
                          text.substr(text.rfind(' ') + 1));
        }
}

/// A third of these sums is beyond the range.
TEST(GroupedGemm, int8_keeps_the_low_bits_of_sums)
{
    const Ran r = run("3 0 1 1 0 0 16 16 4096 0 0 -1 1");
    EXPECT_EQ(r.status, 0) << r.out;
    EXPECT_GE(r.results.size(), 1u) << r.out;
    for(const Result& result : r.results)
        EXPECT_EQ(result.error, 0) << result.instance;
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

TEST(GroupedGemm, every_time_is_of_one_launch_and_rates_are_worked_out_of_it)
{
    test::StandInClock clock(2); // two readings are a time
    Options options;
    options.rounds = 3;
    const Ran r    = run("0 0 0 1 0 1 8 16 4 0 0 0", options);
    ASSERT_GE(r.results.size(), 2u) << r.out;
    for(const Result& result : r.results)
    {
        EXPECT_EQ(result.ms, 2);
        EXPECT_EQ(result.ms_low, 2);
        EXPECT_EQ(result.ms_high, 2);
        EXPECT_DOUBLE_EQ(result.tflops(), 2. * 8 * 16 * 4 / 2e-3 / 1e12);
        EXPECT_DOUBLE_EQ(result.gbytes(), 4. * (8 * 4 + 4 * 16 + 8 * 16) / 2e-3 / 1e9);
    }
    EXPECT_NE(r.out.find("Perf:          2 ms, 5.12e-07 TFlops, 0.000448 GB/s, "),
              std::string::npos)
        << r.out;
    EXPECT_TRUE(r.out.starts_with("problem: grouped_gemm f32 mk_kn_mn\n"
                                  "gemm[0]: M 8, N 16, K 4, strides {4, 16, 16}\n"))
        << r.out;
    EXPECT_TRUE(r.results[0].best) << "the first of those that take the same time";
    EXPECT_FALSE(r.results[1].best);
}

TEST(GroupedGemm, only_instances_that_the_filter_names_run)
{
    Options options;
    options.time  = false;
    const Ran all = run("0 0 1 1 0 0 16 16 16 0 0 0", options);
    ASSERT_GE(all.results.size(), 2u);
    for(const Result& one : all.results)
    {
        options.instances = std::regex_replace(one.instance, std::regex("[^A-Za-z0-9_ ,]"), "[$&]");
        const Ran r       = run("0 0 1 1 0 0 16 16 16 0 0 0", options);
        ASSERT_EQ(r.results.size(), 1u) << options.instances << r.out;
        EXPECT_EQ(r.results[0].instance, one.instance);
        EXPECT_NE(r.out.find("found " + std::to_string(all.results.size()) + " instances\n"),
                  std::string::npos);
    }
    options.instances = "there is none";
    const Ran none    = run("0 0 1 1 0 0 16 16 16 0 0 0", options);
    EXPECT_EQ(none.status, 1);
    EXPECT_NE(none.out.find("FAILED: no instance has computed this problem; --why"), none.out.npos);
}

TEST(GroupedGemm, printed_results_are_the_products)
{
    // A is M x K, rows of 3 numbers each 5 from the last; B is K x N; C's rows are 4 apart.
    const NumberType& f32 = number_type("f32");
    const Block a(Fill::integer, 0, 2 * 5, f32), b(Fill::integer, 1, 3 * 2, f32);
    std::string expected = "result of gemm[0]: {";
    for(std::size_t m = 0; m < 2; ++m)
        for(std::size_t n = 0; n < 2; ++n)
        {
            double sum = 0;
            for(std::size_t k = 0; k < 3; ++k)
                sum += a[m * 5 + k] * b[k * 2 + n];
            expected += (m + n > 0 ? ", " : "") + std::to_string(std::lround(sum));
        }
    for(const char* verify : {"1", "0"})
    {
        const Ran r = run("0 0 " + std::string(verify) + " 1 1 0 2 2 3 5 0 4");
        EXPECT_NE(r.out.find(expected + "}\n"), std::string::npos) << expected << r.out;
    }
    EXPECT_EQ(run("0 0 1 1 0 0 2 2 3 5 0 4").out.find("result of"), std::string::npos);
}

TEST(GroupedGemm, errors_are_known_only_where_results_were_compared)
{
    const Ran compared     = run("0 0 1 2 0 0 16 16 16 0 0 0"),
              not_compared = run("0 0 0 2 0 0 16 16 16 0 0 0");
    EXPECT_GT(compared.results.at(0).bound, 0);
    EXPECT_LE(compared.results.at(0).error, compared.results.at(0).bound);
    EXPECT_TRUE(std::isnan(not_compared.results.at(0).error));
    EXPECT_TRUE(std::isnan(not_compared.results.at(0).bound));
    EXPECT_EQ(compared.results.at(0).kind, "gemm");
    EXPECT_EQ(compared.results.at(0).type, "f32");
    EXPECT_EQ(compared.results.at(0).layout, "mk_kn_mn");
    EXPECT_EQ(compared.results.at(0).operation, "grouped_gemm");
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
