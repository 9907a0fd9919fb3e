// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device::predicted_times {
namespace {

constexpr GemmTuning tuning(index_t m, index_t n)
{
    return {.block_tile  = {m, n, 64},
            .wave_m      = 16,
            .wave_n      = n,
            .instruction = arch::Matrix::wgmma_f32_16x8x16_f16,
            .a_vector    = 8,
            .b_vector    = 8,
            .c_vector    = 8,
            .pipeline    = Pipeline::tensor_maps,
            .stages      = 4};
}

/// Returns the cycles of a GEMM on an H200.
double cycles(GemmTuning t, double rows, double columns, double depth)
{
    const double tiles = std::ceil(rows / t.block_tile.m) * std::ceil(columns / t.block_tile.n);
    return predicted_time(
        t, LaunchShape{tiles, std::ceil(depth / 64), 2 * (rows + columns) * depth, 0}, 132);
}

TEST(PredictedTime, LargeTilesForLargeProblems)
{
    EXPECT_LT(cycles(tuning(128, 256), 200704, 256, 2304),
              cycles(tuning(256, 128), 200704, 256, 2304));
    EXPECT_LT(cycles(tuning(256, 128), 200704, 256, 2304),
              cycles(tuning(64, 64), 200704, 256, 2304));
}

TEST(PredictedTime, TilesThatFitTheColumns)
{
    EXPECT_LT(cycles(tuning(256, 64), 800000, 64, 576), cycles(tuning(128, 256), 800000, 64, 576));
    EXPECT_LT(cycles(tuning(128, 192), 200000, 192, 1152),
              cycles(tuning(128, 256), 200000, 192, 1152));
}

TEST(PredictedTime, SmallTilesWhereThereAreFewerThanUnits)
{
    EXPECT_LT(cycles(tuning(64, 128), 6272, 256, 4608), cycles(tuning(128, 256), 6272, 256, 4608));
}

TEST(PredictedTime, BytesBoundShortSums)
{
    const double bytes = 1e9;
    EXPECT_GE(predicted_time(tuning(128, 256), LaunchShape{1000, 1, bytes, 0}, 132),
              predicted_time(tuning(128, 256), LaunchShape{1000, 1, bytes / 2, 0}, 132) * 1.9);
    EXPECT_GT(predicted_time(tuning(128, 256), LaunchShape{1000, 1, bytes, bytes}, 132),
              predicted_time(tuning(128, 256), LaunchShape{1000, 1, bytes, 0}, 132));
}

TEST(PredictedTime, CopiesOfLinesApartByOddBytesBoundNarrowTiles)
{
    EXPECT_LT(line_cycles(256, 256, true), line_cycles(320, 320, false));
    EXPECT_LT(line_cycles(320, 320, false), line_cycles(400, 400, false));
    LaunchShape shape{1320, 36, 0, 0};
    const double aligned = predicted_time(tuning(64, 256), shape, 132);
    shape.copying        = (64 + 256) * line_cycles(256, 256, true);
    EXPECT_DOUBLE_EQ(predicted_time(tuning(64, 256), shape, 132), aligned) << "wgmma takes longer";
    shape.copying = (64 + 256) * line_cycles(400, 400, false);
    EXPECT_GT(predicted_time(tuning(64, 256), shape, 132), 2 * aligned);
}

TEST(PredictedTime, HalfSlicesAreMultipliedByHalf)
{
    LaunchShape shape{1320, 4, 0, 0};
    const double whole = predicted_time(tuning(128, 256), shape, 132);
    shape.multiplied   = 0.75;
    EXPECT_LT(predicted_time(tuning(128, 256), shape, 132), 0.85 * whole);
}

TEST(PredictedTime, RestsOfRowsThatTapsShareTakeLess)
{
    const double whole = line_cycles(160, 160, false);
    EXPECT_DOUBLE_EQ(line_cycles(160, 160, true), whole * 160 / 256) << "128 bytes and 32";
    EXPECT_DOUBLE_EQ(line_cycles(64, 64, true), line_cycles(64, 64, false)) << "one line";
    EXPECT_DOUBLE_EQ(line_cycles(256, 256, true), line_cycles(256, 256, false));
}

TEST(PredictedTime, TheWorkgroupWithTheMostSlicesIsTheLast)
{
    const auto time = [](double tiles, double longest_share) {
        LaunchShape shape{tiles, 36, 0, 0};
        shape.longest_share = longest_share;
        return predicted_time(tuning(256, 128), shape, 132);
    };
    EXPECT_LT(time(5.2 * 132, 5.3), time(5.2 * 132, 0)) << "balanced";
    EXPECT_EQ(time(6 * 132, 6), time(6 * 132, 0));
    EXPECT_GT(time(132, 16. / 9), time(132, 0)) << "a tile each";
}

TEST(PredictedTime, ZerosThatAreStoredMeanwhileTakeTimeWhereTheyTakeLonger)
{
    LaunchShape shape{1320, 36, 0, 0};
    const double without = predicted_time(tuning(128, 256), shape, 132);
    shape.zero_cycles    = without / 2;
    EXPECT_EQ(predicted_time(tuning(128, 256), shape, 132), without);
    shape.zero_cycles = 2 * without;
    EXPECT_EQ(predicted_time(tuning(128, 256), shape, 132), 2 * without);
}

TEST(PredictedTime, PartsOfTheLastTilesEndTheLongestSharesEarlier)
{
    const GemmTuning t = tuning(256, 128);
    LaunchShape shape{5.2 * 132, 36, 0, 0};
    shape.longest_share = 6.5;
    shape.whole_share   = 5.3;
    EXPECT_EQ(ended(t, shape, {}).longest_share, 6.5);
    EXPECT_EQ(ended(t, shape, {1, 7 * 4, 2}).longest_share, 5.3);
    EXPECT_LT(predicted_time(t, ended(t, shape, {1, 7 * 4, 2}), 132), predicted_time(t, shape, 132))
        << "partial sums are no shares of their own";
}

TEST(PredictedTime, WhatIsTransposedFirstMovesTwice)
{
    GemmTuning t = tuning(256, 128);
    LaunchShape shape{1320, 36, 1e8, 0};
    const double without    = predicted_time(t, shape, 132);
    t.maps.transposed_first = true;
    shape.prologue_bytes    = 2e8;
    EXPECT_GT(predicted_time(t, shape, 132), without + 2e8 / device_bytes_in_a_cycle);
}

TEST(PredictedTime, Tf32SlicesOfHalfTheChannelsTakeTheTimeOfF16)
{
    GemmTuning t      = tuning(128, 128);
    t.block_tile.k    = 32;
    t.instruction     = arch::Matrix::wgmma_f32_16x8x8_tf32;
    const auto slices = [](const GemmTuning& of) {
        return predicted_time(of, LaunchShape{132, 200, 0, 0}, 132) -
               predicted_time(of, LaunchShape{132, 100, 0, 0}, 132);
    };
    EXPECT_DOUBLE_EQ(slices(t), slices(tuning(128, 128)));
    const LaunchShape one{132, 1, 0, 0};
    EXPECT_GT(predicted_time(t, one, 132), predicted_time(tuning(128, 128), one, 132))
        << "a tile has twice the bytes";
}

TEST(PredictedTime, AnOperandThatPassesThroughRegistersTakesLonger)
{
    GemmTuning from_lds      = tuning(128, 128);
    from_lds.block_tile.k    = 32;
    from_lds.instruction     = arch::Matrix::wgmma_f32_16x8x8_tf32;
    GemmTuning columns_first = from_lds;
    columns_first.wave_m     = 128;
    columns_first.wave_n     = 16;
    EXPECT_FALSE(passes_registers(from_lds, false));
    EXPECT_TRUE(passes_registers(from_lds, true)) << "dY's lines lie along its rows";
    EXPECT_TRUE(passes_registers(columns_first, false));
    EXPECT_FALSE(passes_registers(tuning(128, 128), true)) << "wgmma reads two bytes either way";
    const LaunchShape shape{132, 100, 0, 0};
    EXPECT_GT(predicted_time(columns_first, shape, 132), predicted_time(from_lds, shape, 132));
}

TEST(PredictedTime, TilesThatAreHeldAreStoredMeanwhile)
{
    GemmTuning four_warpgroups = tuning(256, 128), two = four_warpgroups;
    two.wave_m = 32;
    ASSERT_TRUE(defers_stores(two));
    ASSERT_FALSE(defers_stores(four_warpgroups));
    const LaunchShape few{1320, 4, 0, 0}, many{1320, 400, 0, 0};
    const auto saved = [&](const LaunchShape& shape) {
        return 1 - predicted_time(two, shape, 132) / predicted_time(four_warpgroups, shape, 132);
    };
    const double of_slices = saved(many); // two rows of instructions share their columns
    EXPECT_GT(of_slices, 0.06);
    EXPECT_LT(of_slices, 0.08); // 8 % of a slice, before what copies write
    EXPECT_GT(saved(few), of_slices + 0.05);
    GemmTuning large   = two;
    large.block_tile.n = large.wave_n = 192;
    EXPECT_FALSE(defers_stores(large)) << "its accumulators leave no registers";
}

/// The producer thread waits where there are fewer stages than a tile has boxes.
TEST(PredictedTime, BoxesOfHaloTilesWaitForRoom)
{
    const double lines = 6 * copy_line_cycles * 300; // lines of six boxes with 300 lines
    EXPECT_EQ(producer_cycles(6, 300, 10000, 6), lines);
    EXPECT_EQ(producer_cycles(6, 300, 10000, 8), lines);
    EXPECT_EQ(producer_cycles(6, 300, 10000, 4), lines) << "lines take longer than the waits";
    EXPECT_GT(producer_cycles(6, 300, 10000, 1), 2 * lines);
    EXPECT_LT(producer_cycles(6, 300, 10000, 2), producer_cycles(6, 300, 10000, 1));
}

TEST(PredictedTime, OfHaloTiles)
{
    GemmTuning t      = tuning(256, 64);
    t.wave_m          = 64;
    t.pipeline        = Pipeline::halo_tiles;
    const auto cycles = [&](const HaloLaunch& launch) { return predicted_time(t, launch, 132); };
    const HaloLaunch bound_by_steps{1320, 14000, 0, 2200, 0, false, 1e6, 0},
        bound_by_copies{1320, 700, 0, 22000, 0, false, 1e6, 0},
        bound_by_bytes{1320, 700, 0, 550, 0, false, 1e9, 0};
    const auto grows = [&](HaloLaunch of, double HaloLaunch::*number) {
        const double before = cycles(of);
        of.*number *= 2;
        return cycles(of) / before;
    };
    EXPECT_GT(grows(bound_by_steps, &HaloLaunch::cycles), 1.8);
    EXPECT_EQ(grows(bound_by_steps, &HaloLaunch::copying), 1);
    EXPECT_GT(grows(bound_by_copies, &HaloLaunch::copying), 1.8);
    EXPECT_EQ(grows(bound_by_copies, &HaloLaunch::cycles), 1);
    EXPECT_GT(grows(bound_by_bytes, &HaloLaunch::bytes), 1.8);
    EXPECT_GT(grows(bound_by_steps, &HaloLaunch::tiles), 1.9);
}

TEST(PredictedTime, OnlyWhereThereIsAModel)
{
    GemmTuning t = tuning(128, 256);
    EXPECT_TRUE(is_modelled(t));
    t.pipeline = Pipeline::halo_tiles;
    EXPECT_TRUE(is_modelled(t));
    t.pipeline    = Pipeline::double_buffer;
    t.instruction = arch::Matrix::mma_f32_16x8x16_f16;
    EXPECT_TRUE(is_modelled(t));
    t.instruction = arch::Matrix::dot_f32_8x4x2_f16;
    EXPECT_FALSE(is_modelled(t));
    t.pipeline = Pipeline::sliding_window;
    EXPECT_TRUE(is_modelled(t));
    t.pipeline = Pipeline::single_buffer;
}

/// Depthwise, 128 images of 56x56 with 96 channels, 3x3, by tiles of 64 rows: as groups of their
/// own, and 16 computed as one.
TEST(PredictedTime, SmallGroupsAreComputedTogether)
{
    GemmTuning t{.block_tile  = {64, 16, 32},
                 .wave_m      = 32,
                 .wave_n      = 16,
                 .instruction = arch::Matrix::mma_f32_16x8x16_f16,
                 .a_vector    = 1,
                 .b_vector    = 1,
                 .c_vector    = 1,
                 .pipeline    = Pipeline::double_buffer};
    const double row_tiles = 128. * 56 * 56 / 64, bytes = 4. * 128 * 56 * 56 * 96;
    const double alone = predicted_time(t, LaunchShape{96 * row_tiles, 9, bytes, 0}, 132);
    t.reduction        = Reduction::merged;
    const LaunchShape together{6 * row_tiles, 5, bytes, 0};
    const double element_by_element = predicted_time(t, together, 132);
    EXPECT_LT(element_by_element, alone / 3);
    t.a_vector = t.c_vector = 8;
    EXPECT_LT(predicted_time(t, together, 132), element_by_element / 2);
}

TEST(PredictedTime, a_few_tiles_that_load_to_registers_have_units_for_themselves)
{
    // 672 to 28 channels of 128 pixels: two tiles, in vectors or element by element.
    GemmTuning t{.block_tile  = {128, 16, 64},
                 .wave_m      = 32,
                 .wave_n      = 16,
                 .instruction = arch::Matrix::mma_f32_16x8x16_f16,
                 .a_vector    = 8,
                 .b_vector    = 8,
                 .c_vector    = 1,
                 .pipeline    = Pipeline::double_buffer};
    const auto time = [&](index_t min_blocks, double tiles) {
        t.min_blocks_per_cu = min_blocks;
        return predicted_time(t, LaunchShape{tiles, 11, 0, 0}, 132);
    };
    EXPECT_EQ(time(4, 2), time(1, 2));
    EXPECT_GT(time(4, 4 * 132), 3 * time(1, 132));
    const double vectors = time(4, 2);
    t.block_tile         = {64, 64, 32};
    t.wave_n             = 32;
    t.a_vector = t.b_vector = 1;
    EXPECT_LT(vectors, predicted_time(t, LaunchShape{2, 21, 0, 0}, 132));
}

TEST(PredictedTime, a_warpgroup_alone_on_a_unit_waits_for_each_slice)
{
    GemmTuning t        = tuning(64, 128);
    t.min_blocks_per_cu = 2;
    const auto time     = [&](double tiles) {
        LaunchShape shape{tiles, 100, 0, 0};
        shape.by_pixels = true;
        return predicted_time(t, shape, 132);
    };
    EXPECT_LT(time(264), 1.7 * time(132)) << "two do not";
}

TEST(PredictedTime, what_backward_weight_reads_by_tensor_maps_moves_faster_and_its_parts_cost_more)
{
    const auto time = [](Pipeline pipeline, bool by_pixels, double bytes, double more_bytes) {
        GemmTuning t = tuning(128, 128);
        t.pipeline   = pipeline;
        LaunchShape shape{132, 1, bytes, more_bytes};
        shape.by_pixels = by_pixels;
        return predicted_time(t, shape, 132);
    };
    const auto maps = Pipeline::tensor_maps, copies = Pipeline::async_copies;
    EXPECT_LT(time(maps, true, 1e9, 0), time(maps, false, 1e9, 0));
    EXPECT_GT(time(maps, true, 1e9, 1e8) - time(maps, true, 1e9, 0),
              2 * (time(copies, true, 1e9, 1e8) - time(copies, true, 1e9, 0)));
}

TEST(PredictedTime, BackwardWeightLoadsCostMore)
{
    GemmTuning t = tuning(64, 64);
    t.wave_m = t.wave_n = 32;
    t.instruction       = arch::Matrix::mma_f32_16x8x16_f16;
    t.pipeline          = Pipeline::single_buffer;
    LaunchShape shape{1320, 100, 0, 0};
    const double by_channels = predicted_time(t, shape, 132);
    shape.by_pixels          = true;
    EXPECT_GT(predicted_time(t, shape, 132), by_channels);
}

TEST(PredictedTime, fused_phases_take_rounds_of_tiles_and_the_bytes)
{
    GemmTuning t    = tuning(128, 64);
    t.pipeline      = Pipeline::fused_phases;
    t.fused.phases  = 4;
    const auto time = [&](double tiles, double cycles, double bytes) {
        return predicted_time(t, FusedLaunch{tiles, cycles, bytes}, 132);
    };
    EXPECT_DOUBLE_EQ(time(1, 5000, 0), time(132, 5000, 0));
    EXPECT_DOUBLE_EQ(time(133, 5000, 0) - time(132, 5000, 0), 5000 + 4 * 450);
    EXPECT_GT(time(132, 5000, 1e9), 1e9 / device_bytes_in_a_cycle);
}

} // namespace
} // namespace ck::tensor_operation::device::predicted_times
