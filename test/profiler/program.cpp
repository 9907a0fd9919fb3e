// Labels: compiled alone
#include "program.hpp"

#include "ck/version.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace ck::profiler {
namespace {

struct Ended
{
    int status;
    std::string out, errors;
};

Ended run(const std::vector<std::string>& arguments)
{
    std::vector<const char*> argv{"ckProfiler"};
    for(const std::string& argument : arguments)
        argv.push_back(argument.c_str());
    std::ostringstream out, errors;
    const int status = run_program(static_cast<int>(argv.size()), argv.data(), out, errors);
    return {status, out.str(), errors.str()};
}

/// Passes each word as one argument.
Ended run(const std::string& line)
{
    std::istringstream in(line);
    std::vector<std::string> words;
    for(std::string word; in >> word;)
        words.push_back(word);
    return run(words);
}

/// The end of a line with a time: on the host no GPU took it.
const std::string emulated = ", emulated on the CPU";

bool has_line(const std::string& text, const std::string& pattern)
{
    const std::regex line(pattern);
    std::istringstream in(text);
    for(std::string each; std::getline(in, each);)
        if(std::regex_match(each, line))
            return true;
    return false;
}

int count(const std::string& text, const std::string& part)
{
    int n = 0;
    for(std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

std::string file_name(const std::string& name)
{
    return (std::filesystem::path(testing::TempDir()) /
            ("ck_profiler_" + std::to_string(getpid()) + name))
        .string();
}

std::string contents(const std::string& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Names one small instance, so that programs end soon.
const std::vector<std::string> one_instance{
    "grouped_conv_fwd", "--problem", "n1 c8 k8 in4x4 f3x3 p1", "--instances", "Xdl[^<]*<256, 64"};
std::vector<std::string> with(std::vector<std::string> all, const std::vector<std::string>& more)
{
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

const std::string number = R"([ ]*[0-9.e+-]+)";

TEST(Program, without_arguments_lists_operations)
{
    const Ended e = run("");
    EXPECT_EQ(e.status, 0);
    EXPECT_TRUE(has_line(e.out, "arg1: tensor operation \\{")) << e.out;
    for(const char* operation : {"conv_fwd",
                                 "conv_fwd_bias_relu",
                                 "conv_fwd_bias_relu_add",
                                 "conv_bwd_data",
                                 "grouped_conv_fwd",
                                 "grouped_conv_fwd_clamp",
                                 "grouped_conv_fwd_bias_clamp",
                                 "grouped_conv_fwd_outelementop",
                                 "grouped_conv_bwd_data",
                                 "grouped_conv_bwd_weight",
                                 "grouped_gemm",
                                 "conv_tensor_rearrange"})
        EXPECT_TRUE(has_line(e.out, "    " + std::string(operation) + ": .+")) << e.out;
}

TEST(Program, says_its_version)
{
    const Ended e = run("--version");
    EXPECT_EQ(e.status, 0);
    EXPECT_EQ(e.out, "ckProfiler " CK_VERSION " (" CK_COMMIT_ID ")\n");
    EXPECT_EQ(e.errors, "");
}

TEST(Program, help_says_which_order_is_the_default)
{
    EXPECT_NE(run("grouped_conv_bwd_data --help").out.find("(default: 2026)"), std::string::npos);
    EXPECT_EQ(run("grouped_conv_bwd_data --order 2025").status, 2);
    EXPECT_EQ(run("grouped_conv_bwd_data 2 1 1 1 0 1 2 1 1 8 8 1 1 4 4 2 2 1 1 0 0 0 0 --order "
                  "2024 --instances Xdl[^<]*<256,.64")
                  .status,
              0);
}

TEST(Program, options_may_stand_before_the_operation)
{
    const std::string older = "grouped_conv_bwd_data 2 1 1 1 0 1 2 1 1 8 8 1 1 4 4 2 2 1 1 0 0 0 0",
                      one   = " --instances Xdl[^<]*<256,.64";
    EXPECT_EQ(run("--order 2024 " + older + one).status, 0);
    EXPECT_EQ(run("--order=2024" + one + " " + older).status, 0);
    EXPECT_EQ(run(one + " " + older).status, 2); // without split_k: refused either way
    EXPECT_EQ(run(one + " " + older).errors, run(older + one).errors);
    const Ended e = run({"--no-verify",
                         "--problem",
                         "c8 k8 in4",
                         "grouped_conv_fwd",
                         "--problem",
                         "c8 k8 in5",
                         "--instances",
                         "Xdl[^<]*<256, 64"});
    EXPECT_EQ(e.status, 0) << e.errors;
    EXPECT_EQ(count(e.out, "Perf: "), 2) << e.out;
    EXPECT_EQ(count(e.out, "greatest error"), 0) << e.out;
    const Ended help = run("--help conv_fwd");
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out, run("conv_fwd --help").out);
}

TEST(Program, refuses_wrong_options_before_the_operation)
{
    const auto expect = [](const std::string& line, const std::string& words) {
        const Ended e = run(line);
        EXPECT_EQ(e.status, 2) << line;
        EXPECT_NE(e.errors.find(words), std::string::npos) << line << ": " << e.errors;
    };
    expect("--year 2024 conv_fwd 1 1", "--year");
    expect("--order 2023 conv_fwd 1 1", "2023");
    expect("--order", "--order");
    expect("--order 2024 no_such_operation 1", "cannot find operation: no_such_operation");
    expect("--order 2024 1 2", "cannot find operation: 1");
}

TEST(Program, clamps_run_and_are_verified)
{
    for(const char* operation : {"grouped_conv_fwd_clamp", "grouped_conv_fwd_bias_clamp"})
    {
        const Ended e =
            run(operation + std::string(" 1 1 0 1 1 0 1 2 1 1 8 8 1 1 4 4 1 1 1 1 0 0 0 0"));
        EXPECT_EQ(e.status, 0) << e.out << e.errors;
        EXPECT_TRUE(has_line(e.out, "Perf: .*DeviceGroupedConvFwdMultipleABD.*")) << e.out;
    }
}

TEST(Program, unknown_operation_names_the_nearest)
{
    const Ended e = run("grouped_conf_fwd 1 1");
    EXPECT_EQ(e.status, 2);
    EXPECT_EQ(e.out, "");
    EXPECT_EQ(e.errors,
              "cannot find operation: grouped_conf_fwd\nthe nearest is grouped_conv_fwd\n");
}

TEST(Program, nearest_is_the_operation_with_the_fewest_letters_to_change)
{
    const std::pair<const char*, const char*> names[]{
        {"conv_bwd_dat", "conv_bwd_data"},
        {"xconv_bwd_data", "conv_bwd_data"},
        {"cnov_fwd", "conv_fwd"},
        {"grouped_gem", "grouped_gemm"},
        {"grouped_conv_bwd_wieght", "grouped_conv_bwd_weight"},
        {"conv_fwd_bias_rel", "conv_fwd_bias_relu"},
        {"conv_fwd_bias_relu_ad", "conv_fwd_bias_relu_add"},
        {"tun", "tune"},
        {"rearrange", "tune"},
        // another operation's, if one kind of change counted twice, or the beginning less
        {"grpedonv_fwd", "grouped_conv_fwd"},
        {"oped_cv_fwde", "grouped_conv_fwd"},
        {"grouponv_fwd", "grouped_conv_fwd"},
        {"nvcd", "tune"},
        {"vconv_fwd_bias_relu__d", "conv_fwd_bias_relu_add"},
        {"grouped_conv_fwd_b_clamp", "grouped_conv_fwd_clamp"},
        {"conv_fwd_bias_reladd", "conv_fwd_bias_relu_add"},
        {"grouped_convb_fwd_clamp", "grouped_conv_fwd_clamp"}};
    for(const auto& [wrong, nearest] : names)
        EXPECT_EQ(run(std::string(wrong) + " 1").errors,
                  "cannot find operation: " + std::string(wrong) + "\nthe nearest is " + nearest +
                      "\n");
}

TEST(Program, the_rules_kernel_on_copies_is_measured_with_the_one_that_runs_on_them)
{
    const auto measured = [](const std::string& instances) {
        return run({"grouped_conv_fwd",
                    "--problem",
                    "n1 c8 k8 in8x8 f3x3 p1",
                    "--layout",
                    "ngchw",
                    "--instances",
                    instances});
    };
    const std::string any = measured("<256, 64, 64").out;
    std::smatch tile; // of the predicted choice, whichever that is
    const std::regex rule("predicted choice: .*ChannelsLast<\\w+(<[0-9]+, [0-9]+, [0-9]+)");
    ASSERT_TRUE(std::regex_search(any, tile, rule)) << any;
    const Ended e = measured(tile[1]);
    EXPECT_EQ(e.status, 0) << e.out << e.errors;
    EXPECT_TRUE(has_line(e.out, "Perf: .*ChannelsLast<.*")) << e.out;
    EXPECT_TRUE(
        has_line(e.out, "predicted choice: .*ChannelsLast<.*, [0-9.]+ % slower than the fastest"))
        << e.out;
}

TEST(Program, lines_are_composable_kernels)
{
    const Ended e = run("grouped_conv_fwd 1 1 0 1 1 0 1 2 2 1 8 8 3 3 4 5 1 1 1 1 1 1 1 1");
    EXPECT_EQ(e.status, 0) << e.errors;
    EXPECT_TRUE(has_line(
        e.out, R"(input: dim 5, lengths \{2, 1, 8, 4, 5\}, strides \{8, 320, 1, 80, 16\})"))
        << e.out;
    EXPECT_TRUE(has_line(
        e.out, R"(weight: dim 5, lengths \{2, 8, 8, 3, 3\}, strides \{576, 72, 1, 24, 8\})"));
    EXPECT_TRUE(has_line(
        e.out, R"(output: dim 5, lengths \{2, 1, 8, 4, 5\}, strides \{8, 320, 1, 80, 16\})"));
    EXPECT_TRUE(has_line(e.out, "ckProfiler found [0-9]+ instances"));
    EXPECT_TRUE(has_line(e.out,
                         "Perf: +" + number + " ms, " + number + " TFlops, " + number +
                             " GB/s, DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<.*>.*"));
    EXPECT_TRUE(std::regex_search(
        e.out,
        std::regex("Best configuration parameters:\nname: Device.*\navg_time: " + number +
                   "\ntflops: " + number + "\nGB/s: " + number + "\n")));
}

TEST(Program, backward_data_names_tensors_otherwise)
{
    const Ended e = run("grouped_conv_bwd_data 2 1 1 1 0 1 2 1 1 8 8 1 1 4 4 2 2 1 1 0 0 0 0 1 "
                        "--instances Xdl[^<]*<256,.64");
    EXPECT_EQ(e.status, 0) << e.out;
    const std::size_t out = e.out.find("\nout: dim"), wei = e.out.find("\nwei: dim"),
                      in = e.out.find("\nin: dim");
    EXPECT_TRUE(out < wei && wei < in && in != e.out.npos) << e.out;
}

TEST(Program, backward_weight_tries_every_split_k)
{
    const Ended e = run("grouped_conv_bwd_weight 1 2 1 1 0 1 2 1 1 8 8 1 1 4 4 1 1 1 1 0 0 0 0 all "
                        "--instances Xdl[^<]*<256,.64,.64");
    EXPECT_EQ(e.status, 0) << e.out;
    EXPECT_TRUE(has_line(e.out, "found [0-9]+ instances"));
    for(int parts = 1; parts <= 128; parts *= 2)
        EXPECT_TRUE(has_line(e.out, "Perf: .*Device.*, SplitK " + std::to_string(parts) + emulated))
            << parts;
    EXPECT_TRUE(has_line(e.out, "GB/s: " + number + ", SplitK " + number));
}

TEST(Program, every_operation_runs)
{
    for(const char* line :
        {"conv_fwd 1 1 1 1 0 1 2 1 1 8 8 1 1 4 4 1 1 1 1 0 0 0 0 --instances Xdl[^<]*<256,.64",
         "conv_bwd_data 1 1 1 1 0 1 2 1 1 8 8 1 1 4 4 1 1 1 1 0 0 0 0 --instances Xdl[^<]*<256,.64",
         "conv_fwd_bias_relu 1 1 1 1 1 1 0 1 1 8 8 1 1 4 4 1 1 1 1 0 0 0 0",
         "conv_fwd_bias_relu_add 1 1 1 1 1 2 0 1 1 8 8 1 1 4 4 1 1 1 1 0 0 0 0",
         "grouped_conv_fwd_outelementop 0 0 1 1 1 0 1 3 1 1 8 8 1 1 1 2 4 4 1 1 1 1 1 1 0 0 0 0 0 "
         "0",
         "grouped_conv_fwd_outelementop 0 1 1 1 2 0 1 3 1 1 8 8 1 1 1 2 4 4 1 1 1 1 1 1 0 0 0 0 0 "
         "0"})
    {
        const Ended e = run(line);
        EXPECT_EQ(e.status, 0) << line << "\n" << e.out << e.errors;
        EXPECT_GE(count(e.out, "Perf: "), 1) << line;
    }
}

TEST(Program, layouts_of_the_same_problem)
{
    for(const char* layout : {"gnhwc", "nhwgc", "ngchw", "nchw"})
    {
        const Ended e = run({"grouped_conv_fwd",
                             "--problem",
                             "g2 n2 c4 k4 in4x5 f3x2 p1",
                             "--layout",
                             layout,
                             "--instances",
                             "64, 64, .*1, 1, 1, single"});
        EXPECT_EQ(e.status, 0) << layout << e.out;
        EXPECT_GE(count(e.out, "Perf: "), 1) << layout << e.out;
    }
}

TEST(Program, double_of_every_direction)
{
    for(const char* operation :
        {"grouped_conv_fwd", "grouped_conv_bwd_data", "grouped_conv_bwd_weight"})
        for(const char* numbers : {"integer", "normal"})
        {
            const Ended e = run(with({operation, "--problem", "n2 c8 k8 in5x5 f3x3 p1"},
                                     {"--type", "f64", "--init", numbers}));
            EXPECT_EQ(e.status, 0) << operation << e.out << e.errors;
            EXPECT_GE(count(e.out, "Perf: "), 1) << operation;
        }
}

/// For all types: each line with a time, the first number of a program's output that is read as a
/// GPU's, and no error that equals its bound as if it were cut off there.
TEST(Program, says_that_times_are_emulated_and_how_large_errors_are)
{
    const std::regex cut("greatest error ([^ ,]+) (\\([^)]*\\) )?of at most \\1[ ,\n]");
    for(const char* type : {"0", "1", "2"}) // f32, f16, bf16
        for(const char* initialisation : {"1", "2"})
        {
            const Ended e =
                run(std::string("grouped_conv_fwd ") + type + " 1 0 1 " + initialisation +
                    " 0 1 2 1 1 8 8 3 3 4 4 1 1 1 1 1 1 1 1 --instances Xdl[^<]*<256,.64");
            ASSERT_EQ(e.status, 0) << e.errors;
            EXPECT_GE(count(e.out, "Perf: "), 1) << e.out;
            EXPECT_EQ(count(e.out, "Perf: "), count(e.out, emulated + '\n')) << e.out;
            EXPECT_FALSE(std::regex_search(e.out, cut)) << e.out;
            EXPECT_EQ(count(e.out, "greatest error "), count(e.out, "Perf: "));
            if(*initialisation == '2')
            {
                EXPECT_TRUE(has_line(e.out,
                                     "    .*greatest error [0-9.e-]+ \\([0-9]+\\.[0-9]{2} units in "
                                     "the last place\\).*"))
                    << e.out;
            }
        }
}

TEST(Program, without_time_says_so)
{
    const Ended e = run(with(one_instance, {"--no-time"}));
    EXPECT_EQ(e.status, 0);
    EXPECT_TRUE(has_line(e.out, "Perf: not timed, Device.*")) << e.out;
    EXPECT_TRUE(has_line(e.out, "Best configuration parameters: unknown, nothing was timed"))
        << e.out;
}

TEST(Program, why)
{
    // The first row of the table reads eight channels at a time.
    const std::vector<std::string> odd{
        "grouped_conv_fwd", "--problem", "n1 c5 k5 in4x4", "--instances", "Xdl"};
    const Ended quiet = run(odd), told = run(with(odd, {"--why"}));
    EXPECT_TRUE(has_line(quiet.out, "Device.*>.* does not support this problem")) << quiet.out;
    EXPECT_EQ(count(quiet.out, "must be"), 0) << quiet.out;
    EXPECT_TRUE(std::regex_search(
        told.out, std::regex("Device.*>.* does not support this problem\n    .*C is 5, .*\n")))
        << told.out;
}

TEST(Program, nothing_that_ran_is_a_failure)
{
    const Ended e = run(
        {"grouped_conv_fwd", "--problem", "n1 c5 k5 in4x4", "--instances", "Xdl[^<]*<256, 256"});
    EXPECT_EQ(e.status, 1);
    EXPECT_TRUE(has_line(e.out, "    FAILED: no instance has computed this problem; .*")) << e.out;
}

TEST(Program, not_implemented)
{
    const Ended e = run("conv_fwd 1 0 1 1 0 1 2 1 1 8 8 1 1 4 4 1 1 1 1 0 0 0 0");
    EXPECT_EQ(e.status, 1);
    EXPECT_EQ(e.out, "this data_type & layout is not implemented\n");
}

TEST(Program, wrong_arguments_say_which_and_why)
{
    const auto expect = [](const std::vector<std::string>& arguments, const std::string& sentence) {
        const Ended e = run(arguments);
        EXPECT_EQ(e.status, 2) << sentence;
        EXPECT_EQ(e.errors, "ckProfiler: " + sentence + "\n");
    };
    expect({"grouped_conv_fwd"},
           "a problem is given by nothing, but must be by one of: numbers after the operation, "
           "--problem and --problems, --miopen");
    expect({"grouped_conv_fwd", "--problem", "c1 k1 in1", "--miopen", "conv"},
           "a problem is given by several, but must be by one of: numbers after the operation, "
           "--problem and --problems, --miopen");
    expect(with(one_instance, {"--type", "f17"}),
           "the type is 'f17', but grouped_conv_fwd takes one of f32, f16, bf16, i8, f8, bf8, "
           "f8_bf8, bf8_f8, tf32, f16_as_f8, f64, f8_ocp, bf8_ocp, f8_bf8_ocp, bf8_f8_ocp");
    expect(with(one_instance, {"--split-k", "-2"}),
           "--split-k is '-2', but must be a number of parts, -1 (automatic) or all (1 to 128)");
    expect(with(one_instance, {"--elementwise", "scale"}),
           "--elementwise is 'scale', but grouped_conv_fwd has none");
    expect({"conv_fwd", "--problem", "g2 c8 k8 in4x4"},
           "the problem 'g2 n1 c8 k8 in4x4' has 2 groups, but conv_fwd has one; see "
           "grouped_conv_*");
    expect(with(one_instance, {"--filter", "a"}),
           "--filter is 'a', but chooses from the file of --problems, which is not there");
    expect(
        {"grouped_conv_fwd", "--problem", "c1 k1 in1", "--instances", "("},
        "--instances is '(', which is not a regular expression: at character 2: ( is not closed");
    expect(with(one_instance, {"--rival", "other"}),
           "--rival is 'other', but this program was built without any");
    expect({"--problem", "c1 k1 in1"}, "there is a problem, but no operation before it");
    expect({"grouped_conv_fwd", "--miopen", "conv -F 2"},
           "--miopen asks for no grouped_conv_fwd: see its -F");
    const std::string times = file_name(".times");
    expect({"--miopen", "conv -F 3 -c 4 -k 4", "--times", times},
           "--times is of one direction, but there are 2");
    std::filesystem::remove(times);
    EXPECT_EQ(run(with(one_instance, {"--unknown"})).status, 2);
    EXPECT_EQ(run(with(one_instance, {"--rounds", "0"})).status, 2);
    EXPECT_EQ(run(with(one_instance, {"--init", "ones"})).status, 2);
}

TEST(Program, miopen)
{
    const Ended e = run({"--miopen",
                         "./bin/MIOpenDriver convfp16 -n 1 -c 8 -H 4 -W 4 -k 8 -y 1 -x 1 -p 0 -q 0 "
                         "-u 1 -v 1 -l 1 -j 1 -m conv -g 1 -F 0 -t 1 --in_layout NHWC --fil_layout "
                         "NHWC --out_layout NHWC",
                         "--instances",
                         "Xdl[^<]*<256, 64"});
    EXPECT_EQ(e.status, 0) << e.errors;
    EXPECT_EQ(count(e.out, "Best configuration"), 3) << e.out;
}

TEST(Program, an_empty_result_moves_nothing)
{
    const std::string json = file_name(".json");
    const Ended e          = run({"grouped_conv_fwd",
                                  "--problem",
                                  "n1 c8 k8 in3x3 f5x5",
                                  "--instances",
                                  "Xdl[^<]*<256, 64",
                                  "--json",
                                  json});
    EXPECT_EQ(e.status, 0) << e.out << e.errors;
    const auto results = nlohmann::json::parse(contents(json)).at("results");
    ASSERT_GE(results.size(), 1u);
    for(const auto& r : results)
    {
        EXPECT_EQ(r.at("gbytes").get<double>(), 0);
        EXPECT_EQ(r.at("tflops").get<double>(), 0);
    }
}

TEST(Program, files)
{
    const std::string json = file_name(".json"), csv = file_name(".csv");
    const Ended e = run({"grouped_conv_fwd",
                         "--problem",
                         "n1 c8 k8 in4x4",
                         "--problem",
                         "n1 c5 k5 in4x4",
                         "--instances",
                         "Xdl",
                         "--json",
                         json,
                         "--csv",
                         csv});
    EXPECT_EQ(e.status, 0) << e.out << e.errors;
    const auto all = nlohmann::json::parse(contents(json));
    EXPECT_TRUE(all.at("device").is_string());
    EXPECT_TRUE(std::regex_match(all.at("date").get<std::string>(),
                                 std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")));
    ASSERT_GE(all.at("results").size(), 3u);
    int best = 0, rule = 0;
    std::map<std::string, double> least; // ms of the fastest of a problem
    for(const auto& r : all["results"])
    {
        double& ms = least.emplace(r.at("problem"), r.at("ms")).first->second;
        ms         = std::min(ms, r.at("ms").get<double>());
    }
    for(const auto& r : all["results"])
    {
        const double ms = r.at("ms"), fastest = least.at(r.at("problem"));
        EXPECT_EQ(r.at("best").get<bool>(), ms == fastest);
        EXPECT_EQ(r.at("rule").get<bool>(), !r.at("rule_loss").is_null());
        if(r.at("rule").get<bool>())
        {
            EXPECT_NEAR(r.at("rule_loss").get<double>(), ms / fastest - 1, 1e-9);
        }
        EXPECT_EQ(r.at("operation"), "grouped_conv_fwd");
        EXPECT_EQ(r.at("direction"), "forward");
        EXPECT_EQ(r.at("type"), "f16");
        EXPECT_EQ(r.at("layout"), "nhwgc");
        EXPECT_EQ(r.at("problem"), r.at("text"));
        EXPECT_GT(r.at("ms").get<double>(), 0);
        EXPECT_LE(r.at("ms_low").get<double>(), r.at("ms").get<double>());
        EXPECT_GE(r.at("ms_high").get<double>(), r.at("ms").get<double>());
        EXPECT_LE(r.at("error").get<double>(), r.at("bound").get<double>());
        for(const char* of_roofline : {"roofline", "peak_tflops", "peak_gbytes"})
            EXPECT_TRUE(r.at(of_roofline).is_null()) << of_roofline; // the CPU has none
        EXPECT_TRUE(r.at("rival").is_null());
        EXPECT_TRUE(r.at("split_k").is_null());
        best += r.at("best").get<bool>() ? 1 : 0;
        rule += r.at("rule").get<bool>() ? 1 : 0;
    }
    EXPECT_EQ(best, 2);
    EXPECT_LE(rule, 2);
    ASSERT_GE(all.at("refused").size(), 1u);
    EXPECT_EQ(all["refused"][0].at("problem"), "n1 c5 k5 in4x4");
    EXPECT_FALSE(all["refused"][0].at("why").get<std::string>().empty());

    std::istringstream lines(contents(csv));
    std::string line;
    std::vector<std::size_t> fields;
    while(std::getline(lines, line))
    {
        // Names of instances have commas, and are quoted for them.
        const std::string bare = std::regex_replace(line, std::regex("\"[^\"]*\""), "");
        fields.push_back(static_cast<std::size_t>(count(bare, ",")));
    }
    ASSERT_EQ(fields.size(), all["results"].size() + 1);
    for(const std::size_t n : fields)
        EXPECT_EQ(n, fields[0]);
    std::filesystem::remove(json);
    std::filesystem::remove(csv);
}

TEST(Program, a_full_disk_is_an_error)
{
    for(const char* option : {"--json", "--csv"})
    {
        const Ended e = run(with(one_instance, {option, "/dev/full"}));
        EXPECT_EQ(e.status, 1);
        EXPECT_EQ(e.errors, "ckProfiler: cannot write /dev/full\n");
    }
    const Ended e = run(with(one_instance, {"--json", "/no/such/folder/file.json"}));
    EXPECT_EQ(e.status, 1);
    EXPECT_EQ(e.errors, "ckProfiler: cannot write /no/such/folder/file.json\n");
    EXPECT_EQ(e.out, "") << "nothing is measured that cannot be written";
}

TEST(Program, instances_are_chosen_by_the_environment_too)
{
    ASSERT_EQ(setenv("CK_PROFILER_INSTANCE_FILTER", "Xdl[^<]*<256, 64", 1), 0);
    const Ended e = run({"grouped_conv_fwd", "--problem", "n1 c8 k8 in4x4"});
    ASSERT_EQ(unsetenv("CK_PROFILER_INSTANCE_FILTER"), 0);
    EXPECT_EQ(e.status, 0);
    EXPECT_EQ(count(e.out, "Perf: "),
              count(e.out, "GB/s, DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle<256, 64"))
        << e.out;
    EXPECT_GE(count(e.out, "Perf: "), 1);
}

TEST(Program, operations_are_chosen_by_the_environment)
{
    ASSERT_EQ(setenv("CK_PROFILER_OP_FILTER", "bwd", 1), 0);
    const Ended list     = run("");
    const Ended left_out = run(one_instance);
    const Ended taken    = run({"--miopen",
                                "convfp16 -n 1 -c 8 -H 4 -W 4 -k 8 -y 1 -x 1",
                                "--instances",
                                "64, 64, .*1, 1, 1, single"});
    ASSERT_EQ(unsetenv("CK_PROFILER_OP_FILTER"), 0);
    EXPECT_EQ(count(list.out, "fwd"), 0) << list.out;
    EXPECT_EQ(count(list.out, "bwd"), 3) << list.out;
    EXPECT_EQ(left_out.status, 0);
    EXPECT_EQ(left_out.out, "grouped_conv_fwd is left out: CK_PROFILER_OP_FILTER is 'bwd'\n");
    EXPECT_EQ(taken.status, 0);
    EXPECT_EQ(count(taken.out, "Best configuration"), 2) << taken.out;
}

TEST(Program, help)
{
    const Ended e = run("grouped_conv_bwd_weight --help");
    EXPECT_EQ(e.status, 0);
    EXPECT_NE(e.out.find("--rival"), e.out.npos);
    EXPECT_NE(e.out.find("1  data type: 0 f32, 1 f16"), e.out.npos) << e.out;
    EXPECT_NE(run("tune --help").out.find("{forward,backward_data,backward_weight,all}"),
              e.out.npos)
        << "in the order of the text beside it";
    EXPECT_NE(e.out.find("Exit status: 0 if all results that were compared are right"), e.out.npos);
}

} // namespace
} // namespace ck::profiler
