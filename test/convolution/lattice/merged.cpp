// Small groups computed as one: vectors longer than a group's channels, and what forbids it.
//
// Labels: not sanitized, not emulated
#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {
namespace {

/// For kernels that take the channels of several groups together, along A and C in vectors of 8,
/// tiles 64 columns wide.
constexpr GemmTuning merged_tuning(index_t groups)
{
    return {.block_tile    = {32, 64, 32},
            .wave_m        = 32,
            .wave_n        = 32,
            .instruction   = arch::Matrix::dot_f32_8x4x2_f16, // runs on every device
            .a_vector      = 8,
            .b_vector      = 1,
            .c_vector      = 8,
            .reduction     = Reduction::merged,
            .merged_groups = groups};
}

/// automatic, of_eight: kernels of merged_tuning(0) and merged_tuning(8).
void check_merged_groups(const Instance& automatic, const Instance& of_eight)
{
    // As many as divide G, fit in 64 columns and make whole vectors: 64, 8, 32 ...
    for(const long_index_t groups : {64, 8, 32, 24, 16, 128})
    {
        expect_right(automatic, small_groups(groups, 1, 1));
        expect_right(of_eight, small_groups(groups, 1, 1));
    }
    expect_right(automatic, small_groups(4, 4, 2));
    expect_right(automatic, small_groups(4, 2, 4));
    expect_right(automatic, small_groups(6, 4, 4));
    expect_right(automatic, small_groups(2, 24, 32)); // two groups: 64 columns, or 48
    expect_right(automatic, small_groups(3, 40, 72)); // one group is too wide
    expect_right(of_eight, small_groups(8, 3, 5));    // two tiles of columns

    expect_refusal(automatic, small_groups(63, 1, 1), "is 1, not a multiple of 8");
    expect_refusal(
        automatic, small_groups(64, 1, 1, PackedOrder::group_first), "is 1, not a multiple of 8");
    expect_refusal(of_eight, small_groups(12, 1, 1), "G is 12, not a multiple of the 8 groups");
    expect_refusal(of_eight,
                   small_groups(8, 2, 2, PackedOrder::group_first),
                   "elements apart, not the 2 of their channels");
}

TEST(MergedGroups, AreRightOrRefused)
{
    check_merged_groups(InstanceOf<half_t, merged_tuning(0)>("automatic"),
                        InstanceOf<half_t, merged_tuning(8)>("8 groups"));
}

} // namespace
} // namespace ck::test
