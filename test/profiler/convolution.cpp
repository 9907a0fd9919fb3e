// Which kernel is the predicted choice, of those that are measured.
//
// Labels: compiled alone
#include "convolution.hpp"

#include <gtest/gtest.h>

#include "program.hpp"
#include <array>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>

namespace ck::profiler {
namespace {

auto count(const std::string& text, const std::string& pattern)
{
    const std::regex regex(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
}

TEST(Convolution, the_rule_is_asked_about_the_given_split_k)
{
    const std::array<const char*, 7> argv{"ckProfiler",
                                          "grouped_conv_bwd_weight",
                                          "--problem",
                                          "n1 c8 k8 in4x4 f3x3 p1",
                                          "--split-k",
                                          "2",
                                          "--no-time"};
    std::ostringstream to, errors_to;
    const int status      = run_program(static_cast<int>(argv.size()), argv.data(), to, errors_to);
    const std::string out = to.str();
    EXPECT_EQ(status, 0) << out << errors_to.str();
    EXPECT_EQ(count(out, "\npredicted choice: Device"), 1) << out;
    EXPECT_GE(count(out, "\nPerf: "), 1) << out;
    EXPECT_EQ(count(out, "\nPerf: "), count(out, ", SplitK 2, ")) << out;
}

} // namespace
} // namespace ck::profiler
