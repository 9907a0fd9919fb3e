// Labels: optimized where sanitized, not on AMD
// Cases not sanitized: HaloTiles.backward_weight_in_lines_of_32_channels
// Cases not sanitized: TensorMaps.backward_weight_of_clusters_in_parts
// Cases not sanitized: TensorMaps.backward_weight_of_two_instructions_rows_in_parts
// Cases not sanitized: HaloTiles.backward_weight FilterRows.backward_weight
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::backward_weight {
namespace {

using namespace tensor_operation::device;

TEST(TensorMaps, backward_weight)
{
    index_t split_k = 0;
    for_problems({std::mt19937(3), true}, 8, [&](const ConvProblem& p) {
        split_k = split_k % 3 + 1;
        return expect_right_weight<half_t,
                                   map_tuning(arch::Matrix::wgmma_f32_16x8x16_f16, 64, 64, 3, 4)>(
            p, split_k);
    });
}

/// A copy may reach beyond the channels of the only tap.
TEST(TensorMaps, backward_weight_of_one_tap_and_any_channels)
{
    index_t split_k = 0;
    for_problems({.random = std::mt19937(8), .by_pixels = true, .most_taps = 1},
                 5,
                 [&](const ConvProblem& p) {
                     split_k = split_k % 3 + 1;
                     return expect_right_weight<
                         half_t,
                         map_tuning(arch::Matrix::wgmma_f32_16x8x16_f16, 64, 128, 3, 4)>(p,
                                                                                         split_k);
                 });
}

/// A problem with this number of output channels, and 6 * 64 columns in all groups together.
constexpr ConvProblem several_tiles(index_t out_channels, index_t groups)
{
    ConvProblem p;
    p.rank         = 2;
    p.groups       = groups;
    p.batch        = 2;
    p.out_channels = out_channels / groups;
    p.in_channels  = 64 / groups;
    p.filter       = {1, 3, 2};
    p.input        = {1, 14, 13};
    p.pad_low      = {0, 1, 1};
    set_packed_strides(p);
    return p;
}

constexpr GemmTuning small_tile = map_tuning(arch::Matrix::wgmma_f32_16x8x16_f16, 64, 64, 3, 4),
                     wide_tile  = map_tuning(arch::Matrix::wgmma_f32_16x8x16_f16, 64, 128, 3, 4);

/// The first tiles in two partial sums, or whole.
TEST(TensorMaps, backward_weight_of_tiles_of_two_kinds)
{
    const ConvProblem p = several_tiles(160, 1);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right_weight<half_t, small_tile>(p, 1)).reason);
    for(const SplitPlan& plan : {SplitPlan{2, 4, 5}, SplitPlan{1, 7, 3}})
        EXPECT_EQ((expect_right_weight<half_t, small_tile>(p, 1, plan)).reason, "");
}

/// A warp's rows do not follow each other.
TEST(TensorMaps, backward_weight_of_two_instructions_rows_in_parts)
{
    constexpr GemmTuning two = [] {
        GemmTuning t = map_tuning(arch::Matrix::wgmma_f32_16x8x16_f16, 128, 64, 3, 4);
        t.wave_m     = 32;
        return t;
    }();
    const ConvProblem p = several_tiles(160, 1);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, (expect_right_weight<half_t, two>(p, 1)).reason);
    for(const index_t split_k : {1, 3})
        EXPECT_EQ((expect_right_weight<half_t, two>(p, split_k)).reason, "");
}

TEST(TensorMaps, backward_weight_of_clusters_in_parts)
{
    constexpr GemmTuning clusters = [] {
        GemmTuning t   = wide_tile;
        t.maps.cluster = 2;
        return t;
    }();
    const ConvProblem p = several_tiles(160, 1);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, (expect_right_weight<half_t, clusters>(p, 1)).reason);
    for(const index_t split_k : {1, 3, -1})
        EXPECT_EQ((expect_right_weight<half_t, clusters>(p, split_k)).reason, "");
    EXPECT_EQ((expect_right_weight<half_t, clusters>(p, 1, SplitPlan{2, 5, 3})).reason, "");
}

