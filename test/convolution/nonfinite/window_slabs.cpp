// Small groups by MFMA: padding is multiplied, and nothing else.
#include "tables/window_slabs.hpp"

#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

/// Slabs of so many channels; tiles of 64 pixels.
constexpr GemmTuning of_slabs(arch::Matrix id, index_t channels)
{
    return tables::window_slabs(id, channels, 9, 64, 2, 180, 2);
}
constexpr GemmTuning slabs_f16      = of_slabs(mfma_f32_16x16x16_f16, 16),
                     slabs_f16_wide = of_slabs(mfma_f32_16x16x16_f16, 32),
                     slabs_bf16     = of_slabs(mfma_f32_16x16x16_bf16_1k, 16);

/// Groups that share a slab, two, four or eight, and those that have one.
std::vector<ConvProblem> of_channels(long_index_t channels)
{
    return {make_packed_problem<2>(64 / channels,
                                   2,
                                   channels,
                                   channels,
                                   {3, 2},
                                   {5, 6},
                                   {1, 1},
                                   {1, 2},
                                   {2, 1},
                                   {0, 2},
                                   PackedOrder::group_inside)};
}

TEST(NonFiniteWindowSlabs, Forward)
{
    check<ForwardDirection, half_t, slabs_f16>(of_channels(8));
    check<ForwardDirection, half_t, slabs_f16>(of_channels(16));
    check<ForwardDirection, half_t, slabs_f16_wide>(of_channels(4));
    check<ForwardDirection, half_t, slabs_f16>(of_channels(2));
}
TEST(NonFiniteWindowSlabs, BackwardData)
{
    check<BackwardDataDirection, bhalf_t, slabs_bf16>(of_channels(8));
    check<BackwardDataDirection, bhalf_t, slabs_bf16>(of_channels(16));
    check<BackwardDataDirection, half_t, slabs_f16_wide>(of_channels(4));
}

} // namespace
} // namespace ck::test
