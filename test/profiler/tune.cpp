// The operation tune: problems as specs, and what the program prints and keeps.
//
// Labels: compiled alone
#include "tune.hpp"

#include "ck/tune.hpp"

#include <gtest/gtest.h>

#include "problem_text.hpp"
#include "program.hpp"
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace ck::profiler {
namespace {

class ProfilerTune : public testing::Test
{
protected:
    ProfilerTune()
    {
        std::filesystem::create_directory(folder);
        setenv("CK_TUNING_DB", (folder / "tuning.sqlite3").c_str(), 1);
    }
    ~ProfilerTune() override
    {
        setenv("CK_TUNING_DB", "", 1);
        std::filesystem::remove_all(folder);
    }
    template <class... Words>
    int run(const Words&... words)
    {
        const std::array<const char*, sizeof...(words) + 2> argv{"ckProfiler", "tune", words...};
        std::ostringstream to, errors_to;
        const int status = run_program(static_cast<int>(argv.size()), argv.data(), to, errors_to);
        out              = to.str();
        errors           = errors_to.str();
        return status;
    }

    std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                   ("ck_profiler_tune_" + std::to_string(getpid()));
    std::string out, errors;
};

ConvSpec spec_of_words(const char* words, const char* type, Layout layout)
{
    return spec_of(problem_from_text(words),
                   Direction::forward,
                   find_types(*find_conv_operation("grouped_conv_fwd"), type),
                   layout);
}

} // namespace

TEST_F(ProfilerTune, MakesTheSpecsThatProgramsPlan)
{
    const char* const words = "g2 n3 c4 k5 in9x8 f3x1 s2x1 d1x2 pl1x0 pr0x2";
    const ConvSpec expected{.type      = DataType::f16,
                            .groups    = 2,
                            .n         = 3,
                            .k         = 5,
                            .c         = 4,
                            .input     = {9, 8},
                            .filter    = {3, 1},
                            .strides   = {2, 1},
                            .dilations = {1, 2},
                            .pads      = {{1, 0}, {0, 2}}};
    EXPECT_EQ(spec_of_words(words, "f16", Layout::nhwgc), expected);
    EXPECT_EQ(spec_of_words(words, "f16", Layout::nchw).layout, ck::Layout::channels_first);
    const ConvSpec strided = spec_of_words(words, "f16", Layout::gnhwc);
    EXPECT_EQ(strided.layout, ck::Layout::strided);
    EXPECT_EQ(strided.x_strides, (Strides{3 * 9 * 8 * 4, 9 * 8 * 4, 1, 8 * 4, 4}));
    EXPECT_EQ(spec_of_words(words, "tf32", Layout::nhwgc).compute, DataType::tf32);
    const ConvSpec mixed = spec_of_words(words, "bf8", Layout::nhwgc);
    EXPECT_EQ(mixed.type, DataType::bf8);
    EXPECT_EQ(mixed.y_type, DataType::f8);
}

TEST_F(ProfilerTune, KeepsWinnersAndPrintsThem)
{
    const auto one   = [&] { return run("--problem", "n1 c8 k8 in4x4 f3x3 p1", "--type", "f32"); };
    const int status = one();
    if(errors.find("without SQLite") != errors.npos)
        GTEST_SKIP() << errors;
    EXPECT_EQ(status, 0) << errors;
    EXPECT_TRUE(
        out.starts_with("direction               us  predicted   gain problem: kernel\nforward "))
        << out;
    for(const char* const pass : {"\nforward ", "\nbackward_data ", "\nbackward_weight "})
        EXPECT_NE(out.find(pass), out.npos) << out;
    std::istringstream rows(out);
    int count = 0;
    for(std::string row; std::getline(rows, row);)
    {
        std::istringstream words(row);
        std::string pass, us, predicted, gain;
        if(!(words >> pass >> us >> predicted >> gain) ||
           row.find("n1 c8 k8 in4x4 f3x3 p1: ") == row.npos)
            continue;
        ++count;
        EXPECT_GT(std::stod(us), 0) << row;
        EXPECT_EQ(predicted == "-", gain == "-") << row;
        if(gain != "-") // what the kernel that promised to be the fastest took, and that over the
                        // winner's time
        {
            EXPECT_NEAR(std::stod(predicted), std::stod(us) * std::stod(gain), .01 * std::stod(us))
                << row;
        }
    }
    EXPECT_EQ(count, 3) << out;
    EXPECT_NE(out.find("3 of 3 known, 3 of them in " + tuning_database()), out.npos) << out;
    EXPECT_EQ(out.find("(known)"), out.npos);
    EXPECT_EQ(one(), 0);
    EXPECT_NE(out.find("(known)"), out.npos) << out;
    EXPECT_EQ(run("--problem",
                  "n1 c8 k8 in4x4 f3x3 p1",
                  "--type",
                  "f32",
                  "--direction",
                  "forward",
                  "--again"),
              0);
    EXPECT_EQ(out.find("(known)"), out.npos);
    EXPECT_NE(out.find("1 of 1 known"), out.npos) << out;
    // What there was no time for is said, and is not a success.
    EXPECT_EQ(run("--problem", "n1 c8 k8 in5x5 f3x3", "--type", "f32", "--seconds", "0"), 1);
    EXPECT_NE(out.find("not known: the time is up"), out.npos) << out;
}

TEST_F(ProfilerTune, NamesWrongArguments)
{
    EXPECT_EQ(run(), 2);
    EXPECT_NE(errors.find("tune needs problems"), errors.npos) << errors;
    EXPECT_EQ(run("/no/such/file"), 2);
    EXPECT_NE(errors.find("/no/such/file"), errors.npos) << errors;
    EXPECT_EQ(run("--problem", "n1 c8 k8 in4 f3", "--direction", "sideways"), 2);
    EXPECT_EQ(run("--problem", "n1 c8 k8 in4 f3", "--type", "f17"), 2);
    EXPECT_NE(errors.find("f17"), errors.npos) << errors;
    EXPECT_EQ(run("--help"), 0);
    EXPECT_NE(out.find("--seconds"), out.npos);
    EXPECT_NE(out.find("tune FILE"), out.npos);
}

} // namespace ck::profiler
