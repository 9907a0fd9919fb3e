// Lines that are fitted to times, the machine's file, and plans by it.
#include "ck/calibrate.hpp"

#include "conv/calibrate_fit.hpp"
#include "conv/machine_folder.hpp"
#include "conv/resolve.hpp"
#include "tensor_operation_instance/calibration.hpp"
#include <cmath>
#include <iterator>
#include <locale>
#include <map>
#include <sstream>
#include <thread>

namespace ck::conv_test {
namespace {

// A library of chosen kernels may have none with a model, or only those of one pipeline.
#if defined(CK_LIBRARY_IS_COMPLETE)
constexpr bool has_every_kernel = true;
#else
constexpr bool has_every_kernel = false;
#endif

using conv::CalibrationTime;

/// Times of a kind of kernels that take start + factor * cycles at `mhz` MHz. Each third one is
/// held out.
std::vector<CalibrationTime>
times_of(const std::string& kind, double start, double factor, double mhz, int count = 9)
{
    std::vector<CalibrationTime> times;
    for(int i = 0; i < count; ++i)
    {
        const double cycles = 5000. * (i + 1) * (i + 1);
        times.push_back({kind, cycles, (start + factor * cycles) / mhz, i % 3 == 2});
    }
    return times;
}

std::string why_wrong(const std::string& text)
{
    std::istringstream in(text);
    try
    {
        static_cast<void>(read_calibration(in));
    }
    catch(const std::runtime_error& e)
    {
        return e.what();
    }
    return "";
}

const std::string device = "[device]\nname = A chip, gfx0, 8 units # of ours\nmhz = 1500\n";

/// A word of kernels' names that is the pipeline of the spec's predicted choice.
std::string pipeline_of_choice(const ConvSpec& spec)
{
    for(const char* const word :
        {"single_buffer", "double_buffer", "async_copies", "tensor_maps", "halo_tiles"})
        if(plan(spec).kernel().find(word) != std::string::npos)
            return word;
    return "";
}

std::shared_ptr<const Calibration> calibration_of(const std::string& text)
{
    std::istringstream in(text);
    return std::make_shared<const Calibration>(read_calibration(in));
}

/// What another thread does when it uses another device for the first time, or calibrates it.
void use_in_another_thread(const std::shared_ptr<const Calibration>& calibration)
{
    std::thread([&] { use_calibration(calibration, {0}); }).join();
}

} // namespace

class Calibrate : public MachineFolder
{
protected:
    static auto files_in(const fs::path& folder)
    {
        return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
    }
    /// Specs that the choice among kernels is not clear for.
    static std::vector<ConvSpec> specs()
    {
        std::vector<ConvSpec> all;
        for(const long_index_t n : {1, 2, 4, 8, 16, 32})
            all.push_back({.type   = DataType::f16,
                           .n      = n,
                           .k      = 128,
                           .c      = 64,
                           .input  = {14, 14},
                           .filter = {3, 3},
                           .pads   = {{1, 1}, {1, 1}}});
        return all;
    }
    /// Kernels are as fast as predicted at 1000 MHz, except those with `slow` in their names.
    CalibrateOptions stand_in(const std::string& slow)
    {
        CalibrateOptions o;
        o.specs    = specs();
        o.progress = [this](const std::string& line) { lines_.push_back(line); };
        o.time     = [slow](const ConvSpec&, const std::string& kernel, double cycles) {
            return (kernel.find(slow) == kernel.npos ? 1 : 20) * cycles / 1000;
        };
        return o;
    }

    std::vector<std::string> lines_;
};

TEST(CalibrateFit, FindsStartAndFactor)
{
    const auto times = times_of("tensor_maps y", 6000, 1.5, 1000);
    const auto lines = conv::fit_lines(times, 1000);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].kernels, "tensor_maps y");
    EXPECT_NEAR(lines[0].start, 6000, 1);
    EXPECT_NEAR(lines[0].factor, 1.5, 1e-4);
    EXPECT_EQ(lines[0].fitted, 6u);
    EXPECT_EQ(lines[0].held_out, 3u);
    EXPECT_GT(lines[0].error_before, .5);
    EXPECT_LT(lines[0].error_after, 1e-3);
}

TEST(CalibrateFit, NoStartIsBelowZero)
{
    const auto lines = conv::fit_lines(times_of("direct y", -3000, 2, 1000), 1000);
    EXPECT_EQ(lines.at(0).start, 0);
    EXPECT_NEAR(lines.at(0).factor, 2, .4);
}

