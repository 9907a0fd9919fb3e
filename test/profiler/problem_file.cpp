#include "problem_file.hpp"

#include <gtest/gtest.h>

#include "problem_text.hpp"
#include "profiler/refusal.hpp"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace ck::profiler {
namespace {

/// A folder that goes with the test.
class ProblemFile : public testing::Test
{
protected:
    ProblemFile() { std::filesystem::create_directory(folder); }
    ~ProblemFile() override { std::filesystem::remove_all(folder); }

    std::string write(const std::string& name, const std::string& text) const
    {
        std::ofstream(folder / name) << text;
        return (folder / name).string();
    }

    std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("ck_problem_file_" + std::to_string(getpid()));
};

std::string entry(const std::string& name, const std::string& more = R"("C": 8)")
{
    return R"({"name": ")" + name +
           R"(", "ndim": 2, "G": 2, "N": 1, "K": 4, "filter": [3, 1], "input": [9, 8],
             "strides": [1, 1], "dilations": [1, 1], "pads_left": [1, 0], "pads_right": [1, 0], )" +
           more + "}";
}

std::string list_of(const std::string& entries) { return R"({"problems": [)" + entries + "]}"; }

TEST_F(ProblemFile, channels_are_those_of_all_groups)
{
    const auto all = read_problems(write("a.json", list_of(entry("one") + "," + entry("two"))), "");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].name, "one");
    EXPECT_EQ(to_text(all[0].problem), "g2 n1 c4 k2 in9x8 f3x1 p1x0");
    EXPECT_EQ(all[0].kind(), "grouped");
    // A dimension that does not exist changes nothing.
    const ConvProblem& p = all[0].problem;
    EXPECT_EQ(p.filter, (Spatial{1, 3, 1}));
    EXPECT_EQ(p.input, (Spatial{1, 9, 8}));
    EXPECT_EQ(p.stride, (Spatial{1, 1, 1}));
    EXPECT_EQ(p.dilation, (Spatial{1, 1, 1}));
    EXPECT_EQ(p.pad_low, (Spatial{0, 1, 0}));
    EXPECT_EQ(p.pad_high, (Spatial{0, 1, 0}));
    EXPECT_EQ(p.input_strides, (TensorStrides{4, 576, 1, 576, 64, 8})) << "packed";
}

TEST_F(ProblemFile, what_is_no_convolution_is_refused)
{
    const auto refusal = [&](const std::string& more) {
        const std::string file = write("a.json", list_of(entry("one", more)));
        return test::refusal_of([&] { read_problems(file, ""); });
    };
    EXPECT_NE(refusal(R"("C": 8, "strides": [0, 1])").find("a.json: one: "), std::string::npos);
    EXPECT_NE(refusal(R"("C": 8, "dilations": [0, 1])").find("a.json: one: "), std::string::npos);
    const std::string whole = ", but must be a whole number of at most 63 bits";
    EXPECT_EQ(refusal(R"("C": 8, "N": 9223372036854775807)").find(whole), std::string::npos);
    EXPECT_NE(refusal(R"("C": 8, "N": 9223372036854775808)").find(whole), std::string::npos);
}

TEST_F(ProblemFile, lists_of_a_folder_are_in_the_order_of_their_names)
{
    std::vector<std::string> expected, found;
    for(const char letter : {'m', 'c', 'x', 'a', 'q', 'z', 'e', 'b'})
    {
        expected.emplace_back(1, letter);
        write(expected.back() + ".json", list_of(entry(expected.back())));
    }
    std::sort(expected.begin(), expected.end());
    for(const NamedProblem& p : read_problems(folder.string(), ""))
        found.push_back(p.name);
    EXPECT_EQ(found, expected);
}

TEST_F(ProblemFile, a_folder_is_all_its_lists)
{
    write("b.json", list_of(entry("of_b")));
    write("a.json", list_of(entry("of_a") + "," + entry("other")));
    write("notes.txt", "no list");
    const auto all = read_problems(folder.string(), "of_");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].name, "of_a");
    EXPECT_EQ(all[1].name, "of_b");
}

