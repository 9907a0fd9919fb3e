// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

/// Of Y, G N K D H W: N 2, K 8, W 3, channels last.
constexpr TensorLengths lengths{1, 2, 8, 1, 1, 3};
constexpr TensorStrides packed{8, 24, 1, 24, 24, 8};

void expect_refused(const Support& s, const std::string& why)
{
    EXPECT_NE(s.reason.find(why), std::string::npos) << s.reason;
}

TEST(CheckWritten, TakesPackedTensorsAndThoseWithGaps)
{
    EXPECT_TRUE(check_written("Y", lengths, packed));
    EXPECT_TRUE(check_written("Y", lengths, {0, 100, 1, 0, 0, 30})) << "lengths of 1 have any";
    EXPECT_TRUE(check_written("Y", lengths, {8, 1, 6, 24, 24, 2})) << "in another order";
    EXPECT_TRUE(check_written("Y", {1, 0, 8, 1, 1, 3}, {})) << "no elements";
}

TEST(CheckWritten, RefusesElementsAtOneAddress)
{
    expect_refused(check_written("Y", lengths, {8, 0, 1, 24, 24, 8}),
                   "a stride of Y, which is written, is 0, but must be above 0");
    expect_refused(check_written("Y", lengths, {8, 24, 1, 24, 24, 7}), "is 7, but must be above 7");
    expect_refused(check_written("Y", lengths, {8, 23, 1, 24, 24, 8}),
                   "is 23, but must be above 23");
}

TEST(CheckVectors, RefusesAddressesBetweenElements)
{
    const auto at = [](std::uintptr_t address, index_t vector) {
        return check_vectors(
            "X", "C", lengths, packed, 2, vector, 4, reinterpret_cast<const void*>(address));
    };
    EXPECT_TRUE(at(0, 1));
    EXPECT_TRUE(at(4, 1));
    expect_refused(at(2, 1), "not a multiple of the 4 bytes of an element");
    expect_refused(at(2, 4), "not a multiple of the 4 bytes of an element");
    expect_refused(at(4, 4), "not a multiple of 16 bytes");
    EXPECT_TRUE(at(16, 4));
}

TEST(CheckWorkspace, IsAtAMultipleOf16)
{
    EXPECT_TRUE(check_workspace(nullptr));
    alignas(16) const char memory[32]{};
    EXPECT_TRUE(check_workspace(memory));
    expect_refused(check_workspace(memory + 4), "not a multiple of 16 bytes");
}

} // namespace
} // namespace ck::tensor_operation::device
