// The operands that --print-tensor prints.
//
// Labels: compiled alone
#include <gtest/gtest.h>

#include "program.hpp"
#include <array>
#include <sstream>
#include <string>

namespace ck::profiler {
namespace {

/// The beginning of the first or second operand of an operation.
std::string operand(const std::string& printed, const std::string& name)
{
    const std::string words = name + " operand: ";
    const std::size_t at    = printed.find(words);
    return at == printed.npos ? "" : printed.substr(at + words.size(), 40);
}

// Of operands that are the same some results would be sums of squares.
TEST(PrintedOperands, have_numbers_of_their_own)
{
    for(const char* operation :
        {"grouped_conv_fwd", "grouped_conv_bwd_data", "grouped_conv_bwd_weight"})
    {
        const std::array arguments{"ckProfiler",
                                   operation,
                                   "--problem",
                                   "n1 c8 k8 in4x4 f3x3 p1",
                                   "--instances",
                                   "Xdl[^<]*<256, 64",
                                   "--init",
                                   "integer",
                                   "--print-tensor"};
        std::ostringstream out, errors;
        EXPECT_EQ(run_program(static_cast<int>(arguments.size()), arguments.data(), out, errors), 0)
            << errors.str();
        EXPECT_EQ(operand(out.str(), "first").size(), 40u) << out.str();
        EXPECT_EQ(operand(out.str(), "second").size(), 40u) << out.str();
        EXPECT_NE(operand(out.str(), "first"), operand(out.str(), "second")) << operation;
    }
}

} // namespace
} // namespace ck::profiler
