// The ranges of tensor maps of windows, exactly met and missed by one.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device::tensor_boxes {
namespace {

/// The reason why windows are refused: of one pixel and one tap in each dimension, after `change`
/// of dimension i of an input whose lengths are `length`.
template <class F>
std::string refusal(index_t rank, index_t i, long_index_t length, const F& change)
{
    ConvProblem p;
    p.rank = rank;
    for(std::size_t d = 3 - static_cast<std::size_t>(rank); d < 3; ++d)
        p.input[d] = length;
    PixelWindows windows{};
    for(PixelWindows::Dimension& d : windows.dimension)
        d = {make_divisor(1), 0, 1, make_divisor(1), 0, 1, 0, 1};
    change(windows.dimension[i]);
    return check_windows(p, Role::input, windows).reason;
}

TEST(CheckWindows, TakesTheRangesOfTheInstruction)
{
    using Dimension = PixelWindows::Dimension;
    for(const index_t rank : {1, 2, 3})
        for(index_t i = 0; i < rank; ++i)
        {
            const index_t half      = rank == 1 ? 32768 : rank == 2 ? 128 : 16;
            const std::string range = ", but in tensor maps of " + std::to_string(rank) +
                                      " spatial dimensions it must be from ",
                              signed_range =
                                  range + std::to_string(-half) + " to " + std::to_string(half - 1);
            const auto first = [&](index_t value) {
                return refusal(rank, i, 1, [&](Dimension& d) { d.first = value; });
            };
            const auto last = [&](index_t count, index_t length) {
                return refusal(
                    rank, i, length, [&](Dimension& d) { d.count = make_divisor(count); });
            };
            const auto offset = [&](index_t value, index_t step) {
                return refusal(rank, i, 1, [&](Dimension& d) {
                    d.taps        = make_divisor(2);
                    d.offset      = value;
                    d.offset_step = step;
                });
            };
            const auto stride = [&](index_t value) {
                return refusal(rank, i, 1, [&](Dimension& d) { d.step = value; });
            };
            EXPECT_EQ(first(-half), "");
            EXPECT_EQ(first(half - 1), "");
            EXPECT_EQ(first(-half - 1),
                      "the first pixel's distance from a tensor's begin is " +
                          std::to_string(-half - 1) + signed_range);
            EXPECT_EQ(first(half),
                      "the first pixel's distance from a tensor's begin is " +
                          std::to_string(half) + signed_range);
            EXPECT_EQ(last(half, 1), "");
            EXPECT_EQ(last(1, half + 1), "");
            EXPECT_EQ(last(half + 1, 1),
                      "the last pixel's distance from a tensor's end is " + std::to_string(half) +
                          signed_range);
            EXPECT_EQ(last(1, half + 2),
                      "the last pixel's distance from a tensor's end is " +
                          std::to_string(-half - 1) + signed_range);
            const std::string distance = range + "0 to " + std::to_string(2 * half - 1);
            EXPECT_EQ(offset(0, 2 * half - 1), "");
            EXPECT_EQ(offset(2 * half - 1, -1), "");
            EXPECT_EQ(offset(0, 2 * half),
                      "the distance of filter taps is " + std::to_string(2 * half) + distance);
            EXPECT_EQ(offset(2 * half, -1),
                      "the distance of filter taps is " + std::to_string(2 * half) + distance);
            EXPECT_EQ(stride(8), "");
            EXPECT_EQ(stride(9), "the stride is 9" + range + "1 to 8");
            EXPECT_EQ(stride(0), "the stride is 0" + range + "1 to 8");
        }
}

} // namespace
} // namespace ck::tensor_operation::device::tensor_boxes
