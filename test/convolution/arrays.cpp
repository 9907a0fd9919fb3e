// A problem as arrays of one rank.
#include "ck/convolution/arrays.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ck {
namespace {

TEST(ConvArrays, HaveTheLastDimensions)
{
    ConvProblem p = make_packed_problem<2>(
        2, 3, 4, 5, {1, 3}, {6, 7}, {1, 2}, {3, 1}, {0, 1}, {-1, -2}, PackedOrder::group_first);
    const auto a = to_arrays<2>(p);
    EXPECT_EQ(a.input_lengths, (std::array<index_t, 5>{2, 3, 5, 6, 7}));
    EXPECT_EQ(a.input_strides, (std::array<index_t, 5>{630, 210, 1, 35, 5}));
    EXPECT_EQ(a.filter_lengths, (std::array<index_t, 5>{2, 4, 5, 1, 3}));
    EXPECT_EQ(a.filter_strides, (std::array<index_t, 5>{60, 15, 1, 15, 5}));
    EXPECT_EQ(a.output_lengths, (std::array<index_t, 5>{2, 3, 4, 5, 2}));
    EXPECT_EQ(a.output_strides, (std::array<index_t, 5>{120, 40, 1, 8, 4}));
    EXPECT_EQ(a.strides, (std::array<index_t, 2>{1, 2}));
    EXPECT_EQ(a.dilations, (std::array<index_t, 2>{3, 1}));
    EXPECT_EQ(a.left_pads, (std::array<index_t, 2>{0, 1}));
    EXPECT_EQ(a.right_pads, (std::array<index_t, 2>{-1, -2}));
}

TEST(ConvArrays, RefuseAnotherRankAndLongStrides)
{
    ConvProblem p = make_packed_problem<1>(1, 1, 1, 1, {1}, {1}, {1}, {1}, {0}, {0});
    EXPECT_EQ(to_arrays<1>(p).strides[0], 1);
    const auto message = [](const auto& make) -> std::string {
        try
        {
            make();
        }
        catch(const std::invalid_argument& e)
        {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(message([&] { to_arrays<3>(p); }),
              "the convolution has 1 spatial dimensions, but the arrays are of 3");
    p.input_strides[1] = long_index_t{1} << 31;
    EXPECT_EQ(message([&] { to_arrays<1>(p); }),
              "a stride of 2147483648 elements does not fit into 32 bits");
}

} // namespace
} // namespace ck
