#include "progress.hpp"

#include <gtest/gtest.h>

namespace ck::profiler {
namespace {

TEST(Progress, tells_the_time_left)
{
    EXPECT_EQ(Progress::text(12, 148, 3.4, "a kernel"), "12 of 148, 39 s left: a kernel");
    EXPECT_EQ(Progress::text(1, 100, 10, "a kernel"), "1 of 100, 17 min left: a kernel");
    EXPECT_EQ(Progress::text(0, 100, 10, "a kernel"), "0 of 100: a kernel");
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
