#include "ck/tensor_operation/gpu/warp/banks.hpp"

#include <gtest/gtest.h>

namespace ck::warp {
namespace {

TEST(Banks, CountPassesOfKnownPatterns)
{
    const auto stride = [](index_t bytes) {
        return [bytes](index_t lane) { return lane * bytes; };
    };
    EXPECT_EQ(bank_passes(32, 4, stride(4)), 1) << "one word of each bank";
    EXPECT_EQ(bank_passes(64, 4, stride(4)), 2);
    EXPECT_EQ(bank_passes(32, 4, stride(8)), 2) << "every other bank";
    EXPECT_EQ(bank_passes(32, 4, stride(128)), 32) << "one bank";
    EXPECT_EQ(bank_passes(32, 4, stride(132)), 1) << "padded by one";
    EXPECT_EQ(bank_passes(32, 4, stride(0)), 1) << "one word for all";
    EXPECT_EQ(bank_passes(32, 16, stride(16)), 4);
    EXPECT_EQ(bank_passes(32, 16, stride(128)), 32);
    EXPECT_EQ(bank_passes(32, 16, stride(144)), 4);
    EXPECT_EQ(bank_passes(32, 8, stride(16)), 4);
    EXPECT_EQ(bank_passes(4, 16, [](index_t lane) { return lane / 2 * 128; }), 2) << "pairs share";
}

} // namespace
} // namespace ck::warp
