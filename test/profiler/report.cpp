// Lines, files and summaries of results that are given.
//
// Labels: compiled alone
#include "report.hpp"

#include <gtest/gtest.h>

#include "summary.hpp"
#include "writers.hpp"
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <unistd.h>

namespace ck::profiler {
namespace {

Result some_result()
{
    Result r;
    r.problem   = "layer, \"one\"";
    r.text      = "n1 c2 k3 in4";
    r.operation = "grouped_conv_fwd";
    r.direction = "forward";
    r.type      = "f16";
    r.layout    = "nhwgc";
    r.kind      = "1x1";
    r.instance  = "Device<1, 2>";
    r.ms = 2, r.ms_low = 1.5, r.ms_high = 2.5;
    r.flops = 8e9, r.bytes = 6e6;
    r.workspace = 128;
    return r;
}

struct File
{
    explicit File(const char* ending)
        : name((std::filesystem::path(testing::TempDir()) /
                ("ck_report_" + std::to_string(getpid()) + ending))
                   .string())
    {}
    ~File() { std::filesystem::remove(name); }
    std::string text() const
    {
        std::ifstream in(name);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::string name;
};

TEST(Report, lines_of_a_result)
{
    std::ostringstream out;
    Report report({}, out);
    Result r = some_result();
    report.add(r);
    EXPECT_EQ(out.str(),
              "Perf:          2 ms, 4 TFlops, 3 GB/s, Device<1, 2>, emulated on the CPU\n"
              "    from 1.5 to 2.5 ms, workspace 128 bytes\n");
    out.str("");
    r.split_k  = 8;
    r.roofline = .456;
    r.error = .25, r.bound = .5;
    r.predicted = 1000.6;
    report.add(r);
    EXPECT_EQ(out.str(),
              "Perf:          2 ms, 4 TFlops, 3 GB/s, Device<1, 2>, SplitK 8, emulated on the CPU\n"
              "    from 1.5 to 2.5 ms, 46 % of the "
              "roofline, workspace 128 bytes, greatest error 0.25 of at most 0.5, predicted 1001 "
              "cycles\n");
    out.str("");
    r    = some_result();
    r.ms = r.ms_low = r.ms_high = 0;
    report.add(r);
    EXPECT_EQ(out.str(),
              "Perf: not timed, Device<1, 2>, emulated on the CPU\n"
              "    workspace 128 bytes\n");
    ASSERT_EQ(report.results().size(), 3u);
    EXPECT_EQ(report.results()[1].split_k, 8);
}

TEST(Report, errors_are_told_in_units_and_beside_their_bounds)
{
    const auto told = [](double error, double bound, double unit) {
        std::ostringstream out;
        Report report({}, out);
        Result r = some_result();
        r.error = error, r.bound = bound, r.unit = unit;
        report.add(r);
        const std::string text = out.str(), before = "workspace 128 bytes, greatest error ";
        return text.substr(text.find(before) + before.size());
    };
    EXPECT_EQ(
        told(.25, .5, .0625),
        "0.25 (4.00 units in the last place) of at most 0.5 (8.00 units in the last place)\n");
    EXPECT_EQ(told(.25, .25, .125),
              "0.25 (2.00 units in the last place), equal to the rounded bound\n");
    EXPECT_EQ(told(0, 0, 0), "0\n");
    EXPECT_EQ(told(0, .5, 0), "0 of at most 0.5\n");
}

TEST(Report, lines_of_the_best)
{
    std::ostringstream out;
    Report report({}, out);
    Result r = some_result();
    report.best(&r);
    EXPECT_TRUE(r.best);
    EXPECT_EQ(
        out.str(),
        "Best configuration parameters:\nname: Device<1, 2>\navg_time: 2\ntflops: 4\nGB/s: 3\n");
    out.str("");
    r.split_k = 2;
    r.rival   = {"other", "its way", 3, 1.5, 1.25, 1.75};
    report.best(&r);
    EXPECT_EQ(out.str(),
              "Best configuration parameters:\nname: Device<1, 2>\navg_time: 2\ntflops: 4\nGB/s: "
              "3, SplitK 2\nrival: "
              "other, its way: 3 ms, 1.5 times as long as ours (1.25 to 1.75)\n");
    out.str("");
    report.best(nullptr);
    EXPECT_EQ(out.str(), "Best configuration parameters: none\n");
    out.str("");
    r    = some_result();
    r.ms = 0;
    report.best(&r);
    EXPECT_FALSE(r.best);
    EXPECT_EQ(out.str(), "Best configuration parameters: unknown, nothing was timed\n");
    EXPECT_EQ(report.status(), 0);
}

TEST(Report, refusals_and_failures)
{
    std::ostringstream out;
    Options options;
    Report quiet(options, out);
    quiet.refuse({"problem", "Device<1>", "why not"});
    EXPECT_EQ(out.str(), "Device<1> does not support this problem\n");
    EXPECT_EQ(quiet.status(), 0);
    out.str("");
    options.why = true;
    Report told(options, out);
    told.refuse({"problem", "Device<1>", "why not"});
    EXPECT_EQ(out.str(), "Device<1> does not support this problem\n    why not\n");
    ASSERT_EQ(told.refusals().size(), 1u);
    EXPECT_EQ(told.refusals()[0].problem, "problem");
    out.str("");
    told.fail("Device<1>", "it is wrong");
    EXPECT_EQ(out.str(), "Fail info: Device<1>\n    FAILED: it is wrong\n");
    EXPECT_EQ(told.status(), 1);
}

TEST(Report, json_has_each_figure_under_its_name)
{
    Result r      = some_result();
    r.split_k     = 4;
    r.roofline    = .5;
    r.peak_tflops = 100, r.peak_gbytes = 1000;
    r.error = .125, r.bound = .25;
    r.best      = true;
    r.rule      = true;
    r.rule_loss = .75;
    r.rival     = {"other", "its way", 3, 1.5, 1.25, 1.75};
    const File file(".json");
    write_json(file.name, {r, Result{}}, {{"a problem", "Device<7>", "why not"}});
    const auto all      = nlohmann::json::parse(file.text());
    const auto expected = nlohmann::json::parse(
        R"({"problem": "layer, \"one\"", "text": "n1 c2 k3 in4", "operation": "grouped_conv_fwd",
            "direction": "forward", "type": "f16", "layout": "nhwgc", "kind": "1x1", "instance": "Device<1, 2>",
            "split_k": 4, "ms": 2.0, "ms_low": 1.5, "ms_high": 2.5, "tflops": 4.0, "gbytes": 3.0, "roofline": 0.5,
            "peak_tflops": 100.0, "peak_gbytes": 1000.0, "workspace": 128, "error": 0.125, "bound": 0.25,
            "best": true, "rule": true, "rule_loss": 0.75, "rival": {"name": "other", "way": "its way", "ms": 3.0,
            "ratio": 1.5, "ratio_low": 1.25, "ratio_high": 1.75}})");
    EXPECT_EQ(all.at("results")[0], expected);
    EXPECT_TRUE(all.at("library").get<std::string>().starts_with("ck-conv ")) << all.at("library");
    EXPECT_TRUE(file.text().starts_with("{\n \"device\": ")) << file.text();
    Result fast = some_result();
    fast.ms     = .25;
    write_json(file.name, {fast}, {});
    EXPECT_EQ(nlohmann::json::parse(file.text()).at("results")[0].at("ms"), .25);
    const auto& empty = all.at("results")[1];
    for(const char* unknown : {"split_k",
                               "ms",
                               "ms_low",
                               "ms_high",
                               "tflops",
                               "gbytes",
                               "roofline",
                               "peak_tflops",
                               "peak_gbytes",
                               "error",
                               "bound",
                               "rule_loss",
                               "rival"})
        EXPECT_TRUE(empty.at(unknown).is_null()) << unknown;
    EXPECT_EQ(empty.at("best"), false);
    EXPECT_EQ(all.at("refused"),
              nlohmann::json::parse(
                  R"([{"problem": "a problem", "instance": "Device<7>", "why": "why not"}])"));
}

TEST(Report, csv_has_a_column_for_each_figure)
{
    Result r  = some_result();
    r.split_k = 4;
    r.error = .125, r.bound = .25;
    Result with_rival = r;
    with_rival.rival  = {"other", "way", 3, 1.5, 1.25, 1.75};
    const File file(".csv");
    write_csv(file.name, {r, with_rival});
    EXPECT_EQ(file.text(),
              "problem,text,operation,direction,type,layout,kind,instance,split_k,ms,ms_low,ms_"
              "high,tflops,gbytes,"
              "roofline,peak_tflops,peak_gbytes,workspace,error,bound,best,rule,rule_loss,rival_"
              "name,rival_way,rival_ms,"
              "rival_ratio,rival_ratio_low,rival_ratio_high\n"
              "\"layer, \"\"one\"\"\",n1 c2 k3 "
              "in4,grouped_conv_fwd,forward,f16,nhwgc,1x1,\"Device<1, 2>\",4,2.0,1.5,2.5,"
              "4.0,3.0,,,,128,0.125,0.25,false,false,,,,,,,\n"
              "\"layer, \"\"one\"\"\",n1 c2 k3 "
              "in4,grouped_conv_fwd,forward,f16,nhwgc,1x1,\"Device<1, 2>\",4,2.0,1.5,2.5,"
              "4.0,3.0,,,,128,0.125,0.25,false,false,,other,way,3.0,1.5,1.25,1.75\n");
}

TEST(Report, the_end_writes_what_the_options_name)
{
    const File json(".json"), csv(".csv");
    Options options;
    options.json = json.name, options.csv = csv.name;
    std::ostringstream out;
    Report report(options, out);
    Result r = some_result();
    r.rule = true, r.rule_loss = 0;
    report.add(r);
    r.problem = "two";
    report.add(r);
    out.str("");
    report.finish();
    EXPECT_NE(out.str().find("  all           grouped_conv_fwd                  2 problems"),
              std::string::npos)
        << out.str();
    EXPECT_EQ(nlohmann::json::parse(json.text()).at("results").size(), 2u);
    EXPECT_NE(csv.text().find("Device<1, 2>"), std::string::npos);
}

TEST(Summary, means_are_geometric_and_by_kind)
{
    std::deque<Result> results;
    const auto add =
        [&](const char* problem, const char* kind, bool rule, double loss, double ratio) {
            Result r  = some_result();
            r.problem = problem, r.kind = kind, r.rule = rule, r.rule_loss = loss;
            if(ratio > 0)
                r.rival = {"other", "way", 1, ratio, ratio, ratio};
            results.push_back(r);
        };
    add("one", "1x1", true, 0, 2);
    std::ostringstream alone;
    print_summary(results, alone);
    EXPECT_EQ(alone.str(), "") << "one problem has no mean";
    add("two", "1x1", true, 3, 8);
    add("two", "1x1", false, 9, 0); // not chosen by the rule
    add("three", "3x3", true, .25, 0);
    add("four", "3x3", true, none, none);
    std::ostringstream out;
    print_summary(results, out);
    EXPECT_EQ(
        out.str(),
        "\nTime of the predicted choice divided by the fastest instance's, geometric means\n"
        "  1x1           grouped_conv_fwd                  2 problems  mean 2.00  least 1.00\n"
        "  3x3           grouped_conv_fwd                  1 problems  mean 1.25  least 1.25\n"
        "  all           grouped_conv_fwd                  3 problems  mean 1.71  least 1.00\n"
        "\nTime of the rival divided by ours, geometric means\n"
        "  1x1           grouped_conv_fwd                  2 problems  mean 4.00  least 2.00\n"
        "  all           grouped_conv_fwd                  2 problems  mean 4.00  least 2.00\n");
}

} // namespace
} // namespace ck::profiler
