// Labels: compiled alone
#include "ck/tensor_operation/operator_transform/forward_limits.hpp"

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

TEST(ForwardLimits, the_largest_batch_is_the_last_that_holds)
{
    EXPECT_EQ(largest_forward_batch(image_of(256, 192, 192, 28), half), 256);
    for(const long_index_t k : {16, 64, 192})
    {
        const ConvProblem p   = image_of(1 << 20, k, 48, 28);
        const index_t largest = largest_forward_batch(p, half);
        // bytes of the larger of X and Y for each image
        const long_index_t image = 2 * 28 * 28 * std::max<long_index_t>(k, 48);
        EXPECT_EQ(largest, 2147483647 / image);
        EXPECT_TRUE(check_forward(p, largest, half));
        expect_word(check_forward(p, largest + 1, half), k > 48 ? "Y spans" : "X spans");
    }
}

TEST(ForwardLimits, tensors_that_one_launch_cannot_address_are_named)
{
    EXPECT_EQ(largest_forward_batch(image_of(1, 8, 64, 5000), half), 0);
    expect_word(check_forward(image_of(1, 8, 64, 5000), 1, half), "X spans 3200000000 bytes");
    expect_word(check_forward(image_of(1, 64, 8, 5000), 1, half), "Y spans 3200000000 bytes");
    expect_word(check_forward(image_of(1, 16384, 16384, 4), 1, half), "W spans 4831838208 bytes");
}

TEST(ForwardLimits, rows_and_taps_are_limited_where_bytes_are_not)
{
    ConvProblem p = make_packed_problem<1>(1, 1 << 20, 1, 1, {1}, {2000}, {1}, {1}, {0}, {0});
    const ElementBytes byte{1, 1, 1};
    EXPECT_EQ(largest_forward_batch(p, byte), (1 << 30) / 2000);
    expect_word(check_forward(p, (1 << 30) / 2000 + 1, byte), "output pixels");

    p                = image_of(1, 8, 8, 8);
    p.filter         = {1, 1 << 16, 1 << 15};
    p.pad_low        = {0, 1 << 16, 1 << 15};
    p.filter_strides = {};
    expect_word(check_forward(p, 1, half), "taps");
}

TEST(ForwardLimits, an_empty_batch_fits)
{
    EXPECT_EQ(largest_forward_batch(image_of(0, 8, 8, 8), half), 1);
}

} // namespace
} // namespace ck
