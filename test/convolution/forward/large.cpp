// Images that 32-bit offsets cannot reach are refused; any number of images is accepted.
//
// Labels: not sanitized, not on AMD, compiled alone
#include <gtest/gtest.h>

#include "convolution/lattice/instance_of.hpp"

namespace ck::test {
namespace {

constexpr GemmTuning tuning{.block_tile  = {32, 32, 32},
                            .wave_m      = 32,
                            .wave_n      = 32,
                            .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                            .a_vector    = 8,
                            .b_vector    = 8,
                            .c_vector    = 4};
using GroupedOp = GroupedOperation<2, half_t, tuning>;

/// What names the operation is a template with it as a default: nvcc cannot spell its type
/// elsewhere.
template <class O = GroupedOp>
std::string why_not(const ConvProblem& p)
{
    return O{}.WhyNotSupported(make_grouped_argument<O, 2>(p, nullptr, nullptr, nullptr).get());
}

TEST(ForwardLarge, OneImageOrFilterBeyondTwoGigabytesIsRefused)
{
    const auto image = [](long_index_t height) {
        return make_packed_problem<2>(
            1, 2, 8, 64, {1, 1}, {height, 1 << 12}, {1, 1 << 12}, {1, 1}, {0, 0}, {0, 0});
    };
    const std::string reason = why_not(image(1 << 12)); // 2^12 x 2^12 x 64 halves
    EXPECT_NE(reason.find("X spans 2147483648 bytes"), std::string::npos) << reason;
    EXPECT_EQ(why_not(image((1 << 12) - 1)), "");
    ConvProblem many = image((1 << 12) - 1);
    many.batch       = 100; // any number of images: 200 GiB in sub-batches
    set_packed_strides(many);
    EXPECT_EQ(why_not(many), "");
    many.groups = 3; // 600 GiB
    set_packed_strides(many, PackedOrder::group_first);
    EXPECT_EQ(why_not(many), "");
}

} // namespace
} // namespace ck::test
