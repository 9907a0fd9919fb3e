// Small groups by MFMA: padding is multiplied, and nothing else.
#include "tables/channel_slice_windows.hpp"

#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

/// Channel slices of `channels` channels; tiles of 64 pixels.
constexpr GemmTuning of_channel_slices(arch::Matrix id, index_t channels)
{
    return tables::channel_slice_windows(id, channels, 9, 64, 2, 180, 2);
}
constexpr GemmTuning channel_slices_f16      = of_channel_slices(mfma_f32_16x16x16_f16, 16),
                     channel_slices_f16_wide = of_channel_slices(mfma_f32_16x16x16_f16, 32),
                     channel_slices_bf16     = of_channel_slices(mfma_f32_16x16x16_bf16_1k, 16);

/// Groups that share a channel slice, two, four or eight, and those that have one.
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

TEST(NonFiniteChannelSliceWindows, Forward)
{
    check<ForwardDirection, half_t, channel_slices_f16>(of_channels(8));
    check<ForwardDirection, half_t, channel_slices_f16>(of_channels(16));
    check<ForwardDirection, half_t, channel_slices_f16_wide>(of_channels(4));
    check<ForwardDirection, half_t, channel_slices_f16>(of_channels(2));
}
TEST(NonFiniteChannelSliceWindows, BackwardData)
{
    check<BackwardDataDirection, bhalf_t, channel_slices_bf16>(of_channels(8));
    check<BackwardDataDirection, bhalf_t, channel_slices_bf16>(of_channels(16));
    check<BackwardDataDirection, half_t, channel_slices_f16_wide>(of_channels(4));
}

} // namespace
} // namespace ck::test
