// Kernels that copy by tensor maps, all directions.
//
// Labels: not sanitized, optimized where sanitized, not on AMD
#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;
using enum Pipeline;

constexpr GemmTuning
map_tuning(arch::Matrix id, index_t m, index_t n, Pipeline pipeline = tensor_maps)
{
    const index_t bytes = arch::input_bytes(id);
    return {.block_tile  = {m, n, 128 / bytes},
            .wave_m      = 16,
            .wave_n      = n,
            .instruction = id,
            .a_vector    = 16 / bytes,
            .b_vector    = 16 / bytes,
            .c_vector    = 4,
            .pipeline    = pipeline,
            .stages      = 3};
}
constexpr GemmTuning f16 = map_tuning(wgmma_f32_16x8x16_f16, 64, 64);

constexpr GemmTuning of_halo_tiles = [] {
    GemmTuning t   = map_tuning(wgmma_f32_16x8x16_f16, 128, 32, Pipeline::halo_tiles);
    t.block_tile.k = 32;
    t.stages       = 2;
    return t;
}();
constexpr GemmTuning fused = [] {
    GemmTuning t   = map_tuning(wgmma_f32_16x8x16_f16, 128, 64, fused_phases);
    t.stages       = 2;
    t.fused.phases = 4;
    return t;
}();
constexpr GemmTuning kept = [] {
    GemmTuning t            = f16;
    t.maps.resident_filters = 12;
    t.stages                = 2;
    return t;
}();
/// Warps have 16 columns and all rows of the block.
constexpr GemmTuning columns_first(index_t m, index_t n)
{
    GemmTuning t = map_tuning(wgmma_f32_16x8x8_tf32, m, n);
    t.wave_m     = m;
    t.wave_n     = 16;
    return t;
}
constexpr GemmTuning transposed_first(GemmTuning t)
{
    t.maps.transposed_first = true;
    return t;
}
constexpr GemmTuning halo_weight = [] {
    GemmTuning t   = map_tuning(wgmma_f32_16x8x16_f16, 64, 288, Pipeline::halo_tiles);
    t.wave_n       = 96;
    t.block_tile.k = 128;
    t.stages       = 2;
    return t;
}();
/// Channel slices of 8 channels at 3 x 3 taps.
constexpr GemmTuning channel_slice_weight = [] {
    GemmTuning t = map_tuning(mma_f32_16x8x16_f16, 64, 72, channel_slices);
    t.wave_m     = 8;
    t.a_vector = t.b_vector = t.c_vector = 1;
    t.window.y = t.window.x = 3;
    return t;
}();
/// Channel slices of 8 channels, of tiles of 64 pixels.
constexpr GemmTuning slice_tuning = [] {
    GemmTuning t   = map_tuning(mma_f32_16x8x16_f16, 64, 64, channel_slices);
    t.block_tile.k = 8;
    t.b_vector     = 1;
    t.c_vector     = 8;
    t.reduction    = Reduction::merged;
    return t;
}();
constexpr GemmTuning row_weight = [] {
    GemmTuning t = map_tuning(wgmma_f32_16x8x8_tf32, 128, 384, filter_rows);
    t.wave_m     = 128;
    t.wave_n     = 48;
    t.stages     = 2;
    return t;
}();

std::vector<ConvProblem> of_one_group() { return channels_of(8, 1); }
std::vector<ConvProblem> of_two_taps()
{
    return {make_packed_problem<2>(1, 2, 40, 24, {1, 2}, {7, 6}, {1, 1}, {1, 2}, {2, 1}, {0, 2})};
}
/// One has stride 2 in both dimensions.
std::vector<ConvProblem> strided()
{
    return {make_packed_problem<2>(1, 2, 40, 24, {3, 2}, {7, 6}, {2, 2}, {1, 1}, {2, 1}, {0, 2}),
            make_packed_problem<2>(1, 1, 72, 24, {3, 3}, {8, 7}, {2, 2}, {3, 1}, {2, 0}, {3, 1})};
}
/// Two groups in a channel slice, or one; filters, and phases of backward data, of odd numbers of
/// taps; a last line of fewer groups.
std::vector<ConvProblem> of_channel_slices()
{
    return {make_packed_problem<2>(6, 2, 4, 4, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {2, 1}, {0, 2}),
            make_packed_problem<2>(2, 1, 8, 8, {3, 3}, {6, 7}, {1, 1}, {2, 1}, {0, 3}, {1, 1}),
            make_packed_problem<2>(18, 1, 4, 4, {3, 2}, {5, 4}, {1, 1}, {1, 1}, {1, 1}, {1, 0})};
}
/// X's channels a multiple of 64, for filters of several taps.
std::vector<ConvProblem> for_weights()
{
    return {make_packed_problem<2>(1, 2, 40, 64, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {2, 1}, {0, 2}),
            make_packed_problem<2>(1, 2, 24, 64, {2, 3}, {6, 7}, {2, 2}, {2, 1}, {0, 3}, {1, 1})};
}
std::vector<ConvProblem> of_unit_strides()
{
    return {make_packed_problem<2>(1, 2, 40, 24, {3, 2}, {7, 6}, {1, 1}, {1, 2}, {2, 1}, {0, 2}),
            make_packed_problem<2>(1, 2, 24, 40, {2, 3}, {6, 9}, {1, 1}, {2, 1}, {0, 3}, {1, 2})};
}
/// Y has an even number of pixels in x, where stride and dilation are 1.
std::vector<ConvProblem> of_filter_rows()
{
    return {make_packed_problem<2>(1, 2, 40, 24, {3, 2}, {7, 6}, {2, 1}, {1, 1}, {2, 1}, {0, 2}),
            make_packed_problem<2>(1, 2, 24, 36, {2, 4}, {6, 7}, {1, 1}, {2, 1}, {0, 3}, {1, 1})};
}

