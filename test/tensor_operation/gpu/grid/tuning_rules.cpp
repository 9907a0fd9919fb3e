// Each rule of tunings refuses what is one step beyond it, with its own explanation. The tables
// contain only valid tunings, so no other test reaches the rules.
//
// Labels: not sanitized, not emulated
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"

#include "ck/tensor_operation/operator_transform/backward_weight.hpp"
#include "ck/tensor_operation/operator_transform/forward.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace ck::grid::tuning_rules {
namespace {

using Change = std::function<void(GemmTuning&)>;

/// What is said of the tuning, changed so; "" for nothing.
template <class Rule>
std::string said(
    const Rule& rule, GemmTuning t, const Change& change = [](GemmTuning&) {})
{
    change(t);
    const char* const why = rule(t);
    return why == nullptr ? "" : why;
}

/// Whether `rule` takes the tuning, and refuses it with each change, in words that begin so.
struct Refused
{
    std::string begins;
    Change change;
};
template <class Rule>
void expect(const Rule& rule, const GemmTuning& t, const std::vector<Refused>& all)
{
    EXPECT_EQ(said(rule, t), "");
    for(std::size_t i = 0; i < all.size(); ++i)
        EXPECT_TRUE(said(rule, t, all[i].change).starts_with(all[i].begins))
            << i << ": \"" << said(rule, t, all[i].change) << "\", not \"" << all[i].begins << '"';
}
template <class Rule>
void expect_taken(const Rule& rule, const GemmTuning& t, const std::vector<Change>& all)
{
    for(std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(said(rule, t, all[i]), "") << i;
}

constexpr GemmTuning mma{.block_tile  = {128, 64, 32},
                         .wave_m      = 64,
                         .wave_n      = 32,
                         .instruction = arch::Matrix::mma_f32_16x8x16_f16,
                         .a_vector    = 8,
                         .b_vector    = 8,
                         .c_vector    = 8,
                         .pipeline    = Pipeline::async_copies};
constexpr GemmTuning wgmma{.block_tile  = {128, 128, 64},
                           .wave_m      = 16,
                           .wave_n      = 128,
                           .instruction = arch::Matrix::wgmma_f32_16x8x16_f16,
                           .a_vector    = 8,
                           .b_vector    = 8,
                           .c_vector    = 8,
                           .pipeline    = Pipeline::tensor_maps};

TEST(TuningRules, FieldsBelongToPipelines)
{
    const auto rule = [](const GemmTuning& t) { return why_no_fields(t); };
    expect(
        rule,
        mma,
        {{"only Pipeline::tensor_maps has", [](auto& t) { t.maps.cluster = 2; }},
         {"only Pipeline::tensor_maps has", [](auto& t) { t.maps.promoted_accumulation = true; }},
         {"only Pipeline::halo_tiles has", [](auto& t) { t.halo.pixels = 2; }},
         {"only Pipeline::fused_phases has", [](auto& t) { t.fused.phases = 4; }},
         {"only Pipeline::sliding_window, long_filter", [](auto& t) { t.window.x = 3; }},
         {"only in Pipeline::intra_block_split_k and first_layer",
          [](auto& t) { t.sliced.waves = 2; }},
         {"only Pipeline::pointwise_channels_first and",
          [](auto& t) { t.channels_first.vector = 4; }},
         {"only a merged reduction", [](auto& t) { t.merged_groups = 2; }}});
    using enum Pipeline;
    const auto of = [](Pipeline p, auto change) {
        return [p, change](GemmTuning& t) {
            t.pipeline = p;
            change(t);
        };
    };
    const auto window = [](GemmTuning& t) { t.window.x = 3; };
    const auto sliced = [](GemmTuning& t) { t.sliced.waves = 2; };
    const auto planes = [](GemmTuning& t) { t.channels_first.vector = 4; };
    expect_taken(rule,
                 mma,
                 {of(tensor_maps, [](GemmTuning& t) { t.maps.cluster = 2; }),
                  of(halo_tiles, [](GemmTuning& t) { t.halo.pixels = 2; }),
                  of(fused_phases, [](GemmTuning& t) { t.fused.phases = 4; }),
                  of(sliding_window, window),
                  of(long_filter, window),
                  of(small_groups, window),
                  of(channel_slices, window),
                  of(first_layer, window),
                  of(channel_slice_windows, window),
                  of(intra_block_split_k, sliced),
                  of(first_layer, sliced),
                  of(pointwise_channels_first, planes),
                  of(intra_block_split_k, planes),
                  of(other, planes),
                  [](GemmTuning& t) { t.merged_groups = 1; },
                  [](GemmTuning& t) {
                      t.merged_groups = 2;
                      t.reduction     = Reduction::merged;
                  }});
}

TEST(TuningRules, TilesAreOfWaveTilesAndThoseOfInstructions)
{
    const auto rule            = [](const GemmTuning& t) { return why_no_waves(t); };
    const std::string positive = "tiles must be positive",
                      whole    = "block_tile is not a whole number of wave tiles",
                      parts    = "a wave tile is not a whole number of instructions";
    expect(rule,
           mma,
           {{"only a merged reduction", [](auto& t) { t.merged_groups = 2; }},
            {positive, [](auto& t) { t.block_tile.m = 0; }},
            {positive, [](auto& t) { t.block_tile.n = 0; }},
            {positive, [](auto& t) { t.block_tile.k = 0; }},
            {positive, [](auto& t) { t.wave_m = 0; }},
            {positive, [](auto& t) { t.wave_n = -32; }},
            {whole, [](auto& t) { t.block_tile.m = 96; }},
            {whole, [](auto& t) { t.block_tile.n = 48; }},
            {parts, [](auto& t) { t.wave_m = 8, t.block_tile.m = 32; }},
            {parts, [](auto& t) { t.wave_n = 4, t.block_tile.n = 8; }},
            {"a workgroup has more than 1024 threads", [](auto& t) {
                 t.wave_m = 16, t.wave_n = 16, t.block_tile = {256, 48, 32};
             }}});
    expect_taken(rule, mma, {[](auto& t) { // 32 waves
                     t.wave_m = 16, t.wave_n = 16, t.block_tile = {256, 32, 32};
                 }});
}

TEST(TuningRules, HaloTilesAreForWgmmaOfTwoBytesTapByTap)
{
    const auto rule = [](const GemmTuning& t) { return why_no_halo_tiles(t); };
    GemmTuning halo = wgmma;
    halo.pipeline   = Pipeline::halo_tiles;
    expect(rule,
           halo,
           {{"block_tile is not a whole", [](auto& t) { t.block_tile.m = 120; }},
            {"halo tiles are for wgmma", [](auto& t) { t.reduction = Reduction::merged; }},
            {"halo tiles are for wgmma",
             [](auto& t) { t.instruction = arch::Matrix::mma_f32_16x8x16_f16; }},
            {"halo tiles are of elements of two bytes",
             [](auto& t) { t.instruction = arch::Matrix::wgmma_i32_16x8x32_s8; }}});
}

TEST(TuningRules, WgmmaHasItsColumns)
{
    for(index_t n = 0; n <= 300; ++n)
        EXPECT_EQ(has_wgmma_of(n),
                  n == 32 || n == 64 || n == 96 || n == 128 || n == 160 || n == 192 || n == 256)
            << n;
}

TEST(TuningRules, WgmmaReadsWhatItCan)
{
    const auto forward       = [](const GemmTuning& t) { return why_no_wgmma<Forward>(t); };
    const auto weight        = [](const GemmTuning& t) { return why_no_wgmma<BackwardWeight>(t); };
    const std::string bytes  = "wgmma reads elements of one byte along the reduction only",
                      floats = "wgmma drops bits of floats", rows = "wgmma's warps have 16 rows",
                      columns = "wgmma reads columns that are contiguous";
    const auto of_bytes = [](GemmTuning& t) { t.instruction = arch::Matrix::wgmma_i32_16x8x32_s8; };
    const auto async    = [](GemmTuning& t) { t.pipeline = Pipeline::async_copies; };
    const auto floats_of = [](GemmTuning& t) {
        t.instruction = arch::Matrix::wgmma_f32_16x8x8_tf32;
    };
    expect(forward,
           wgmma,
           {{floats, [&](auto& t) { floats_of(t), async(t); }},
            {rows, [](auto& t) { t.wave_m = 64; }},
            {rows, [&](auto& t) { async(t), t.wave_m = 32; }},
            {rows, [](auto& t) { t.wave_n = 64; }},
            {rows, [](auto& t) { t.block_tile.m = 96; }},
            {rows, [](auto& t) { t.wave_n = t.block_tile.n = 224; }}});
    expect_taken(forward,
                 wgmma,
                 {of_bytes,
                  floats_of,
                  async,
                  [&](auto& t) { of_bytes(t), async(t); }, // both lie along the reduction
                  [](auto& t) { t.wave_m = 32; },
                  [](auto& t) { t.wave_n = t.block_tile.n = 96; }});
    expect(weight,
           wgmma,
           {{bytes, [&](auto& t) { of_bytes(t), async(t); }},
            {bytes, [&](auto& t) { of_bytes(t), t.block_tile.m = 64; }},
            {bytes, [&](auto& t) { of_bytes(t), t.wave_n = t.block_tile.n = 96; }},
            {columns, [](auto& t) { t.wave_n = t.block_tile.n = 96; }},
            {columns, [&](auto& t) { async(t), t.wave_n = t.block_tile.n = 96; }}});
    expect_taken(weight,
                 wgmma,
                 {of_bytes,
                  [](auto& t) { t.wave_n = t.block_tile.n = 32; },
                  [](auto& t) { t.wave_n = t.block_tile.n = 64; }});
}

TEST(TuningRules, SlicesLieInLds)
{
    const auto forward = [](const GemmTuning& t) { return why_no_slices<Forward>(t); };
    const auto weight  = [](const GemmTuning& t) { return why_no_slices<BackwardWeight>(t); };
    const auto plain   = [](GemmTuning& t) { t.pipeline = Pipeline::single_buffer; };
    expect(forward,
           mma,
           {{"a circular buffer of LDS slices", [](auto& t) { t.stages = 1; }},
            {"a circular buffer of LDS slices",
             [](auto& t) { t.pipeline = Pipeline::tensor_maps, t.stages = 1; }},
            {"block_tile.k is not a whole number of 16-byte packs",
             [](auto& t) { t.block_tile.k = 36; }},
            {"asynchronous copies take one load of at least 4 bytes",
             [](auto& t) { t.a_vector = 1; }}});
    expect_taken(forward,
                 mma,
                 {[](auto& t) { t.stages = 2; },
                  [&](auto& t) { plain(t), t.stages = 1; }, // has no ring
                  [&](auto& t) { plain(t), t.a_vector = 1; }});
    const auto tf32 = [](GemmTuning& t) {
        t.instruction = arch::Matrix::mma_f32_16x8x8_tf32;
        t.a_vector = t.b_vector = 4;
    };
    expect_taken(weight, mma, {plain, [&](auto& t) { plain(t), tf32(t); }});
    EXPECT_TRUE(
        said(weight, mma, tf32).starts_with("packs along the rows are transposed by ldmatrix"));
    // One-byte elements: 16 in a load, 8 columns in an instruction.
    const auto bytes = [&](GemmTuning& t) {
        plain(t);
        t.instruction = arch::Matrix::mma_i32_16x8x32_s8;
    };
    expect_taken(weight, mma, {bytes});
    EXPECT_TRUE(said(weight, mma, [&](auto& t) {
                    bytes(t), t.b_vector = 16;
                }).starts_with("a global load along an operand's rows is wider"));
}

} // namespace
} // namespace ck::grid::tuning_rules