TEST(CalibrateFit, LeavesAloneWhatOtherTimesContradict)
{
    auto times = times_of("direct y", 0, 3, 1000);
    for(CalibrationTime& t : times)
        if(t.is_held_out)
            t.microseconds = t.cycles / 1000;
    const auto lines = conv::fit_lines(times, 1000);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].start, 0);
    EXPECT_EQ(lines[0].factor, 1);
    EXPECT_NEAR(lines[0].error_after, 0, 1e-9);
}

TEST(CalibrateFit, FitsNothingToOneTimeAndWithoutOthersToJudgeBy)
{
    const auto factor = [](const std::vector<CalibrationTime>& times) {
        return conv::fit_lines(times, 1000).at(0).factor;
    };
    EXPECT_EQ(factor(times_of("direct y", 0, 3, 1000, 2)), 1); // none is held out
    auto one = times_of("direct y", 0, 3, 1000, 3);
    EXPECT_NEAR(factor(one), 3, 1e-6);
    one.erase(one.begin());
    EXPECT_EQ(factor(one), 1);
}

TEST(CalibrateFit, KindsCountAlikeInTheClock)
{
    auto times           = times_of("direct y", 0, 1, 500, 9);
    const auto of_others = times_of("halo_tiles dw", 0, 1, 2000, 3);
    times.insert(times.end(), of_others.begin(), of_others.end());
    EXPECT_NEAR(conv::cycles_in_a_microsecond(times), 1000, 1e-6);
    EXPECT_EQ(conv::cycles_in_a_microsecond({}), 0);
}

TEST(CalibrationFile, SaysWhatIsWrongInWhichLine)
{
    EXPECT_EQ(why_wrong(device), "");
    EXPECT_EQ(why_wrong(device + "\n# a comment\n[lines]\ntensor_maps dw, n 64, waves 4, m 128 = "
                                 "-200, 1.1 # two\ndirect all = 0, 2e-1\n"),
              "");
    const std::pair<const char*, const char*> wrong[]{
        {"[lines]\ntensor_map y = 0, 1", "5: 'tensor_map' is not a pipeline"},
        {"[lines]\ndirect z = 0, 1", "5: 'z' is not a name of what is computed; there are y, dx"},
        {"[lines]\ndirect = 0, 1", "5: 'direct' is not a pipeline and what it computes"},
        {"[lines]\ndirect y, o 5 = 0, 1", "5: 'o' is not a fact; there are m, n"},
        {"[lines]\ndirect y, n = 0, 1", "5: 'n' is not a condition"},
        {"[lines]\ndirect y, n 1, m 1, k 1, x 1 = 0, 1", "5: 'direct y, n 1, m 1, k 1, x 1' has"},
        {"[lines]\ndirect y = 1", "5: '1' is not a start and factor"},
        {"[lines]\ndirect y = 1, fast", "5: 'fast' is not a number"},
        {"[lines]\ndirect y = 1, 0", "5: the factor is 0, but must be above 0"},
        {"[lines]\ndirect y = 1, -2", "5: the factor is -2, but"},
        {"[lines]\ndirect y, n 2.5 = 0, 1", "5: '2.5' is not a whole number from 0 to"},
        {"[lines]\ndirect y, n 1e300 = 0, 1", "5: '1e300' is not a whole number from 0 to"},
        {"[lines]\ndirect y, n -4 = 0, 1", "5: '-4' is not a whole number from 0 to"},
        {"[lines]\ndirect y = 1e308, 1", "5: '1e308' is too large"},
        {"[lines]\ndirect y = 0, 2e15", "5: '2e15' is too large"},
        {"[memory]\n", "4: '[memory]' is not a section; there are [device] and [lines]"},
        {"volts = 1\n", "4: 'volts' is not of [device]"},
        {"mhz 7\n", "4: 'mhz 7' is not a `name = value`"}};
    for(const auto& [text, why] : wrong)
        EXPECT_EQ(why_wrong(device + text).rfind(why, 0), 0u) << why_wrong(device + text);
    EXPECT_EQ(why_wrong("direct y = 0, 1\n").rfind("1: 'direct y = 0, 1' is no", 0), 0u);
    EXPECT_EQ(why_wrong("[device]\nname = a\n").rfind("2: it ends, but", 0), 0u);
    EXPECT_EQ(why_wrong("[device]\nname = a\nmhz = -1\n").rfind("3: it ends, but", 0), 0u);
}