TEST_F(ProblemFile, the_lists_of_this_project)
{
    const auto here = std::filesystem::path(__FILE__).parent_path() / "../../profiler";
    EXPECT_GE(read_problems(here.string(), "").size(), 170u);
}

TEST_F(ProblemFile, refusals_name_the_file_and_the_problem)
{
    const auto refusal = [&](const std::string& path, const std::string& filter = "") {
        return test::refusal_of([&] { read_problems(path, filter); });
    };
    const std::string none = (folder / "none.json").string();
    EXPECT_EQ(refusal(none), "cannot read the problems' file " + none);
    EXPECT_EQ(refusal(folder.string()), "the folder " + folder.string() + " has no file *.json");
    const std::string file = write("a.json", list_of(entry("one")));
    EXPECT_EQ(refusal(file, "two"), file + " has no problem whose name contains 'two'");
    const std::string odd = write("odd.json", list_of(entry("odd", R"("C": 7)")));
    EXPECT_EQ(refusal(odd), odd + ": odd: C is 7, not a multiple of G, 2");
    const std::string short_list =
        write("short.json", list_of(entry("x", R"("C": 8, "input": [9])")));
    EXPECT_EQ(refusal(short_list), short_list + ": x: input has 1 entries, but ndim is 2");
    const std::string no_list = write("no_list.json", list_of(entry("x", R"("C": 8, "input": 9)")));
    EXPECT_EQ(refusal(no_list), no_list + ": x: input is 9, but must be a list of whole numbers");
    const std::string nameless = write("nameless.json", list_of("{}"));
    EXPECT_EQ(refusal(nameless).find(nameless + ": problems[0]: "), 0u) << refusal(nameless);
    const std::string broken = write("broken.json", "{");
    EXPECT_EQ(refusal(broken).find(broken + ": "), 0u) << refusal(broken);
}

// Fractions are not cut off, bools are no numbers, and nothing wraps.
TEST_F(ProblemFile, numbers_that_are_not_whole_are_refused_in_every_field)
{
    const auto refusal = [&](const std::string& more) {
        const std::string file = write("a.json", list_of(entry("one", more)));
        const std::string why  = test::refusal_of([&] { read_problems(file, ""); });
        EXPECT_EQ(why.find(file + ": one: "), 0u) << why;
        return why.substr(std::min(why.size(), (file + ": one: ").size()));
    };
    using Texts                                                   = std::vector<std::string>;
    const std::vector<std::pair<std::string, std::string>> values = {{"2.7", "2.7"},
                                                                     {"2.0", "2.0"},
                                                                     {"2e0", "2.0"},
                                                                     {"-0.5", "-0.5"},
                                                                     {"1e30", "1e+30"},
                                                                     {"true", "true"},
                                                                     {"null", "null"},
                                                                     {"{}", "{}"},
                                                                     {R"("2")", R"("2")"}};
    const std::string large                                       = "18446744073709551618",
                      larger = "9223372036854775808"; // 65 bits instead of 64
    for(const auto& [value, shown] : values)
    {
        for(const std::string& key : Texts{"ndim", "G", "N", "K", "C"})
            EXPECT_EQ(refusal(R"("C": 8, ")" + key + "\": " + value),
                      key + " is " + shown + ", but must be a whole number");
        for(const std::string& key :
            Texts{"filter", "input", "strides", "dilations", "pads_left", "pads_right"})
            EXPECT_EQ(refusal(R"("C": 8, ")" + key + "\": [1, " + value + "]"),
                      key + "[1] is " + shown + ", but must be a whole number");
    }
    EXPECT_EQ(refusal(R"("C": 8, "N": )" + larger),
              "N is " + larger + ", but must be a whole number of at most 63 bits");
    EXPECT_EQ(refusal(R"("C": 8, "N": )" + large),
              "N is 1.8446744073709552e+19, but must be a whole number");
    for(const std::string& rank : Texts{"0", "4", "-1", "4294967298"}) // 2, in 32 bits
        EXPECT_EQ(refusal(R"("C": 8, "ndim": )" + rank),
                  "ndim is " + rank + ", but must be 1, 2 or 3");
}

} // namespace
} // namespace ck::profiler
