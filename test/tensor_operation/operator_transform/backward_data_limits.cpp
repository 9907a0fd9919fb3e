// Labels: compiled alone
#include "ck/tensor_operation/operator_transform/backward_data_limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ck {
namespace {

constexpr ElementBytes half{2, 2, 2};

ConvProblem image_of(long_index_t batch, long_index_t k, long_index_t c, long_index_t size)
{
    return make_packed_problem<2>(
        1, batch, k, c, {3, 3}, {size, size}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
}

void expect_word(const Support& s, const char* word)
{
    EXPECT_NE(s.reason.find(word), std::string::npos) << '"' << s.reason << "\" lacks " << word;
}

TEST(BackwardDataLimits, small_problems_go_in_one_sub_batch)
{
    const ConvProblem p = image_of(256, 192, 192, 28);
    EXPECT_EQ(largest_batch(p, half), 256);
    EXPECT_TRUE(check_backward_data(p, 256, half)) << check_backward_data(p, 256, half).reason;
}

TEST(BackwardDataLimits, the_largest_batch_is_the_last_that_holds)
{
    for(const long_index_t k : {16, 64, 192})
    {
        const ConvProblem p   = image_of(1 << 20, k, 48, 28);
        const index_t largest = largest_batch(p, half);
        // bytes of the larger of dX and dY for each image
        const long_index_t image = 2 * 28 * 28 * std::max<long_index_t>(k, 48);
        EXPECT_EQ(largest, 2147483647 / image);
        EXPECT_TRUE(check_backward_data(p, largest, half));
        const Support more = check_backward_data(p, largest + 1, half);
        EXPECT_FALSE(more);
        expect_word(more, k > 48 ? "dY spans" : "dX spans");
        expect_word(more, std::to_string((largest + 1) * image).c_str());
    }
}

TEST(BackwardDataLimits, tensors_that_one_launch_cannot_address_are_named)
{
    const ConvProblem images = image_of(1, 8, 64, 5000);
    EXPECT_EQ(largest_batch(images, half), 0);
    expect_word(check_backward_data(images, 1, half), "dX spans 3200000000 bytes");

    const ConvProblem filter = image_of(1, 16384, 16384, 4);
    EXPECT_EQ(largest_batch(filter, half), 0);
    expect_word(check_backward_data(filter, 1, half), "W spans 4831838208 bytes");

    ConvProblem strided       = image_of(4, 8, 8, 8);
    strided.output_strides[1] = long_index_t{1} << 33;
    EXPECT_EQ(largest_batch(strided, half), 1) << "images far apart go one by one";
}

TEST(BackwardDataLimits, groups_are_the_callers)
{
    ConvProblem p = make_packed_problem<2>(8192,
                                           8,
                                           64,
                                           64,
                                           {3, 3},
                                           {28, 28},
                                           {1, 1},
                                           {1, 1},
                                           {1, 1},
                                           {1, 1},
                                           PackedOrder::group_first);
    EXPECT_GT(element_count(p.input_lengths()), 2147483647);
    EXPECT_EQ(largest_batch(p, half), 8);
}

TEST(BackwardDataLimits, strides_and_dilations_may_be_long)
{
    ConvProblem p = image_of(1, 8, 8, 8);
    p.stride      = {1, 50000, 2147483647};
    EXPECT_EQ(largest_batch(p, half), 1) << "64 pixels are as many phases";
    p             = image_of(1, 8, 8, 8);
    p.filter      = {1, 1, 1};
    p.stride[1]   = 40000;
    p.dilation[1] = 40000;
    EXPECT_EQ(largest_batch(p, half), 1);
    p        = image_of(1, 1, 1, 50000);
    p.stride = {1, 50000, 50000};
    for(auto* strides : {&p.input_strides, &p.output_strides})
        *strides = {0, 0, 0, 0, 0, 0}; // fewer bytes than phases
    expect_word(check_backward_data(p, 1, half), "2500000000 phases");
}

TEST(BackwardDataLimits, an_empty_batch_fits)
{
    EXPECT_EQ(largest_batch(image_of(0, 8, 8, 8), half), 1);
    EXPECT_TRUE(check_backward_data(image_of(0, 8, 8, 8), 1, half));
}

TEST(BackwardDataLimits, rows_are_limited_where_bytes_are_not)
{
    const ConvProblem p = make_packed_problem<1>(1, 1 << 20, 1, 1, {1}, {2000}, {1}, {1}, {0}, {0});
    const ElementBytes byte{1, 1, 1};
    EXPECT_EQ(largest_batch(p, byte), (1 << 30) / 2000);
    expect_word(check_backward_data(p, (1 << 30) / 2000 + 1, byte), "2000 rows");
}

} // namespace
} // namespace ck