/// Groups computed as one: partial sums of other rows and columns than dW's.
TEST(TensorMaps, backward_weight_of_merged_groups)
{
    const ConvProblem p = several_tiles(64, 8);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right_weight<half_t, wide_tile>(p, 1)).reason);
    for(const index_t split_k : {1, 3, -1})
        EXPECT_EQ((expect_right_weight<half_t, wide_tile>(p, split_k)).reason, "");
    EXPECT_EQ((expect_right_weight<half_t, wide_tile>(p, 1, SplitPlan{2, 2, 3, false})).reason, "");
}

TEST(TensorMapsTf32, backward_weight)
{
    index_t split_k = 0;
    for_problems({std::mt19937(7), true}, 6, [&](const ConvProblem& p) {
        split_k = split_k % 3 + 1;
        return expect_right_weight<float,
                                   map_tuning(arch::Matrix::wgmma_f32_16x8x8_tf32, 64, 64, 3, 4),
                                   tf32_t>(p, split_k);
    });
}

/// Both operands are transposed in LDS. Filters of several taps need 128 channels.
TEST(TensorMapsInt8, backward_weight)
{
    Draw draw{std::mt19937(10), true};
    draw.pack       = 16;
    index_t split_k = 0;
    for_problems(
        draw,
        4,
        [&](const ConvProblem& p) {
            split_k = split_k % 3 + 1;
            return expect_right_weight<std::int8_t,
                                       map_tuning(
                                           arch::Matrix::wgmma_i32_16x8x32_s8, 128, 128, 3, 16),
                                       std::int8_t,
                                       std::int8_t>(p, split_k);
        },
        "128 channels of X");
}

/// Three warpgroups, of `line` channels at three taps each.
constexpr GemmTuning halo_tuning(arch::Matrix id, index_t line)
{
    GemmTuning t   = map_tuning(id, 64, 9 * line, 2, 4);
    t.wave_n       = 3 * line;
    t.block_tile.k = 128;
    t.pipeline     = Pipeline::halo_tiles;
    return t;
}

TEST(HaloTiles, backward_weight)
{
    index_t split_k = 0;
    for_problems(
        {std::mt19937(5), false, 1},
        3,
        [&](const ConvProblem& p) {
            split_k = split_k % 3 + 1;
            return expect_right_weight<half_t,
                                       halo_tuning(arch::Matrix::wgmma_f32_16x8x16_f16, 64)>(
                p, split_k);
        },
        "halo tiles");
}

/// A tile has three taps in x.
TEST(HaloTiles, backward_weight_of_filters_wider_than_a_tile)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 1, 64, 64, {3, 5}, {8, 16}, {1, 1}, {1, 1}, {1, 2}, {1, 2});
    EXPECT_TRUE(
        (expect_right_weight<half_t, halo_tuning(arch::Matrix::wgmma_f32_16x8x16_f16, 64)>(p, 1)));
}

TEST(HaloTiles, backward_weight_in_lines_of_32_channels)
{
    index_t split_k = 0;
    for_problems(
        {std::mt19937(6), false, 1},
        3,
        [&](const ConvProblem& p) {
            split_k = split_k % 3 + 1;
            return expect_right_weight<bhalf_t,
                                       halo_tuning(arch::Matrix::wgmma_f32_16x8x16_bf16, 32)>(
                p, split_k);
        },
        "halo tiles");
}

constexpr GemmTuning filter_row_tuning()
{
    GemmTuning t = map_tuning(arch::Matrix::wgmma_f32_16x8x8_tf32, 128, 384, 2, 4);
    t.wave_m     = 128;
    t.wave_n     = 48;
    t.pipeline   = Pipeline::filter_rows;
    return t;
}

