// In what units a matrix of patches is copied: the widest that strides, lengths and the address
// allow. A narrower one is right, too, but slow.
#include "rewrites/im2col_launches.hpp"

#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace ck::tensor_operation::device::instance::im2col_launches {
namespace {

/// Patches of 4 x 4 of an image with `channels` channels, 3 or more, contiguous.
ConvProblem patches(long_index_t channels)
{
    return make_packed_problem<2>(
        1, 2, 16, channels, {4, 4}, {8, 12}, {4, 4}, {1, 1}, {0, 0}, {0, 0});
}

index_t unit(const ConvProblem& p, std::uintptr_t address = 64, index_t bytes = 2)
{
    return unit_of(Im2colCopy::of_windows(p, bytes), reinterpret_cast<const void*>(address));
}

TEST(Im2colMatrix, UnitsAreAsWideAsPatchesAllow)
{
    // A row of a patch has 4 pixels: neighbours in the image and in the matrix.
    EXPECT_EQ(unit(patches(8)), 8);
    EXPECT_EQ(unit(patches(3)), 4) << "12 channels of 2 bytes";
    EXPECT_EQ(unit(patches(8), 64, 4), 4);
    EXPECT_EQ(unit(patches(3), 64, 4), 4);
}

TEST(Im2colMatrix, UnitsAreAtMultiplesOfTheirSize)
{
    EXPECT_EQ(unit(patches(8), 64 + 8), 4);
    EXPECT_EQ(unit(patches(8), 64 + 4), 2);
    EXPECT_EQ(unit(patches(8), 64 + 2), 1);
    EXPECT_EQ(unit(patches(8), 64 + 8, 4), 2);
    EXPECT_EQ(unit(patches(8), 64 + 4, 4), 1);
    for(const std::size_t dim : {1, 4}) // images, lines
    {
        ConvProblem p = patches(8);
        p.input_strides[dim] += 4;
        EXPECT_EQ(unit(p), 4) << dim;
        p.input_strides[dim] += 2;
        EXPECT_EQ(unit(p), 2) << dim;
        p.input_strides[dim] += 1;
        EXPECT_EQ(unit(p), 1) << dim;
    }
}

TEST(Im2colMatrix, ElementsThatAreApartAreMovedOneByOne)
{
    ConvProblem p = patches(8);
    for(std::size_t dim = 1; dim < 6; ++dim)
        p.input_strides[dim] *= 2;
    EXPECT_EQ(unit(p), 1);
}

// Filters that already are rows of a matrix are not copied. One that is not needed is right, too,
// but slow.
TEST(Im2colMatrix, FiltersThatArePackedAreRows)
{
    EXPECT_TRUE(filters_are_rows(patches(8), 2));
    EXPECT_TRUE(filters_are_rows(patches(3), 2)) << "48 elements, of 96 bytes";
    ConvProblem p = patches(3);
    p.filter_strides[1] += 8;
    EXPECT_TRUE(filters_are_rows(p, 2)) << "each of them is at a multiple of 16 bytes";
    p.filter_strides[1] += 4;
    EXPECT_FALSE(filters_are_rows(p, 2)) << "of 8";
    EXPECT_TRUE(filters_are_rows(p, 4));
    p           = patches(3);
    p.filter[2] = 3;
    set_packed_strides(p);
    EXPECT_FALSE(filters_are_rows(p, 2)) << "a filter of 72 bytes needs zeros after it";
    p = patches(8);
    for(std::size_t dim = 1; dim < 6; ++dim)
        p.filter_strides[dim] *= 2;
    EXPECT_FALSE(filters_are_rows(p, 2)) << "its elements are apart";
    p = patches(8);
    p.filter_strides[4] += 8;
    p.filter_strides[1] += 8 * 4;
    EXPECT_FALSE(filters_are_rows(p, 2)) << "its lines are apart";
}

TEST(Im2colMatrix, ShortRunsTakeLonger)
{
    // Patches of 4 x `width` pixels of one channel, so a line of one is short.
    const auto factor = [](long_index_t width, bool to_rows, index_t apart = 1) {
        ConvProblem p = make_packed_problem<2>(
            1, 2, 16, 1, {4, width}, {40, 10 * width}, {4, width}, {1, 1}, {0, 0}, {0, 0});
        for(std::size_t dim = 1; dim < 6; ++dim)
            p.input_strides[dim] *= apart;
        const Im2colCopy c = Im2colCopy::of_windows(p, 2);
        const double bytes =
            2. * 2 * 40 * 10 * static_cast<double>(width) + static_cast<double>(c.bytes());
        for(const double f : {1.2, 2., 3., 6.})
            if(predicted_copy(c, to_rows) == predicted_transposition(f * bytes))
                return f;
        return 0.;
    };
    for(const bool to_rows : {false, true})
    {
        EXPECT_EQ(factor(40, to_rows), 1.2) << to_rows;
        EXPECT_EQ(factor(32, to_rows), 1.2) << to_rows << ", 64 bytes";
        EXPECT_EQ(factor(31, to_rows), 2) << to_rows;
        EXPECT_EQ(factor(8, to_rows), 2) << to_rows << ", 16 bytes";
        EXPECT_EQ(factor(7, to_rows), 3) << to_rows;
        EXPECT_EQ(factor(4, to_rows), 3) << to_rows << ", 8 bytes";
        EXPECT_EQ(factor(3, to_rows), to_rows ? 3 : 6);
        EXPECT_EQ(factor(40, to_rows, 2), to_rows ? 3 : 6) << "elements are apart";
    }
}

} // namespace
} // namespace ck::tensor_operation::device::instance::im2col_launches
