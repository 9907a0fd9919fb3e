// The sign and the factor of every term of the models: what each model predicts for a launch, and
// for the same launch with one number twice as large, once where computing takes longest and once
// where memory does. every_term.txt holds the clock cycles. After an intended change of a model,
// CK_WRITE_PREDICTIONS=1 rewrites them, and the diff of that file shows what changed. The other
// tests of this folder check whether a model is good.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice/weight_cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_window/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/weight_cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/dot_product_cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/intra_block_split_k/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/pointwise_channels_first/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/small_groups/cost.hpp"
#include "ck/tensor_operation/gpu/conv/model/weight_time.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/gpu/conv/model/prediction_lines.hpp"
#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ck::tensor_operation::device::every_term {
namespace {

using enum arch::Matrix;
using enum Pipeline;

constexpr GemmTuning by_mfma = any_row(mfma_f32_32x32x8_f16, {128, 64, 32}, 64, 32);
constexpr GemmTuning to_lds  = any_row(mfma_f32_32x32x16_f16, {128, 64, 32}, 64, 32, async_copies);
constexpr GemmTuning by_mma  = any_row(mma_f32_16x8x16_f16, {128, 64, 32}, 64, 32, double_buffer);
constexpr GemmTuning by_maps = any_row(wgmma_f32_16x8x16_f16, {128, 64, 64}, 64, 64, tensor_maps);
constexpr GemmTuning by_dot  = any_row(dot_f32_8x4x1_f32, {128, 64, 16}, 32, 64);

constexpr auto merged    = [](GemmTuning& t) { t.reduction = Reduction::merged; };
constexpr auto in_pairs  = [](GemmTuning& t) { t.min_blocks_per_cu = 2; };
constexpr auto clustered = [](GemmTuning& t) { t.maps.cluster = 2; };

GemmTuning by_wmma(arch::Requirement of)
{
    for(int i = 0; i < 200; ++i)
    {
        const auto id = static_cast<arch::Matrix>(i);
        if(arch::describe(id).requirement == of && arch::input_bytes(id) == 2)
            return any_row(id, {128, 64, 32}, 32, 32);
    }
    throw std::logic_error("no such instruction");
}

constexpr LaunchShape shape{900, 20, 3e6, 2e6};
const std::vector<std::pair<const char*, double LaunchShape::*>> shape_fields{
    {"tiles", &LaunchShape::tiles},
    {"slices", &LaunchShape::slices},
    {"bytes", &LaunchShape::bytes},
    {"more bytes", &LaunchShape::more_bytes}};
/// A launch on a GPU of AMD's.
constexpr LaunchShape unit_shape{.tiles         = 900,
                                 .slices        = 20,
                                 .bytes         = 3e6,
                                 .more_bytes    = 2e6,
                                 .cache_bytes   = 3e4,
                                 .runs          = 5,
                                 .written_bytes = 1e6,
                                 .lds_bytes     = 3e4};
const std::vector<std::pair<const char*, double LaunchShape::*>> unit_fields{
    {"tiles", &LaunchShape::tiles},
    {"slices", &LaunchShape::slices},
    {"bytes", &LaunchShape::bytes},
    {"more bytes", &LaunchShape::more_bytes},
    {"L2's bytes", &LaunchShape::cache_bytes},
    {"runs", &LaunchShape::runs},
    {"written bytes", &LaunchShape::written_bytes},
    {"LDS", &LaunchShape::lds_bytes}};
constexpr LaunchShape full_shape{.tiles          = 900,
                                 .slices         = 20,
                                 .bytes          = 3e6,
                                 .more_bytes     = 2e6,
                                 .last_tiles     = 80,
                                 .last_slices    = 7,
                                 .more_cycles    = 1500,
                                 .copying        = 900,
                                 .transposed     = 100,
                                 .longest_share  = 1.5,
                                 .zero_cycles    = 5000,
                                 .prologue_bytes = 1e6,
                                 .multiplied     = .75};
const std::vector<std::pair<const char*, double LaunchShape::*>> full_fields{
    {"tiles", &LaunchShape::tiles},
    {"slices", &LaunchShape::slices},
    {"bytes", &LaunchShape::bytes},
    {"more bytes", &LaunchShape::more_bytes},
    {"last tiles", &LaunchShape::last_tiles},
    {"last slices", &LaunchShape::last_slices},
    {"more cycles", &LaunchShape::more_cycles},
    {"copying", &LaunchShape::copying},
    {"transposed", &LaunchShape::transposed},
    {"longest share", &LaunchShape::longest_share},
    {"zero cycles", &LaunchShape::zero_cycles},
    {"ahead bytes", &LaunchShape::prologue_bytes},
    {"multiplied", &LaunchShape::multiplied}};

void matrix_engines(Lines& lines)
{
    const auto mfma = [&](const std::string& name, const GemmTuning& t, arch::Target target) {
        lines.vary("mfma " + name, unit_shape, unit_fields, 100, [&](const LaunchShape& s) {
            return predicted_mfma_time(t, s, 104, target);
        });
        lines.vary("mfma weight " + name, unit_shape, unit_fields, 100, [&](const LaunchShape& s) {
            return predicted_weight_time(t, s, 104, target);
        });
    };
    mfma("through registers", by_mfma, arch::Target::gfx90a);
    mfma("through registers, gfx942", by_mfma, arch::Target::gfx942);
    mfma("merged", changed(by_mfma, merged), arch::Target::gfx90a);
    mfma("to LDS", to_lds, arch::Target::gfx950);
    LaunchShape last = unit_shape;
    last.last_tiles = 50, last.last_slices = 4, last.more_cycles = 700;
    lines.add("mfma last tiles", predicted_mfma_time(by_mfma, last, 104));
    LaunchShape whole = unit_shape;
    whole.more_bytes  = 0;
    for(const auto of : {arch::Requirement::wmma_gfx11, arch::Requirement::wmma_gfx12})
    {
        const GemmTuning t = by_wmma(of);
        const auto target =
            of == arch::Requirement::wmma_gfx11 ? arch::Target::gfx11 : arch::Target::gfx12;
        const std::string name =
            of == arch::Requirement::wmma_gfx11 ? "wmma gfx11 " : "wmma gfx12 ";
        lines.vary(name, unit_shape, unit_fields, 100, [&](const LaunchShape& s) {
            return predicted_wmma_time(t, s, 48);
        });
        lines.vary(name + "weight", unit_shape, unit_fields, 100, [&](const LaunchShape& s) {
            return predicted_weight_time(t, s, 48, target);
        });
        lines.add(name + "merged", predicted_wmma_time(changed(t, merged), unit_shape, 48));
        lines.add(name + "weight in one part", predicted_weight_time(t, whole, 48, target));
        lines.add(name + "last tiles", predicted_wmma_time(t, last, 48));
        const PointwiseLaunch pointwise{5000, 3, 3e6, 1e6};
        lines.vary(name + "pointwise",
                   pointwise,
                   {{"tiles", &PointwiseLaunch::tiles},
                    {"column tiles", &PointwiseLaunch::column_tiles},
                    {"A's bytes", &PointwiseLaunch::a_bytes}},
                   100,
                   [&](const PointwiseLaunch& l) { return predicted_wmma_time(t, l, 48); });
        const FirstLayerLaunch first{5000, 3, 2, 7, 900, 3e6};
        lines.vary(name + "first layer",
                   first,
                   {{"tiles", &FirstLayerLaunch::tiles},
                    {"rounds", &FirstLayerLaunch::rounds},
                    {"rows", &FirstLayerLaunch::rows},
                    {"halo", &FirstLayerLaunch::halo}},
                   100,
                   [&](const FirstLayerLaunch& l) { return predicted_wmma_time(t, l, 48); });
    }
    const PointwiseLaunch pointwise{5000, 3, 3e6, 1e6};
    lines.vary("mfma pointwise",
               pointwise,
               {{"tiles", &PointwiseLaunch::tiles},
                {"column tiles", &PointwiseLaunch::column_tiles},
                {"A's bytes", &PointwiseLaunch::a_bytes}},
               100,
               [&](const PointwiseLaunch& l) { return predicted_mfma_time(by_mfma, l, 104); });
    const FirstLayerLaunch first{5000, 3, 2, 7, 900, 3e6};
    lines.vary("mfma first layer",
               first,
               {{"tiles", &FirstLayerLaunch::tiles},
                {"rounds", &FirstLayerLaunch::rounds},
                {"blocks", &FirstLayerLaunch::blocks},
                {"rows", &FirstLayerLaunch::rows},
                {"halo", &FirstLayerLaunch::halo}},
               100,
               [&](const FirstLayerLaunch& l) { return predicted_mfma_time(by_mfma, l, 104); });
    const ChannelSliceWindowLaunch channel_slice{5000, 3, 2, 9, 900, 3e6};
    lines.vary("channel-slice windows",
               channel_slice,
               {{"tiles", &ChannelSliceWindowLaunch::tiles},
                {"rounds", &ChannelSliceWindowLaunch::rounds},
                {"blocks", &ChannelSliceWindowLaunch::blocks},
                {"taps", &ChannelSliceWindowLaunch::taps},
                {"halo", &ChannelSliceWindowLaunch::halo}},
               100,
               [&](const ChannelSliceWindowLaunch& l) { return predicted_time(by_mfma, l, 104); });
}

void nvidia(Lines& lines)
{
    for(const bool by_pixels : {false, true})
        for(const auto& [name, t] : std::vector<std::pair<std::string, GemmTuning>>{
                {"mma", by_mma},
                {"mma merged", changed(by_mma, merged)},
                {"mma in pairs", changed(by_mma, in_pairs)},
                {"mma async", any_row(mma_f32_16x8x16_f16, {128, 64, 32}, 64, 32, async_copies)},
                {"maps of one warpgroup",
                 changed(any_row(wgmma_f32_16x8x16_f16, {64, 64, 64}, 16, 64, tensor_maps),
                         [](GemmTuning& x) { x.stages = 8; })},
                {"maps", by_maps},
                {"maps in clusters", changed(by_maps, clustered)},
                {"maps that keep filters",
                 changed(by_maps, [](GemmTuning& x) { x.maps.resident_filters = 4; })},
                {"maps pre-transposed",
                 changed(by_maps, [](GemmTuning& x) { x.maps.transposed_first = true; })},
                {"maps that promote",
                 changed(by_maps, [](GemmTuning& x) { x.maps.promoted_accumulation = true; })},
                {"maps of tf32",
                 any_row(wgmma_f32_16x8x8_tf32, {128, 64, 32}, 64, 64, tensor_maps)},
                {"maps of bytes",
                 any_row(wgmma_i32_16x8x32_s8, {128, 128, 128}, 64, 128, tensor_maps)},
                {"wgmma async",
                 any_row(wgmma_f32_16x8x16_f16, {128, 64, 64}, 64, 64, async_copies)},
                {"wgmma columns first",
                 any_row(wgmma_f32_16x8x16_f16, {64, 128, 64}, 64, 64, tensor_maps)}})
        {
            LaunchShape s = full_shape;
            s.by_pixels   = by_pixels;
            const auto of = [&, &t = t](const LaunchShape& x) { return predicted_time(t, x, 132); };
            lines.vary(name + (by_pixels ? " weight" : ""), s, full_fields, 100, of);
            s.transposed = s.longest_share = s.copying = 0;
            lines.add(name + " equal sums" + (by_pixels ? " weight" : ""), of(s));
            s.slices = 2;
            lines.add(name + " short sums" + (by_pixels ? " weight" : ""), of(s));
            s.tiles = 100;
            lines.add(name + " few tiles" + (by_pixels ? " weight" : ""), of(s));
            const double copied = copied_by_threads(t, 10000, by_pixels);
            lines.add(name + " copied by threads" + (by_pixels ? " weight" : ""), copied);
        }
    lines.add("single vectors", copied_by_threads(by_mma, 10000, true, true));
    for(const long_index_t pitch : {128, 192, 200})
        for(const long_index_t bytes : {128, 192, 400})
            for(const bool taps : {false, true})
                lines.add("line " + std::to_string(pitch) + ' ' + std::to_string(bytes) +
                              (taps ? " taps" : ""),
                          line_cycles(pitch, bytes, taps));
    lines.add("zeros", zero_batch_cycles(3));
    lines.add("wgmma", wgmma_cycles(64, false));
    lines.add("wgmma by pixels", wgmma_cycles(64, true));
    lines.add("wgmma through registers", wgmma_cycles_through_registers(64));
    lines.add("wgmma of registers", wgmma_cycles_of_registers(64));
    for(const auto& [copies, count, cycles, stages] : std::vector<std::array<double, 4>>{
            {3, 20, 900, 1}, {3, 20, 9000, 2}, {1, 20, 900, 4}, {9, 200, 900, 3}})
        lines.add("copying " + std::to_string(copies),
                  producer_cycles(copies, count, cycles, static_cast<index_t>(stages)));
    for(const index_t waves : {1, 2})
        for(const bool by_pixels : {false, true})
        {
            const GemmTuning t = changed(
                any_row(wgmma_f32_16x8x16_f16, {64 * waves, 64, 64}, 16, 64, halo_tiles), in_pairs);
            const HaloLaunch halo{1000, 2000, 600, 1500, 5000, false, 3e6, 2e6, by_pixels};
            const std::string name = "halo " + std::to_string(waves) + (by_pixels ? " weight" : "");
            lines.vary(name,
                       halo,
                       {{"tiles", &HaloLaunch::tiles},
                        {"cycles", &HaloLaunch::cycles},
                        {"waiting", &HaloLaunch::waiting},
                        {"copying", &HaloLaunch::copying},
                        {"filters", &HaloLaunch::filters},
                        {"more bytes", &HaloLaunch::more_bytes}},
                       100,
                       [&](const HaloLaunch& l) { return predicted_time(t, l, 132); });
            HaloLaunch short_sums = halo;
            short_sums.is_short   = true;
            short_sums.filters    = 100;
            lines.add(name + " short", predicted_time(t, short_sums, 132));
        }
    lines.vary("fused phases",
               FusedLaunch{1000, 3000, 3e6},
               {{"tiles", &FusedLaunch::tiles}, {"cycles", &FusedLaunch::cycles}},
               100,
               [](const FusedLaunch& l) {
                   return predicted_time(
                       changed(by_maps, [](GemmTuning& t) { t.fused.phases = 4; }), l, 132);
               });
    for(const index_t blocks : {1, 2, 8})
    {
        const GemmTuning t = changed(by_mma, [&](GemmTuning& x) { x.min_blocks_per_cu = blocks; });
        lines.vary("channel slices " + std::to_string(blocks),
                   ChannelSliceLaunch{200, 9, 300, 400, 250, 60, 3e6},
                   {{"blocks", &ChannelSliceLaunch::blocks},
                    {"tiles", &ChannelSliceLaunch::tiles},
                    {"read", &ChannelSliceLaunch::read},
                    {"products", &ChannelSliceLaunch::products},
                    {"lines", &ChannelSliceLaunch::lines},
                    {"filters", &ChannelSliceLaunch::filters}},
                   100,
                   [&](const ChannelSliceLaunch& l) { return predicted_time(t, l, 132); });
        lines.vary("weight channel slices " + std::to_string(blocks),
                   ChannelSliceWeightLaunch{200, 9, 900, 700, 250, 3e6, 2e6},
                   {{"blocks", &ChannelSliceWeightLaunch::blocks},
                    {"tiles", &ChannelSliceWeightLaunch::tiles},
                    {"read", &ChannelSliceWeightLaunch::read},
                    {"products", &ChannelSliceWeightLaunch::products},
                    {"lines", &ChannelSliceWeightLaunch::lines},
                    {"more bytes", &ChannelSliceWeightLaunch::more_bytes}},
                   100,
                   [&](const ChannelSliceWeightLaunch& l) { return predicted_time(t, l, 132); });
    }
    for(const index_t vector : {4, 8})
        for(const index_t wave_n : {32, 64})
        {
            const GemmTuning t =
                changed(any_row(mma_f32_16x8x16_f16, {64, 128, 128}, 32, wave_n, first_layer),
                        [&](GemmTuning& x) {
                            x.b_vector = vector, x.window.vector = 4, x.min_blocks_per_cu = 2,
                            x.sliced.waves = 2;
                        });
            lines.vary("first layer weight " + std::to_string(vector) + ' ' +
                           std::to_string(wave_n),
                       FirstLayerWeightLaunch{500, 9, 900, 2, 3e6, 2e6},
                       {{"blocks", &FirstLayerWeightLaunch::blocks},
                        {"tiles", &FirstLayerWeightLaunch::tiles},
                        {"halo", &FirstLayerWeightLaunch::halo},
                        {"columns", &FirstLayerWeightLaunch::columns},
                        {"more bytes", &FirstLayerWeightLaunch::more_bytes}},
                       100,
                       [&](const FirstLayerWeightLaunch& l) { return predicted_time(t, l, 132); });
            lines.add("first layer weight in one part",
                      predicted_time(t, FirstLayerWeightLaunch{90, 9, 90, 1, 3e6, 0}, 132));
        }
}

void other_kernels(Lines& lines)
{
    for(const bool nvidia : {false, true})
    {
        const GemmTuning t     = changed(nvidia ? by_mma : by_mfma, [](GemmTuning& x) {
            x.min_blocks_per_cu = 2, x.channels_first.vector = 4;
        });
        const std::string name = nvidia ? " mma" : " mfma";
        lines.vary("intra-block split-K" + name,
                   IntraBlockSplitKLaunch{900, 500, 64, 30, 70, 50, 3e6, 2e6},
                   {{"blocks", &IntraBlockSplitKLaunch::blocks},
                    {"depth", &IntraBlockSplitKLaunch::depth},
                    {"unit", &IntraBlockSplitKLaunch::unit},
                    {"loads", &IntraBlockSplitKLaunch::loads},
                    {"sectors", &IntraBlockSplitKLaunch::sectors},
                    {"lines", &IntraBlockSplitKLaunch::lines},
                    {"more bytes", &IntraBlockSplitKLaunch::more_bytes}},
                   100,
                   [&](const IntraBlockSplitKLaunch& l) { return predicted_time(t, l, 132); });
        lines.add("intra-block split-K in one part" + name,
                  predicted_time(t, IntraBlockSplitKLaunch{900, 500, 64, 30, 70, 50, 3e6, 0}, 132));
        lines.add("intra-block split-K line" + name, intra_block_split_k_times(t).line_bytes);
        lines.vary("channels first" + name,
                   ChannelsFirstLaunch{90000, 4, 3, 3e6, 1e6},
                   {{"runs", &ChannelsFirstLaunch::runs},
                    {"tiles", &ChannelsFirstLaunch::tiles},
                    {"column tiles", &ChannelsFirstLaunch::column_tiles},
                    {"A's bytes", &ChannelsFirstLaunch::a_bytes}},
                   100,
                   [&](const ChannelsFirstLaunch& l) { return predicted_time(t, l, 132); });
        for(const index_t columns : {64, 256}) // a wave waits for the filters of its block
        {
            const GemmTuning deep =
                changed(t, [&](GemmTuning& x) { x.block_tile.k = 512, x.block_tile.n = columns; });
            lines.vary("channels first, deep filters, " + std::to_string(columns) + name,
                       ChannelsFirstLaunch{90000, 5, 3, 3e6, 1e6},
                       {{"tiles", &ChannelsFirstLaunch::tiles}},
                       100,
                       [&](const ChannelsFirstLaunch& l) { return predicted_time(deep, l, 132); });
        }
    }
    for(const bool by_pixels : {false, true})
        for(const index_t vector : {1, 2, 4})
            for(const double tiles : {100., 900.})
            {
                LaunchShape s = shape;
                s.tiles = tiles, s.by_pixels = by_pixels;
                lines.vary(
                    "dot products of " + std::to_string(vector) + (by_pixels ? " weight" : ""),
                    s,
                    shape_fields,
                    100,
                    [&](const LaunchShape& x) {
                        return predicted_dot_product_time(changed(by_dot,
                                                                  [&](GemmTuning& t) {
                                                                      t.a_vector = vector,
                                                                      t.b_vector = 3 - vector / 2;
                                                                  }),
                                                          x,
                                                          132);
                    });
            }
    GemmTuning t = any_row(dot_f32_8x4x1_f32, {64, 32, 16}, 16, 32, small_groups);
    t.window     = {.y = 3, .x = 5, .stride = 2, .columns = 7, .vector = 2, .stages = 2, .z = 3};
    for(const index_t blocks : {1, 3})
    {
        t.min_blocks_per_cu = blocks;
        lines.vary("small groups " + std::to_string(blocks),
                   SmallGroupsLaunch{200000, 3, 6, 4, 3e6},
                   {{"threads", &SmallGroupsLaunch::threads},
                    {"segments", &SmallGroupsLaunch::segments},
                    {"steps", &SmallGroupsLaunch::steps},
                    {"filters", &SmallGroupsLaunch::filters}},
                   100,
                   [&](const SmallGroupsLaunch& l) { return predicted_time(t, l, 4, 132); });
    }
    for(std::size_t field = 0; field < 7; ++field)
    {
        std::array<double, 6> v{2000, 3, 6, 5, 4, 7};
        if(field < 6)
            v[field] *= 2;
        lines.add("small groups weight " + std::to_string(field),
                  predicted_weight_cycles(t, {v[0], v[1], v[2], v[3], v[4], v[5]}));
    }
    for(const double bytes : {3e6, 3e8})
        for(const double more : {1., 2.})
        {
            const std::string name =
                (bytes > 1e7 ? " moving " : " computing ") + std::to_string(more);
            lines.add("depthwise taps" + name,
                      predicted_depthwise_time(t, 9 * more, 4e6, bytes, 132));
            lines.add("depthwise stored" + name,
                      predicted_depthwise_time(t, 9, 4e6 * more, bytes, 132));
            lines.add("depthwise waits" + name,
                      predicted_depthwise_time(t, 90 * more, 4e3, bytes, 132));
            lines.add("windows" + name, predicted_window_time(t, 4e5 * more, bytes, 132));
            lines.add("long filters taps" + name,
                      predicted_long_filter_time(t, 4e5 * more, 3e4, bytes, 132));
            lines.add("long filters filters" + name,
                      predicted_long_filter_time(t, 4e5, 3e4 * more, bytes, 132));
            for(const double column_tiles : {1., 3.})
                for(const bool whole : {false, true})
                    for(const index_t c : {1, 2})
                        lines.add("pointwise " + std::to_string(column_tiles) + ' ' +
                                      std::to_string(whole) + ' ' + std::to_string(c) + name,
                                  predicted_pointwise_time(
                                      changed(by_mma, [&](GemmTuning& x) { x.c_vector = c; }),
                                      4e4 * more,
                                      column_tiles,
                                      whole,
                                      bytes,
                                      132));
            for(const bool rows : {false, true})
                for(const index_t vector : {4, 8})
                {
                    const GemmTuning first = changed(by_mma, [&](GemmTuning& x) {
                        x.block_tile.n = 32, x.window.whole_rows = rows, x.window.vector = vector,
                        x.min_blocks_per_cu = 2;
                    });
                    const std::string which =
                        "first layer " + std::to_string(rows) + ' ' + std::to_string(vector);
                    lines.add(which + name,
                              predicted_first_layer_time(first, 4e4 * more, 9, 7, 900, bytes, 132));
                    lines.add(
                        which + " rounds" + name,
                        predicted_first_layer_time(first, 4e3, 90 * more, 7, 900, bytes, 132));
                    lines.add(which + " rows" + name,
                              predicted_first_layer_time(first, 4e4, 9, 7 * more, 900, bytes, 132));
                    lines.add(which + " halo" + name,
                              predicted_first_layer_time(first, 4e4, 9, 7, 900 * more, bytes, 132));
                }
        }
}

TEST(EveryTerm, IsAsItWas)
{
    Lines lines;
    matrix_engines(lines);
    nvidia(lines);
    other_kernels(lines);
    lines.compare("every_term.txt");
}

} // namespace
} // namespace ck::tensor_operation::device::every_term
