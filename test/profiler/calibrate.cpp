// The operation calibrate: what it prints, and the file.
//
// Labels: compiled alone
#include "ck/calibrate.hpp"

#include <gtest/gtest.h>

#include "calibrate.hpp"
#include "program.hpp"
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace ck::profiler {
namespace {

class ProfilerCalibrate : public testing::Test
{
protected:
    ProfilerCalibrate()
    {
        std::filesystem::create_directory(folder);
        setenv("CK_MACHINE", (folder / "default.ini").c_str(), 1);
    }
    ~ProfilerCalibrate() override
    {
        setenv("CK_MACHINE", "", 1);
        std::filesystem::remove_all(folder);
    }
    template <class... Words>
    int run(const Words&... words)
    {
        const std::array<const char*, sizeof...(words) + 2> argv{
            "ckProfiler", "calibrate", words...};
        std::ostringstream to, errors_to;
        const int status = run_program(static_cast<int>(argv.size()), argv.data(), to, errors_to);
        out              = to.str();
        errors           = errors_to.str();
        return status;
    }
    bool says(const std::string& text) const { return out.find(text) != out.npos; }

    std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                   ("ck_profiler_calibrate_" + std::to_string(getpid()));
    std::string out, errors;
};

constexpr const char* problem = "n1 c8 k8 in4x4 f3x3 p1";

} // namespace

TEST_F(ProfilerCalibrate, WritesTheFileAndPrintsErrors)
{
    const std::string file = (folder / "mine.ini").string();
    EXPECT_EQ(run(file.c_str(), "--problem", problem, "--type", "f32"), 0) << out << errors;
    EXPECT_TRUE(says("1 of 3: direction=forward ")) << out;
    EXPECT_TRUE(says("3 of 3: direction=backward_weight ")) << out;
    EXPECT_TRUE(says("\nsingle_buffer y ")) << out;
    EXPECT_TRUE(says(" times of 3 convolutions; ")) << out;
    EXPECT_TRUE(says("\nck::plan() reads it where CK_MACHINE=" + file)) << out;
    std::ifstream in(file);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    EXPECT_NE(text.find("\nsingle_buffer dw = "), text.npos) << text;
#if defined(CK_RUNTIME_HOST)
    EXPECT_TRUE(says(" of 540 s, emulated on the CPU")) << out;
    EXPECT_NE(text.find("emulated on the CPU"), text.npos) << text;
#endif
    EXPECT_FALSE(std::filesystem::exists(machine_file()));
}

TEST(ProfilerCalibrateTable, HasErrorsOfWhatWasHeldOut)
{
    CalibratedLine line{};
    line.kernels      = "single_buffer y";
    line.fitted       = 12;
    line.held_out     = 1;
    line.start        = 3456.4;
    line.factor       = 1.25;
    line.error_before = 0.1234;
    line.error_after  = 0.05;
    EXPECT_EQ(table_row(line),
              "single_buffer y                  12      1      3456   1.250   12.3 %    5.0 %");
    line.held_out = 0;
    EXPECT_EQ(table_row(line),
              "single_buffer y                  12      0      3456   1.250      - %      - %");
}

TEST_F(ProfilerCalibrate, WritesWhatPlansReadByDefault)
{
    EXPECT_EQ(run("--problem", problem, "--type", "f32", "--direction", "forward"), 0) << errors;
    EXPECT_TRUE(std::filesystem::exists(machine_file()));
    EXPECT_FALSE(says("where CK_MACHINE")) << out;
}

TEST_F(ProfilerCalibrate, FailsWhereNothingIsMeasured)
{
    EXPECT_EQ(run("--problem", problem, "--seconds", "0"), 1);
    EXPECT_TRUE(says("no file was written: nothing was measured")) << out;
    EXPECT_FALSE(std::filesystem::exists(machine_file()));
}

TEST_F(ProfilerCalibrate, MeasuresNothingForNoFile)
{
    setenv("CK_MACHINE", "", 1);
    EXPECT_EQ(run("--problem", problem), 1);
    EXPECT_TRUE(says("there is no file to write: name one, or set CK_MACHINE")) << out;
    EXPECT_FALSE(says("1 of 3")) << out;
}

TEST_F(ProfilerCalibrate, SaysWhatIsWrong)
{
    EXPECT_EQ(run("one.ini", "two.ini"), 2);
    EXPECT_NE(errors.find("calibrate takes one file, but there is 'two.ini', too"), errors.npos)
        << errors;
    EXPECT_EQ(run("--filter", "rn50"), 2);
    EXPECT_NE(errors.find("--filter is 'rn50'"), errors.npos) << errors;
    EXPECT_EQ(run("--help"), 0);
    EXPECT_TRUE(says("(default: " + machine_file() + ")")) << out;
}

} // namespace ck::profiler