/// A problem that filter rows are for: Y has an even number of pixels in x.
ConvProblem of_filter_rows(ConvProblem p)
{
    p.stride[2]   = 1;
    p.dilation[2] = 1;
    p.filter[2]   = std::max<long_index_t>(p.filter[2], 2);
    p.input[2]    = std::max(p.input[2], p.filter[2]);
    p.input[2] += p.output()[2] % 2;
    set_packed_strides(p);
    return p;
}

TEST(FilterRows, backward_weight)
{
    Draw draw{std::mt19937(8), true};
    draw.most_taps  = 5;
    index_t split_k = 0;
    for_problems(
        draw,
        4,
        [&](const ConvProblem& p) {
            split_k = split_k % 3 + 1;
            return expect_right_weight<float, filter_row_tuning(), tf32_t>(of_filter_rows(p),
                                                                           split_k);
        },
        "of taps");
}

/// Channels that are no whole boxes.
TEST(FilterRows, backward_weight_of_few_channels)
{
    ConvProblem p = several_tiles(20, 1);
    p.in_channels = 36;
    p.filter[2]   = 3;
    CK_SKIP_WITHOUT(
        arch::Requirement::wgmma,
        (expect_right_weight<float, filter_row_tuning(), tf32_t>(of_filter_rows(p), 1)).reason);
    for(const index_t split_k : {1, 3, -1})
        EXPECT_EQ(
            (expect_right_weight<float, filter_row_tuning(), tf32_t>(of_filter_rows(p), split_k))
                .reason,
            "");
}

/// Partial sums are floats, also where dW is not.
TEST(FilterRows, backward_weight_of_halves)
{
    const ConvProblem p     = of_filter_rows(several_tiles(20, 1));
    const auto expect_right = [&](index_t split_k) {
        return expect_right_weight<float, filter_row_tuning(), tf32_t, half_t>(p, split_k).reason;
    };
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, expect_right(1));
    for(const index_t split_k : {1, 3})
        EXPECT_EQ(expect_right(split_k), "");
}

/// A slice begins at as many places of rows as they have pairs of pixels.
TEST(FilterRows, backward_weight_of_long_rows)
{
    ConvProblem p = several_tiles(20, 1);
    p.batch       = 1;
    p.in_channels = 36;
    p.filter      = {1, 1, 3};
    p.input[1]    = 2;
    p             = of_filter_rows(p);
    p.input[2] += 1026 - p.output()[2];
    set_packed_strides(p);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right_weight<float, filter_row_tuning(), tf32_t>(p, 1)).reason);
    EXPECT_EQ((expect_right_weight<float, filter_row_tuning(), tf32_t>(p, 2)).reason, "");
}

TEST(FilterRows, refuse_strides_and_odd_rows)
{
    ConvProblem p = of_filter_rows(several_tiles(160, 1));
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right_weight<float, filter_row_tuning(), tf32_t>(p, 1)).reason);
    const auto expect_refused = [](ConvProblem of, const char* word) {
        set_packed_strides(of);
        const Support s = expect_right_weight<float, filter_row_tuning(), tf32_t>(of, 1);
        EXPECT_NE(s.reason.find(word), std::string::npos) << s.reason;
    };
    ConvProblem odd = p, strided = p, dilated = p, one = p, wide = p;
    ++odd.input[2];
    expect_refused(odd, ", but this kernel needs an even Wo");
    strided.stride[2] = 2;
    expect_refused(strided, "the stride in x is 2, but this kernel needs 1");
    dilated.dilation[2] = 2;
    expect_refused(dilated, "the dilation in x is 2, but this kernel needs 1");
    one.filter[2] = 1;
    expect_refused(one, "the filter's length in x is 1, but this kernel needs more");
    wide.in_channels = wide.out_channels = 4;
    wide.batch                           = 1;
    wide.input[2] += FilterRowLines::longest_row + 2 - wide.output()[2];
    expect_refused(wide, "Wo is 32770, but this kernel needs at most 32768");
}

} // namespace
} // namespace ck::test::backward_weight
