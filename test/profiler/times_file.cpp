// Times of each kernel in the format of test/library/tables/h200_times.
//
// Labels: compiled alone
#include "times_file.hpp"

#include <gtest/gtest.h>

#include "profiler/stand_in_clock.hpp"
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace ck::profiler {
namespace {

TEST(TimesFile, numbers_kernels_and_has_a_line_for_each_problem)
{
    TimesFile times;
    times.add("one", "DeviceA_Wgmma<1, 2>", .25);
    times.add("one", "DeviceA_Wgmma<3>", .5);
    times.add("two", "DeviceB_Wgmma<3>", 2); // the same tuning
    times.add("two", "DeviceB_Wgmma<4>", 3);
    const std::string name =
        (std::filesystem::path(testing::TempDir()) / ("ck_times_" + std::to_string(getpid())))
            .string();
    times.write(name);
    std::ifstream in(name);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::remove(name);
    EXPECT_EQ(text,
              "row 0 <1, 2>\nrow 1 <3>\nrow 2 <4>\nproblem one 0 0.250000 1 0.500000\n"
              "problem two 1 2.000000 2 3.000000\n");
    EXPECT_THROW(times.write("/no/such/folder/times"), std::runtime_error);
    EXPECT_THROW(times.write("/dev/full"), std::runtime_error);
}

TEST(TimesFile, a_time_is_the_median_of_four_rounds_after_a_first)
{
    const std::pair<double, int> launches_of[]{{1, 3}, {.1, 15}, {.001, 60}};
    for(const auto& [ms, launches] : launches_of)
    {
        test::StandInClock clock;
        const std::vector<double> rounds{100, 9, 1, 5, 3};
        std::size_t count = 0;
        const double time = time_with_pauses(
            [&, launches = launches](int i, hipStream_t) {
                EXPECT_EQ(i, static_cast<int>(count) % launches);
                clock.advance(rounds.at(count++ / static_cast<std::size_t>(launches)));
            },
            ms);
        EXPECT_EQ(count, 5u * static_cast<std::size_t>(launches));
        EXPECT_EQ(time, 4);
    }
}

} // namespace
} // namespace ck::profiler