TEST_F(Calibrate, PlansArePredictedByTheFile)
{
    const ConvSpec spec        = specs()[0];
    const auto explained       = [&] { return plan(spec).explain(); };
    const std::string before   = has_kernels(spec) ? explained() : "";
    const std::string pipeline = before.empty() ? "" : pipeline_of_choice(spec);
    if(pipeline.empty() && !has_every_kernel)
        GTEST_SKIP() << no_kernels;
    ASSERT_NE(pipeline, "") << before;
    EXPECT_EQ(before.find("machine.ini"), before.npos);
    const CalibrateResult r = calibrate(stand_in(pipeline));
    ASSERT_EQ(r.path, file()) << r.why;
    EXPECT_EQ(r.specs, specs().size());
    EXPECT_EQ(lines_.size(), specs().size());
    EXPECT_GT(r.times, specs().size());
    double slow = 0, others = 0;
    for(const CalibratedLine& line : r.lines)
    {
        EXPECT_LT(line.error_after, .01) << line.kernels;
        (line.kernels == pipeline + " y" ? slow : others) = line.factor;
    }
    if(others == 0 && !has_every_kernel)
        GTEST_SKIP() << "all kernels are of one pipeline";
    EXPECT_NEAR(slow / others, 20, .2);
    EXPECT_EQ(plan(spec).kernel().find(pipeline), std::string::npos) << plan(spec).kernel();
    EXPECT_NE(explained().find(" us by " + file()), std::string::npos) << explained();
    begin(); // begins like another process
    EXPECT_EQ(plan(spec).kernel().find(pipeline), std::string::npos);
    fs::remove(file());
    begin();
    EXPECT_EQ(explained(), before);
}

TEST_F(Calibrate, OnePlanIsByOneFileWhateverOtherThreadsDo)
{
    const auto twenty = calibration_of(twenty_times());
    std::size_t later = 0;
    for(const ConvSpec& spec : specs())
    {
        const conv::Resolved resolved = conv::resolve(spec);
        const ConvArgument argument   = resolved.argument({});
        use_calibration(twenty, {0});
        const ConvKernel* const best = select_kernel(resolved.family, argument);
        if(best == nullptr)
            continue;
        EXPECT_EQ(select_kernel(resolved.family,
                                argument,
                                [&](const ConvKernel& kernel) {
                                    if(&kernel == best) // later ones must not seem to be faster
                                        use_in_another_thread(nullptr);
                                    return true;
                                }),
                  best);
        later += kernels_for(resolved.family, argument).back() != best;
    }
    if(later == 0 && !has_every_kernel)
        GTEST_SKIP() << no_kernels;
    EXPECT_GT(later, 0u);
}

TEST_F(Calibrate, OtherThreadsDoNotChangeWhatItMeasuresBy)
{
    if(!has_kernels(specs()[0]))
        GTEST_SKIP() << no_kernels;
    const auto twenty     = calibration_of(twenty_times());
    const auto cycles_now = [&](bool disturbed) {
        std::map<std::string, double> all;
        CalibrateOptions o = stand_in("none");
        o.time             = [&](const ConvSpec& spec, const std::string& kernel, double cycles) {
            all[to_string(spec) + kernel] = cycles;
            if(disturbed)
                use_in_another_thread(twenty);
            return cycles / 1000;
        };
        static_cast<void>(calibrate(o));
        return all;
    };
    const auto alone = cycles_now(false);
    EXPECT_EQ(cycles_now(true), alone);
    if(alone.empty() && !has_every_kernel)
        GTEST_SKIP() << "none of the kernels has a model";
    EXPECT_FALSE(alone.empty());
}

TEST_F(Calibrate, AWrongFileIsSaidAndLeftOut)
{
    const ConvSpec spec = specs()[0];
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const std::string before = plan(spec).explain();
    const auto said_of       = [&](const std::string& text) {
        write_file(text);
        begin();
        const std::string said = errors_of([&] { EXPECT_EQ(plan(spec).explain(), before); });
        // once a process
        clear_plan_cache();
        EXPECT_EQ(errors_of([&] { static_cast<void>(plan(spec)); }), "");
        return said;
    };
    EXPECT_EQ(said_of(device + "[lines]\ndirect y = 1\n"),
              "ck: the machine's file " + file() +
                  ":5: '1' is not a start and factor; the built-in predictions stand\n");
    fs::remove(file());
    fs::create_directory(file());
    EXPECT_EQ(said_of(""),
              "ck: the machine's file " + file() +
                  ": cannot be read; the built-in predictions stand\n");
    fs::remove(file());
    const std::string of_another = said_of(device + "[lines]\n");
    EXPECT_NE(of_another.find(file() + " is for 'A chip, gfx0, 8 units', but this is '" +
                              conv::device_text() + "': the built-in predictions stand\n"),
              of_another.npos)
        << of_another;
}

