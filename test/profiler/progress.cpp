#include "progress.hpp"

#include <gtest/gtest.h>

#include "profiler/stand_in_clock.hpp"

namespace ck::profiler {
namespace {

TEST(Progress, tells_the_time_left)
{
    EXPECT_EQ(Progress::text(12, 148, 3.4, "a kernel"), "12 of 148, 39 s left: a kernel");
    EXPECT_EQ(Progress::text(1, 100, 10, "a kernel"), "1 of 100, 17 min left: a kernel");
    EXPECT_EQ(Progress::text(0, 100, 10, "a kernel"), "0 of 100: a kernel");
    EXPECT_EQ(Progress::text(1, 2, 99.4, "a kernel"), "1 of 2, 99 s left: a kernel");
    EXPECT_EQ(Progress::text(1, 2, 100, "a kernel"), "1 of 2, 2 min left: a kernel");
    EXPECT_EQ(Progress::text(0, 1, 0, std::string(60, 'k')), "0 of 1: " + std::string(50, 'k'));
}

TEST(Progress, is_a_line_of_a_terminal_that_is_written_anew)
{
    const std::string begin = "\r\033[K";
    std::string said;
    const auto says = [&](const auto& f) {
        testing::internal::CaptureStderr();
        f();
        return testing::internal::GetCapturedStderr();
    };
    test::StandInClock clock;
    said = says([&] {
        Progress progress(true);
        progress.expect(4);
        progress.expect(6);
        clock.advance(999);
        progress.step("within a second");
        clock.advance(1);
        progress.step("a");
        clock.advance(99);
        progress.step("within a tenth of a second");
        clock.advance(501);
        progress.step("b");
        progress.clear();
        progress.clear(); // no progress is shown
        clock.advance(100);
        progress.step("c");
    });
    EXPECT_EQ(said,
              "2 of 10, 4 s left: a" + begin + "4 of 10, 2 s left: b" + begin +
                  "5 of 10, 2 s left: c" + begin);
}

TEST(Progress, is_no_part_of_a_pipes_output)
{
    testing::internal::CaptureStderr();
    {
        Progress progress; // standard error is a file now
        progress.expect(1);
        progress.step("a kernel");
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace
} // namespace ck::profiler
