#include "problem_file.hpp"

#include <gtest/gtest.h>

#include "problem_text.hpp"
#include "profiler/refusal.hpp"
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
    const std::string nameless = write("nameless.json", list_of("{}"));
    EXPECT_EQ(refusal(nameless).find(nameless + ": problems[0]: "), 0u) << refusal(nameless);
    const std::string broken = write("broken.json", "{");
    EXPECT_EQ(refusal(broken).find(broken + ": "), 0u) << refusal(broken);
}

} // namespace
} // namespace ck::profiler