TEST_F(Calibrate, MeasuresOnTheDevice)
{
    const ConvSpec spec = spec_of_rank(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    CalibrateOptions o;
    o.specs           = {spec};
    o.kernels_of_kind = 1;
    o.path            = (folder_ / "new" / "a.ini").string();
    o.progress        = [](const std::string&) {};
    const auto r      = calibrate(o);
    if(r.times == 0 && !has_every_kernel) // none of them has a model
        GTEST_SKIP() << r.why;
    ASSERT_EQ(r.path, o.path) << r.why;
    EXPECT_EQ(r.device, conv::device_text());
    EXPECT_GT(r.mhz, 0);
    std::ifstream in(r.path);
    EXPECT_EQ(read_calibration(in).device, r.device);
    EXPECT_EQ(files_in(folder_ / "new"), 1);
}

// The program's may write 1,5, which is two numbers in a file.
TEST_F(Calibrate, WritesTheSameFileInAnyLocale)
{
    struct Commas : std::numpunct<char>
    {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    if(!has_kernels(specs()[0]))
        GTEST_SKIP() << no_kernels;
    CalibrateOptions o = stand_in("none");
    o.time             = [](const ConvSpec&, const std::string&, double cycles) {
        return 3000 + cycles / 1234.5;
    };
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
    const auto r             = calibrate(o);
    std::locale::global(before);
    ASSERT_EQ(r.path, file()) << r.why;
    std::ifstream in(file());
    EXPECT_NEAR(read_calibration(in).mhz, r.mhz, 1e-4 * r.mhz);
}

TEST_F(Calibrate, LeavesNothingWhereItCannotWrite)
{
    if(!has_kernels(specs()[0]))
        GTEST_SKIP() << no_kernels;
    fs::create_directory(file());
    const auto r = calibrate(stand_in("none"));
    EXPECT_EQ(r.path, "");
    EXPECT_EQ(r.why.rfind(file() + " cannot be written: ", 0), 0u) << r.why;
    EXPECT_EQ(files_in(folder_), 1) << "only the folder that was there";
}

TEST_F(Calibrate, SaysWhyThereIsNoFile)
{
    CalibrateOptions o = stand_in("none");
    o.time             = [](const ConvSpec&, const std::string&, double) { return 0.; };
    EXPECT_EQ(calibrate(o).why, "nothing was measured");
    o.time = [](const ConvSpec&, const std::string&, double) { return INFINITY; };
    EXPECT_EQ(calibrate(o).why, "nothing was measured");
    EXPECT_FALSE(fs::exists(file()));
    const auto refusal = [](const CalibrateOptions& options) -> std::string {
        try
        {
            calibrate(options);
        }
        catch(const Refused& e)
        {
            return e.what();
        }
        return "";
    };
    o.seconds = -1;
    EXPECT_EQ(refusal(o).rfind("ck::CalibrateOptions: seconds is -1", 0), 0u) << refusal(o);
    o.seconds         = 1;
    o.kernels_of_kind = 0;
    EXPECT_EQ(refusal(o), "ck::CalibrateOptions: kernels_of_kind is 0, but must be at least 1");
}

TEST_F(Calibrate, TheFileIsBesideTheDatabase)
{
    EXPECT_EQ(machine_file(), file());
    setenv("CK_MACHINE", "", 1);
    EXPECT_EQ(machine_file(), "");
    unsetenv("CK_MACHINE");
    EXPECT_EQ(machine_file(), file());
    setenv("CK_TUNING_DB", "", 1);
    EXPECT_EQ(machine_file(), "");
}

TEST(CalibrationSpecs, AreConvolutionsOfAllDirections)
{
    std::map<Direction, int> counts;
    for(const ConvSpec& spec : calibration_specs())
    {
        ++counts[spec.direction];
        EXPECT_NO_THROW(static_cast<void>(conv::sizes_of(spec))) << to_string(spec);
    }
    EXPECT_EQ(counts.size(), 3u);
    for(const auto& [direction, count] : counts)
        EXPECT_GE(count, 6) << name(direction);
}

} // namespace ck::conv_test
