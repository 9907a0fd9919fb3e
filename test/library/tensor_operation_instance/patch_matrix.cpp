// In what units a matrix of patches is copied: the widest that strides, lengths and the address
// allow. A narrower one is right, too, but slow.
#include "rewrites/patch_matrix.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace ck::tensor_operation::device::instance {
namespace {

/// Patches of 4 x 4 of an image with so many channels, 3 or more, packed.
ConvProblem patches(long_index_t channels)
{
    return make_packed_problem<2>(
        1, 2, 16, channels, {4, 4}, {8, 12}, {4, 4}, {1, 1}, {0, 0}, {0, 0});
}

index_t unit(const ConvProblem& p, std::uintptr_t address = 64, index_t bytes = 2)
{
    return unit_of(PatchCopy::of_windows(p, bytes), reinterpret_cast<const void*>(address));
}

TEST(PatchMatrix, UnitsAreAsWideAsPatchesAllow)
{
    // A row of a patch has 4 pixels: neighbours in the image and in the matrix.
    EXPECT_EQ(unit(patches(8)), 8);
    EXPECT_EQ(unit(patches(3)), 4) << "12 channels of 2 bytes";
    EXPECT_EQ(unit(patches(8), 64, 4), 4);
    EXPECT_EQ(unit(patches(3), 64, 4), 4);
}

TEST(PatchMatrix, UnitsAreAtMultiplesOfTheirSize)
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

TEST(PatchMatrix, ElementsThatAreApartAreMovedOneByOne)
{
    ConvProblem p = patches(8);
    for(std::size_t dim = 1; dim < 6; ++dim)
        p.input_strides[dim] *= 2;
    EXPECT_EQ(unit(p), 1);
}

} // namespace
} // namespace ck::tensor_operation::device::instance
