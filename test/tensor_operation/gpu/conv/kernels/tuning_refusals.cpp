// Explanations of what is wrong with a tuning.
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice/weight_kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_window/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/depthwise/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/filter_row/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/fused_phases/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/halo/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/halo/weight_kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/kernel.hpp"
#include "ck/tensor_operation/operator_transform/backward_data.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"
#include "ck/tensor_operation/operator_transform/forward.hpp"
#include "ck/tensor_operation/operator_transform/merged_forward.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ck::grid {
namespace {

/// By the rules of the kernel that the tuning is for.
template <class Transform>
constexpr const char* why_not(const GemmTuning& t)
{
    switch(t.pipeline)
    {
    case Pipeline::tensor_maps:
        return why_no_tensor_maps<Transform>(t);
    case Pipeline::halo_tiles:
        return Transform::a_along_k ? why_no_image_halo_tiles(t) : why_no_weight_halo_tiles(t);
    case Pipeline::fused_phases:
        return why_no_fused_phases<Transform>(t);
    case Pipeline::filter_rows:
        return why_no_filter_rows<Transform>(t);
    case Pipeline::channel_slices:
        return Transform::a_along_k ? why_no_channel_slices(t) : why_no_weight_channel_slices(t);
    case Pipeline::channel_slice_windows:
        return why_no_channel_slice_windows(t);
    case Pipeline::direct:
        return why_no_depthwise(t);
    default:
        return why_no_gemm<Transform>(t);
    }
}

constexpr GemmTuning sound{.block_tile  = {128, 128, 32},
                           .wave_m      = 64,
                           .wave_n      = 64,
                           .instruction = arch::Matrix::mfma_f32_32x32x8_f16,
                           .a_vector    = 8,
                           .b_vector    = 8,
                           .c_vector    = 8};
static_assert(why_not<BackwardData>(sound) == nullptr);
static_assert(wave_count(sound) == 4 && block_size(sound) == 256);

template <class Change>
void expect_refusal(Change change, const char* part)
{
    GemmTuning t = sound;
    change(t);
    const char* const reason = why_not<BackwardData>(t);
    ASSERT_NE(reason, nullptr) << "accepted, though " << part;
    EXPECT_NE(std::string(reason).find(part), std::string::npos) << reason;
}

TEST(GemmTuning, SaysWhatIsWrong)
{
    expect_refusal([](GemmTuning& t) { t.block_tile.m = 0; }, "must be positive");
    expect_refusal([](GemmTuning& t) { t.wave_n = -32; }, "must be positive");
    expect_refusal([](GemmTuning& t) { t.wave_m = 96; }, "whole number of wave tiles");
    expect_refusal([](GemmTuning& t) { t.wave_m = t.wave_n = 16; }, "whole number of instructions");
    expect_refusal(
        [](GemmTuning& t) {
            t.block_tile = {512, 512, 32}, t.wave_m = t.wave_n = 32;
        },
        "more than 1024 threads");
    expect_refusal([](GemmTuning& t) { t.block_tile.m = 192; }, "share the slice of an operand");
    expect_refusal([](GemmTuning& t) { t.a_vector = 16; }, "wider than 16 bytes");
    expect_refusal([](GemmTuning& t) { t.block_tile.k = 36; }, "16-byte packs");
    expect_refusal(
        [](GemmTuning& t) {
            t.instruction = arch::Matrix::dot_f32_8x4x2_f16;
            t.wave_m = t.wave_n = 64;
            t.b_vector          = 8;
        },
        "wider than an instruction's rows");
    expect_refusal([](GemmTuning& t) { t.pipeline = Pipeline::async_copies; }, "need mma.sync");
    expect_refusal(
        [](GemmTuning& t) {
            t.instruction = arch::Matrix::mma_f32_16x8x16_f16;
            t.pipeline    = Pipeline::async_copies;
            t.stages      = 1;
        },
        "at least two stages");
    expect_refusal(
        [](GemmTuning& t) {
            t.instruction = arch::Matrix::mma_f32_16x8x8_tf32;
            t.pipeline    = Pipeline::async_copies;
            t.a_vector = t.b_vector = 4;
        },
        "elements of one or two bytes");
    expect_refusal(
        [](GemmTuning& t) {
            t.instruction = arch::Matrix::mma_f32_16x8x16_f16;
            t.pipeline    = Pipeline::async_copies;
            t.a_vector    = 1;
        },
        "one load of at least 4 bytes");
    expect_refusal(
        [](GemmTuning& t) {
            t.instruction  = arch::Matrix::mfma_f32_16x16x16_f16;
            t.block_tile.k = 16;
            t.a_vector = t.b_vector = 4;
        },
        "steps in which a wave reads LDS");
}

TEST(GemmTuning, FieldsOfOtherKernelsStayAsTheyAre)
{
    expect_refusal([](GemmTuning& t) { t.maps.cluster = 2; }, "only Pipeline::tensor_maps");
    expect_refusal([](GemmTuning& t) { t.maps.resident_filters = 1; },
                   "only Pipeline::tensor_maps");
    expect_refusal([](GemmTuning& t) { t.maps.transposed_first = true; },
                   "only Pipeline::tensor_maps");
    expect_refusal([](GemmTuning& t) { t.fused.phases = 4; }, "only Pipeline::fused_phases");
    expect_refusal([](GemmTuning& t) { t.window.vector = 2; }, "only Pipeline::sliding_window");
    expect_refusal([](GemmTuning& t) { t.merged_groups = 2; }, "merged reduction");
}

/// Fed by tensor maps, slices of 128 bytes.
GemmTuning by_tensor_maps(arch::Matrix instruction, index_t m, index_t n, index_t wave_m)
{
    const index_t vector = 16 / arch::input_bytes(instruction);
    return {.block_tile  = {m, n, 8 * vector},
            .wave_m      = wave_m,
            .wave_n      = n,
            .instruction = instruction,
            .a_vector    = vector,
            .b_vector    = vector,
            .c_vector    = vector,
            .pipeline    = Pipeline::tensor_maps};
}
/// part: of the reason; null: there is none.
void expect(const char* reason, const char* part)
{
    if(part == nullptr)
    {
        EXPECT_EQ(reason, nullptr) << reason;
        return;
    }
    ASSERT_NE(reason, nullptr) << part;
    EXPECT_NE(std::string(reason).find(part), std::string::npos) << reason;
}

TEST(GemmTuning, LoadsStraightToLdsGoTapByTap)
{
    GemmTuning t{.block_tile  = {64, 96, 32},
                 .wave_m      = 32,
                 .wave_n      = 96,
                 .instruction = arch::Matrix::mfma_f32_32x32x16_f16,
                 .a_vector    = 8,
                 .b_vector    = 8,
                 .c_vector    = 8,
                 .pipeline    = Pipeline::async_copies};
    EXPECT_EQ(why_not<Forward>(t), nullptr);
    expect(why_not<BackwardWeight>(t), "tiles of waves that are powers of two");
    t.reduction = Reduction::merged;
    expect(why_not<Forward>(t), "tap by tap");
}

TEST(GemmTuning, TensorMapsMayHaveTwoRowsOfInstructionsAWarp)
{
    const auto f16 = arch::Matrix::wgmma_f32_16x8x16_f16;
    GemmTuning t   = by_tensor_maps(f16, 256, 64, 32);
    EXPECT_EQ(why_not<BackwardWeight>(t), nullptr);
    expect(why_not<Forward>(by_tensor_maps(f16, 64, 64, 32)), "16 or 32"); // half a warpgroup
    expect(why_not<Forward>(by_tensor_maps(f16, 256, 64, 64)), "16 or 32");
    t.pipeline = Pipeline::async_copies;
    expect(why_not<Forward>(t), "of tensor maps 16 or 32");
}

TEST(GemmTuning, OnlyBackwardDataCutsBoxesOfColumns)
{
    GemmTuning t = by_tensor_maps(arch::Matrix::wgmma_f32_16x8x16_f16, 64, 160, 16);
    EXPECT_EQ(why_not<Forward>(t), nullptr); // its boxes consist of rows
    EXPECT_EQ(why_not<BackwardData>(t), nullptr);
    expect(why_not<BackwardWeight>(t), "64 at a time");
    t.maps.resident_filters = 2;
    expect(why_not<BackwardData>(t), "64 at a time");
    t.maps.resident_filters = 0;
    t.pipeline              = Pipeline::async_copies;
    expect(why_not<BackwardData>(t), "64 at a time");
}

TEST(GemmTuning, ClustersShareWholeBoxes)
{
    GemmTuning t   = by_tensor_maps(arch::Matrix::wgmma_f32_16x8x16_f16, 64, 128, 16);
    t.maps.cluster = 2;
    EXPECT_EQ(why_not<BackwardWeight>(t), nullptr);
    t.block_tile.n = t.wave_n = 64;
    EXPECT_EQ(why_not<Forward>(t), nullptr); // 32 columns each
    expect(why_not<BackwardWeight>(t), "whole boxes");
}

TEST(GemmTuning, ChannelSlicesRefuseOtherTiles)
{
    const GemmTuning channel_slices{.block_tile  = {128, 64, 8},
                                    .wave_m      = 64,
                                    .wave_n      = 16,
                                    .instruction = arch::Matrix::mma_f32_16x8x16_f16,
                                    .a_vector    = 8,
                                    .b_vector    = 1,
                                    .c_vector    = 8,
                                    .pipeline    = Pipeline::channel_slices,
                                    .reduction   = Reduction::merged};
    EXPECT_EQ(why_not<MergedForward>(channel_slices), nullptr);
    EXPECT_EQ(block_size(channel_slices), 9 * 32); // 8 warps multiply, one copies
    const auto refused = [&](auto change, const char* part) {
        GemmTuning t = channel_slices;
        change(t);
        expect(why_not<MergedForward>(t), part);
    };
    refused([](GemmTuning& t) { t.instruction = arch::Matrix::wgmma_f32_16x8x16_f16; },
            "multiplied by mma.sync");
    refused([](GemmTuning& t) { t.instruction = arch::Matrix::mma_f32_16x8x8_tf32; },
            "elements of one or two bytes");
    refused([](GemmTuning& t) { t.reduction = Reduction::by_tap; }, "merged");
    refused([](GemmTuning& t) { t.merged_groups = 2; }, "as many as there are");
    refused([](GemmTuning& t) { t.window.x = 3; }, "only backward weight's");
    refused([](GemmTuning& t) { t.block_tile.n = 128; }, "has 128 bytes");
    refused([](GemmTuning& t) { t.block_tile.m = t.wave_m = 32; }, "whole 64 output pixels");
    refused([](GemmTuning& t) { t.block_tile.k = 4; }, "16, 32, 64 or 128 bytes");
    for(const index_t k : {8, 16, 24, 32, 40, 48, 56, 64, 128}) // channels of two bytes
    {
        GemmTuning t   = channel_slices;
        t.block_tile.k = k;
        t.wave_n       = k == 16 || k == 32 || k == 64 ? k : 16;
        expect(why_not<MergedForward>(t),
               k == 8 || k == 16 || k == 32 || k == 64 ? nullptr : "16, 32, 64 or 128 bytes");
    }
    refused([](GemmTuning& t) { t.wave_m = 8; }, "whole 16 pixels");
    refused([](GemmTuning& t) { t.wave_n = 8; }, "channels of whole 32 bytes");
    refused([](GemmTuning& t) { t.c_vector = 4; }, "vectors of 16 bytes");
    refused([](GemmTuning& t) { t.block_tile.m = 1024, t.wave_m = 64; }, "more than 1024 threads");
}

TEST(GemmTuning, WeightChannelSlicesRefuseOtherTiles)
{
    const GemmTuning channel_slices{.block_tile  = {64, 72, 64},
                                    .wave_m      = 8,
                                    .wave_n      = 24,
                                    .instruction = arch::Matrix::mma_f32_16x8x16_f16,
                                    .a_vector    = 1,
                                    .b_vector    = 1,
                                    .c_vector    = 1,
                                    .pipeline    = Pipeline::channel_slices,
                                    .window      = {.y = 3, .x = 3}};
    EXPECT_EQ(why_not<BackwardWeight>(channel_slices), nullptr);
    EXPECT_EQ(block_size(channel_slices), 25 * 32); // 24 warps multiply, one copies
    EXPECT_EQ(requirement_of(channel_slices), arch::Requirement::wgmma);
    const auto refused = [&](auto change, const char* part) {
        GemmTuning t = channel_slices;
        change(t);
        expect(why_not<BackwardWeight>(t), part);
    };
    refused([](GemmTuning& t) { t.instruction = arch::Matrix::wgmma_f32_16x8x16_f16; },
            "multiplied by mma.sync");
    refused([](GemmTuning& t) { t.instruction = arch::Matrix::mma_f32_16x8x8_tf32; },
            "elements of two bytes");
    refused([](GemmTuning& t) { t.reduction = Reduction::merged; }, "tap by tap");
    refused([](GemmTuning& t) { t.a_vector = 8; }, "one by one");
    refused([](GemmTuning& t) { t.block_tile.m = 128; }, "128 bytes of channels");
    refused([](GemmTuning& t) { t.block_tile.k = 32; }, "whole 64 output pixels");
    refused([](GemmTuning& t) { t.wave_m = 4; }, "16, 32 or 64 channels");
    const auto to_bytes = [](GemmTuning& t) {
        t.instruction  = arch::Matrix::mma_i32_16x8x32_s8;
        t.block_tile.m = 128;
    };
    refused(to_bytes, "8 (not of int8)");
    refused([](GemmTuning& t) { t.instruction = arch::Matrix::mma_f32_16x8x32_e4m3_e4m3; },
            "of two bytes or of int8");
    GemmTuning bytes = channel_slices;
    to_bytes(bytes);
    bytes.wave_m       = 16;
    bytes.wave_n       = 48;
    bytes.block_tile.n = 144;
    EXPECT_EQ(why_not<BackwardWeight>(bytes), nullptr);
    refused([](GemmTuning& t) { t.window.y = 2; }, "at each of its taps");
    refused([](GemmTuning& t) { t.window.vector = 2; }, "at each of its taps");
    refused([](GemmTuning& t) { t.wave_n = 36; }, "at each of its taps");
    refused([](GemmTuning& t) { t.wave_n = 8; }, "more than 1024 threads");
}

TEST(GemmTuning, ChannelSliceWindowsRefuseOtherTiles)
{
    const GemmTuning channel_slices{.block_tile  = {256, 32, 16},
                                    .wave_m      = 32,
                                    .wave_n      = 32,
                                    .instruction = arch::Matrix::mfma_f32_16x16x16_f16,
                                    .a_vector    = 8,
                                    .b_vector    = 1,
                                    .c_vector    = 8,
                                    .pipeline    = Pipeline::channel_slice_windows,
                                    .reduction   = Reduction::merged,
                                    .window      = {.y = 9, .columns = 324}};
    EXPECT_EQ(why_not<MergedForward>(channel_slices), nullptr);
    EXPECT_EQ(block_size(channel_slices), 8 * 64);
    const auto refused = [&](auto change, const char* part) {
        GemmTuning t = channel_slices;
        change(t);
        expect(why_not<MergedForward>(t), part);
    };
    refused([](GemmTuning& t) { t.instruction = arch::Matrix::mfma_f32_32x32x8_f16; },
            "multiplied by MFMA 16x16x16");
    refused([](GemmTuning& t) { t.instruction = arch::Matrix::mfma_f32_16x16x4_f32; },
            "elements of two bytes");
    refused([](GemmTuning& t) { t.instruction = arch::Matrix::wmma_gfx11_f32_16x16x16_f16; },
            "multiplied by MFMA");
    refused([](GemmTuning& t) { t.reduction = Reduction::by_tap; }, "merged");
    refused([](GemmTuning& t) { t.merged_groups = 2; }, "as many as there are");
    refused([](GemmTuning& t) { t.wave_n = 16; }, "all channels of its pixels");
    refused([](GemmTuning& t) { t.block_tile.k = 24; }, "whole number of instructions deep");
    refused([](GemmTuning& t) { t.block_tile.k = 64; }, "a line has whole channel slices");
    refused([](GemmTuning& t) { t.c_vector = 4; }, "vectors of 8 channels");
    refused([](GemmTuning& t) { t.block_tile.m = 96; }, "a power of 2 of pixels");
    refused([](GemmTuning& t) { t.block_tile.n = t.wave_n = t.wave_m = 16; }, "as many vectors");
    refused([](GemmTuning& t) { t.window.y = 0; }, "room for some taps");
    refused([](GemmTuning& t) { t.window.columns = 255; }, "the pixels of a tile at least");
    refused([](GemmTuning& t) { t.block_tile.m = t.window.columns = 512, t.wave_m = 16; },
            "more than 1024 threads");
}

TEST(GemmTuning, HaloTilesRefuseOtherTiles)
{
    GemmTuning halo = by_tensor_maps(arch::Matrix::wgmma_f32_16x8x16_f16, 128, 64, 16);
    halo.pipeline   = Pipeline::halo_tiles;
    EXPECT_EQ(why_not<Forward>(halo), nullptr);
    const auto refused = [&](auto change, const char* part) {
        GemmTuning t = halo;
        change(t);
        expect(why_not<Forward>(t), part);
    };
    refused([](GemmTuning& t) { t.halo.pixels = 2; }, "of two with 32 channels each");
    refused([](GemmTuning& t) { t.block_tile.k = 128; }, "64 or 32 channels");
    refused([](GemmTuning& t) { t.block_tile.k = 48; }, "64 or 32 channels");
    refused([](GemmTuning& t) { t.reduction = Reduction::merged; }, "tap by tap");
    refused([](GemmTuning& t) { t.block_tile.n = 128; }, "all columns of a block");
    refused([](GemmTuning& t) { t.block_tile.m = 96; }, "whole 16 rows");
    refused([](GemmTuning& t) { t.block_tile.n = t.wave_n = 224; }, "128, 160, 192 or 256");
    halo.block_tile.k = 32;
    EXPECT_EQ(why_not<Forward>(halo), nullptr);
    refused([](GemmTuning& t) { t.halo.pixels = 3; }, "lines are of one pixel, or of two");
    refused([](GemmTuning& t) { t.halo.pixels = 0; }, "lines are of one pixel, or of two");
    halo.halo.pixels = 2;
    EXPECT_EQ(why_not<Forward>(halo), nullptr);
    EXPECT_EQ(why_not<BackwardData>(halo), nullptr);
    halo.pipeline = Pipeline::tensor_maps;
    expect(why_not<Forward>(halo), "only Pipeline::halo_tiles");
}

TEST(GemmTuning, HoppersFieldsAreOfTheKernelsThatReadThem)
{
    const auto f16 = arch::Matrix::wgmma_f32_16x8x16_f16;
    GemmTuning t   = by_tensor_maps(f16, 128, 64, 16);
    t.fused.phases = 2;
    expect(why_not<BackwardData>(t), "only Pipeline::fused_phases");
    t          = by_tensor_maps(f16, 128, 64, 16);
    t.pipeline = Pipeline::halo_tiles;
    EXPECT_EQ(why_not<Forward>(t), nullptr);
    t.maps.resident_filters = 1;
    expect(why_not<Forward>(t), "only Pipeline::tensor_maps");
    t          = by_tensor_maps(f16, 64, 192, 16);
    t.pipeline = Pipeline::halo_tiles;
    EXPECT_EQ(why_not<BackwardWeight>(t), nullptr);
    t.wave_n = 64;
    expect(why_not<BackwardWeight>(t), "three taps of 64 or 32 channels");
    t                       = by_tensor_maps(f16, 128, 64, 16);
    t.pipeline              = Pipeline::fused_phases;
    t.fused.phases          = 4;
    t.maps.resident_filters = 1;
    expect(why_not<BackwardData>(t), "only Pipeline::tensor_maps");
    t                       = by_tensor_maps(arch::Matrix::wgmma_f32_16x8x8_tf32, 128, 384, 128);
    t.wave_n                = 48;
    t.pipeline              = Pipeline::filter_rows;
    t.maps.resident_filters = 1;
    expect(why_not<BackwardWeight>(t), "only Pipeline::tensor_maps");
}

TEST(GemmTuning, ResidentFiltersAreOfFiltersOfTwoBytes)
{
    GemmTuning t            = by_tensor_maps(arch::Matrix::wgmma_f32_16x8x16_f16, 64, 128, 16);
    t.maps.resident_filters = 4;
    EXPECT_EQ(why_not<Forward>(t), nullptr);
    EXPECT_EQ(why_not<BackwardData>(t), nullptr);
    expect(why_not<BackwardWeight>(t), "resident in forward and backward data alone");
    GemmTuning cluster   = t;
    cluster.maps.cluster = 2;
    expect(why_not<Forward>(cluster), "without clusters");
    t.pipeline = Pipeline::async_copies;
    expect(why_not<Forward>(t), "only Pipeline::tensor_maps has clusters, resident filters");
    GemmTuning bytes            = by_tensor_maps(arch::Matrix::wgmma_i32_16x8x32_s8, 128, 64, 16);
    bytes.maps.resident_filters = 1;
    expect(why_not<Forward>(bytes), "of two bytes");
}

TEST(GemmTuning, FusedPhasesAreOfStridedBackwardData)
{
    GemmTuning t   = by_tensor_maps(arch::Matrix::wgmma_f32_16x8x16_f16, 128, 64, 16);
    t.pipeline     = Pipeline::fused_phases;
    t.fused.phases = 4;
    EXPECT_EQ(why_not<BackwardData>(t), nullptr);
    expect(why_not<Forward>(t), "backward data's");
    expect(why_not<BackwardWeight>(t), "backward data's");
    const auto changed = [&](auto change) {
        GemmTuning other = t;
        change(other);
        return why_not<BackwardData>(other);
    };
    expect(changed([](GemmTuning& o) { o.instruction = arch::Matrix::wgmma_i32_16x8x32_s8; }),
           "of two bytes");
    expect(changed([](GemmTuning& o) { o.maps.cluster = 2; }), "has clusters");
    expect(changed([](GemmTuning& o) { o.fused.phases = 3; }), "2, 4 or 8");
    expect(changed([](GemmTuning& o) { o.fused.phases = 8; }), "128 or 256 columns");
    expect(changed([](GemmTuning& o) { o.block_tile.k = 32; }), "slices of 64 channels");
    // Columns are 32, or whole 64: of all phases 128 or 256.
    for(const index_t phases : {2, 4, 8})
        for(const index_t columns : {16, 32, 48, 64, 96, 128, 160})
        {
            const bool right = (columns == 32 || columns % 64 == 0) &&
                               (phases * columns == 128 || phases * columns == 256);
            expect(changed([&](GemmTuning& o) {
                       o.fused.phases = phases;
                       o.block_tile.n = o.wave_n = columns;
                   }),
                   right ? nullptr : "128 or 256 columns");
        }
    for(const index_t rows : {16, 32, 48, 64})
        expect(changed([&](GemmTuning& o) {
                   o.block_tile.m = 4 * rows;
                   o.wave_m       = rows;
               }),
               rows == 16 || rows == 32 ? nullptr : "warps of 16 or 32 rows");
}

TEST(GemmTuning, DepthwiseKernelsShareWholeVectors)
{
    GemmTuning t = {.block_tile  = {128, 64, 64},
                    .wave_m      = 16,
                    .wave_n      = 64,
                    .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                    .a_vector    = 8,
                    .b_vector    = 1,
                    .c_vector    = 8,
                    .pipeline    = Pipeline::direct,
                    .reduction   = Reduction::merged};
    EXPECT_EQ(why_not<MergedForward>(t), nullptr);
    const auto changed = [&](auto change) {
        GemmTuning other = t;
        change(other);
        return why_not<MergedForward>(other);
    };
    expect(changed([](GemmTuning& o) { o.reduction = Reduction::by_tap; }), "groups as one");
    expect(changed([](GemmTuning& o) { o.instruction = arch::Matrix::mma_f32_16x8x16_f16; }),
           "no matrix instruction");
    expect(changed([](GemmTuning& o) { o.b_vector = 8; }), "filters one by one");
    expect(changed([](GemmTuning& o) { o.maps.cluster = 2; }), "has clusters");
    expect(changed([](GemmTuning& o) { o.a_vector = o.c_vector = 3; }), "whole vectors");
    expect(changed([](GemmTuning& o) { o.block_tile.k = 512; }), "a thread for each filter tap");
}

TEST(GemmTuning, WgmmaOfBytesIsTransposedInSquares)
{
    GemmTuning t = by_tensor_maps(arch::Matrix::wgmma_i32_16x8x32_s8, 128, 64, 16);
    EXPECT_EQ(why_not<Forward>(t), nullptr);
    expect(why_not<BackwardData>(t), "squares of 128 lines");
    GemmTuning columns   = t;
    columns.block_tile.n = columns.wave_n = 128;
    EXPECT_EQ(why_not<BackwardData>(columns), nullptr);
    EXPECT_EQ(why_not<BackwardWeight>(columns), nullptr);
    GemmTuning rows   = columns;
    rows.block_tile.m = 64;
    expect(why_not<BackwardWeight>(rows), "squares of 128 lines");
    columns.pipeline = Pipeline::async_copies;
    expect(why_not<BackwardData>(columns), "squares of 128 lines");
    t.block_tile.k = 64;
    expect(why_not<Forward>(t), "of 128 to those of one byte");
    t.pipeline = Pipeline::halo_tiles;
    t.wave_m   = 32;
    expect(why_not<Forward>(t), "elements of two bytes");
}

TEST(GemmTuning, BytesAreTransposedInPairsByMmaAlone)
{
    GemmTuning t  = sound;
    t.instruction = arch::Matrix::mma_i32_16x8x32_s8;
    t.a_vector = t.b_vector = 16;
    t.pipeline              = Pipeline::async_copies;
    t.stages                = 3;
    EXPECT_EQ(why_not<Forward>(t), nullptr);
    EXPECT_EQ(why_not<BackwardData>(t), nullptr);
    EXPECT_EQ(why_not<BackwardWeight>(t), nullptr);
    t.a_vector = t.b_vector = 4;
    expect(why_not<BackwardWeight>(t), "whole global loads");
    GemmTuning warpgroup = by_tensor_maps(arch::Matrix::wgmma_i32_16x8x32_s8, 128, 128, 16);
    warpgroup.pipeline   = Pipeline::async_copies;
    EXPECT_EQ(why_not<Forward>(warpgroup), nullptr);
    expect(why_not<BackwardWeight>(warpgroup), "along the reduction only");
}

TEST(GemmTuning, WgmmaOfTf32IsForTensorMaps)
{
    GemmTuning t = by_tensor_maps(arch::Matrix::wgmma_f32_16x8x8_tf32, 128, 64, 16);
    EXPECT_EQ(why_not<Forward>(t), nullptr);
    EXPECT_EQ(why_not<BackwardWeight>(t), nullptr);
    expect(why_not<BackwardData>(t), "each warp has 16");
    GemmTuning filters_first = t;
    filters_first.wave_m     = 128;
    filters_first.wave_n     = 16;
    EXPECT_EQ(why_not<BackwardData>(filters_first), nullptr);
    expect(why_not<Forward>(filters_first), "all columns of a block");
    expect(why_not<BackwardWeight>(filters_first), "all columns of a block");
    filters_first.block_tile.m = 256;
    expect(why_not<BackwardData>(filters_first), "all rows of a block");
    t.block_tile.k = 64;
    expect(why_not<Forward>(t), "of 32 to that of tf32");
    t.block_tile.k = 32;
    t.pipeline     = Pipeline::async_copies;
    expect(why_not<Forward>(t), "only tensor maps round");
    t.pipeline = Pipeline::halo_tiles;
    t.wave_m   = 32;
    expect(why_not<Forward>(t), "elements of two bytes");
}

TEST(GemmTuning, FilterRowsAreBackwardWeightsOfTf32)
{
    GemmTuning t = by_tensor_maps(arch::Matrix::wgmma_f32_16x8x8_tf32, 128, 384, 128);
    t.wave_n     = 48;
    t.pipeline   = Pipeline::filter_rows;
    EXPECT_EQ(why_not<BackwardWeight>(t), nullptr);
    expect(why_not<Forward>(t), "are backward weight's");
    GemmTuning other            = t;
    other.maps.transposed_first = true;
    expect(why_not<BackwardWeight>(other), "pre-transposed operands");
    other              = t;
    other.block_tile.n = 192;
    expect(why_not<BackwardWeight>(other), "128 of X at three taps");
    t.instruction = arch::Matrix::wgmma_f32_16x8x16_f16;
    expect(why_not<BackwardWeight>(t), "multiplied as tf32");
}

} // namespace
} // namespace ck::grid
