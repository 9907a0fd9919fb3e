// The text of split_scaling's table: sizes that a test could not compute with, times that are
// known.
//
// Labels: compiled alone
#include "split_table.hpp"

#include <gtest/gtest.h>

#include "device_name.hpp"

namespace ck::profiler {
namespace {

template <class F>
std::string printed(const F& f)
{
    testing::internal::CaptureStdout();
    f();
    return testing::internal::GetCapturedStdout();
}

std::string gigabytes_of_the_device()
{
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    hipDeviceProp_t properties{};
    HIP_CHECK_ERROR(hipGetDeviceProperties(&properties, device));
    const auto tenths = (properties.totalGlobalMem + 50'000'000) / 100'000'000;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

TEST(SplitTable, head_has_the_bytes_of_all_ranks)
{
    const auto head = [](DataType type) {
        return printed([&] { print_split_head("the title", {64, 96, 100, 250, type}); });
    };
    const auto expected = [](const char* x, const char* y) {
        return "the title, " + device_name() + "\nX has " + x + " GB, Y " + y +
               " GB; a device has " + gigabytes_of_the_device() +
               " GB\nms of a pass       median     least      most   compute      rows  dW's sum   "
               "TFLOP/s\n";
    };
    EXPECT_EQ(head(DataType::f32), expected("1.600", "2.400"));
    EXPECT_EQ(head(DataType::f16), expected("0.800", "1.200"));
    EXPECT_EQ(head(DataType::bf16), expected("0.800", "1.200"));
}

TEST(SplitTable, line_has_medians_and_what_there_is)
{
    SplitLine line{.direction = Direction::backward_weight,
                   .whole     = {3.25, 1.5, 12.125},
                   .compute   = {2.5, 1, 3},
                   .rows      = {.125, .1, .2},
                   .sum       = SplitTimes{.75, .5, 1},
                   .tflops    = 456.75,
                   .check     = SplitCheck{.compared = 54}};
    EXPECT_EQ(printed([&] { print_split_line(line); }),
              "backward weight     3.250     1.500    12.125     2.500     0.125  0.750000     "
              "456.8  54 numbers right\n");
    line.direction = Direction::forward;
    line.sum.reset();
    line.check.reset();
    EXPECT_EQ(printed([&] { print_split_line(line); }),
              "forward             3.250     1.500    12.125     2.500     0.125         -     "
              "456.8  \n");
}

} // namespace
} // namespace ck::profiler