TEST(NonFiniteTensorMaps, Forward) { check<ForwardDirection, half_t, f16>(of_one_group()); }
TEST(NonFiniteTensorMaps, ForwardResidentFilters)
{
    check<ForwardDirection, half_t, kept>(of_one_group());
}
TEST(NonFiniteTensorMaps, ForwardTf32)
{
    check<ForwardDirection, float, map_tuning(wgmma_f32_16x8x8_tf32, 64, 64), tf32_t>(
        of_one_group());
}
TEST(NonFiniteTensorMaps, ForwardHaloTiles)
{
    check<ForwardDirection, half_t, of_halo_tiles>(of_one_group());
}
TEST(NonFiniteTensorMaps, BackwardData)
{
    check<BackwardDataDirection, half_t, f16>(of_one_group());
}
TEST(NonFiniteTensorMaps, BackwardDataResidentFilters)
{
    check<BackwardDataDirection, half_t, kept>(of_two_taps());
}
TEST(NonFiniteTensorMaps, BackwardDataTf32)
{
    check<BackwardDataDirection, float, columns_first(64, 64), tf32_t>(of_one_group());
}
TEST(NonFiniteTensorMaps, BackwardDataTf32TransposedFirst)
{
    check<BackwardDataDirection,
          float,
          transposed_first(map_tuning(wgmma_f32_16x8x8_tf32, 64, 64)),
          tf32_t>(of_one_group());
}
TEST(NonFiniteTensorMaps, BackwardDataHaloTiles)
{
    check<BackwardDataDirection, half_t, of_halo_tiles>(of_one_group());
}
TEST(NonFiniteTensorMaps, BackwardDataFusedPhases)
{
    check<BackwardDataDirection, half_t, fused>(strided());
}
TEST(NonFiniteTensorMaps, ForwardChannelSlices)
{
    check<ForwardDirection, half_t, slice_tuning>(of_channel_slices());
}
TEST(NonFiniteTensorMaps, BackwardDataChannelSlices)
{
    check<BackwardDataDirection, half_t, slice_tuning>(of_channel_slices());
}
TEST(NonFiniteTensorMaps, BackwardWeight) { check_weight<half_t, f16>(for_weights()); }
TEST(NonFiniteTensorMaps, BackwardWeightTf32)
{
    check_weight<float, map_tuning(wgmma_f32_16x8x8_tf32, 64, 64), tf32_t>(for_weights());
}
TEST(NonFiniteTensorMaps, BackwardWeightTf32TransposedFirst)
{
    check_weight<float, transposed_first(columns_first(64, 64)), tf32_t>(for_weights());
}
TEST(NonFiniteTensorMaps, BackwardWeightHaloTiles)
{
    check_weight<half_t, halo_weight>(of_unit_strides());
}
/// Two groups in a channel slice.
TEST(NonFiniteTensorMaps, BackwardWeightChannelSlices)
{
    check_weight<half_t, channel_slice_weight>(
        {make_packed_problem<2>(6, 2, 4, 4, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {2, 1}, {0, 2})});
}
TEST(NonFiniteTensorMaps, BackwardWeightFilterRows)
{
    check_weight<float, row_weight, tf32_t>(of_filter_rows());
}
TEST(NonFiniteTensorMaps, BackwardWeightMergedGroups)
{
    const ConvProblem p =
        make_packed_problem<2>(8, 2, 8, 8, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {2, 1}, {0, 2});
    check_weight<half_t, map_tuning(wgmma_f32_16x8x16_f16, 64, 128)>({p});
}

} // namespace
} // namespace ck::test
