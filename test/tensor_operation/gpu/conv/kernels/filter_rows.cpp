// How many lines of X filter rows may meet: each row of Y, and two pixels more.
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/filter_row/launcher.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

constexpr GemmTuning of_filter_rows{.block_tile  = {128, 384, 32},
                                    .wave_m      = 128,
                                    .wave_n      = 48,
                                    .instruction = arch::Matrix::wgmma_f32_16x8x8_tf32,
                                    .a_vector    = 4,
                                    .b_vector    = 4,
                                    .c_vector    = 4,
                                    .pipeline    = Pipeline::filter_rows};
using PassThrough = element_wise::PassThrough;
using FilterRows  = ConvFilterRows<
    ConvTypes<float, float, float, PassThrough, PassThrough, PassThrough, Tuple<>, tf32_t, tf32_t>,
    of_filter_rows>;

/// Images of 2x4 pixels and filters of 1x3. All images are the same memory.
Support check_images(long_index_t images)
{
    ConvProblem p =
        make_packed_problem<2>(1, images, 4, 4, {1, 3}, {2, 4}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    p.input_strides[1] = p.output_strides[1] = 0;
    return FilterRows::check(p, 1);
}

TEST(FilterRows, MeetFewerThan2To31Lines)
{
    // Two rows of two pixels of Y, and of four pixels of X.
    constexpr long_index_t images = long_index_t{1} << 28;
    EXPECT_EQ(check_images(images - 1).reason, "");
    EXPECT_EQ(check_images(images).reason,
              "filter rows meet 2147483648 pixels of X, but this kernel counts fewer than 2^31");
}

} // namespace
} // namespace ck::tensor_operation::device
