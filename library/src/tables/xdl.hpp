#pragma once
// MFMA (gfx908, gfx90a, gfx942, gfx950). Not measured on a device yet, in any direction: tiles are
// those of comparable kernels; none spills registers on the targets above.
#include "tables/channel_slice_windows.hpp"
#include "tables/first_layer.hpp"
#include "tables/intra_block_split_k.hpp"
#include "tables/pointwise.hpp"
#include "tables/rows.hpp"

namespace ck::tables {

/// The instructions for a type, its reduction elements in 64 bytes, and data elements in 16 bytes.
struct Xdl
{
    Matrix m32; ///< 32x32
    Matrix m16; ///< 16x16
    index_t k;
    index_t widest;
};
inline constexpr Xdl xdl_f16{mfma_f32_32x32x8_f16, mfma_f32_16x16x16_f16, 32, 8};
inline constexpr Xdl xdl_bf16{mfma_f32_32x32x8_bf16_1k, mfma_f32_16x16x16_bf16_1k, 32, 8};
inline constexpr Xdl xdl_f32{mfma_f32_32x32x2_f32, mfma_f32_16x16x4_f32, 16, 4};
/// Floats multiplied as xf32, AMD's tf32: gfx942.
inline constexpr Xdl xdl_tf32{mfma_f32_32x32x4_xf32, mfma_f32_16x16x8_xf32, 16, 4};
/// One instruction for all tiles (gfx90a, gfx942). 128 bytes are two steps of reading LDS.
inline constexpr Xdl xdl_f64{mfma_f64_16x16x4_f64, mfma_f64_16x16x4_f64, 16, 2};
/// gfx908 has bf16 and int8 instructions of half the depth; so does gfx90a for int8.
inline constexpr Xdl xdl_bf16_gfx908{mfma_f32_32x32x4_bf16, mfma_f32_16x16x8_bf16, 32, 8};
inline constexpr Xdl xdl_i8_gfx908{mfma_i32_32x32x8_i8, mfma_i32_16x16x16_i8, 64, 16};
inline constexpr Xdl xdl_i8{mfma_i32_32x32x16_i8, mfma_i32_16x16x32_i8, 64, 16};
/// gfx950 multiplies twice the depth in the same time: one instruction takes the 16 bytes that a
/// lane reads from LDS at once.
inline constexpr Xdl xdl_f16_gfx950{mfma_f32_32x32x16_f16, mfma_f32_16x16x32_f16, 32, 8};
inline constexpr Xdl xdl_bf16_gfx950{mfma_f32_32x32x16_bf16, mfma_f32_16x16x32_bf16, 32, 8};
inline constexpr Xdl xdl_i8_gfx950{mfma_i32_32x32x32_i8, mfma_i32_16x16x64_i8, 64, 16};

/// Eight-bit floats; `data_bits`: of the tensors, which are rounded to eight bits.
constexpr Xdl xdl_f8(bool a_is_bf8, bool b_is_bf8, index_t data_bits)
{
    const index_t widest = 128 / data_bits;
    return a_is_bf8   ? b_is_bf8
                            ? Xdl{mfma_f32_32x32x16_bf8_bf8, mfma_f32_16x16x32_bf8_bf8, 64, widest}
                            : Xdl{mfma_f32_32x32x16_bf8_fp8, mfma_f32_16x16x32_bf8_fp8, 64, widest}
             : b_is_bf8 ? Xdl{mfma_f32_32x32x16_fp8_bf8, mfma_f32_16x16x32_fp8_bf8, 64, widest}
                      : Xdl{mfma_f32_32x32x16_fp8_fp8, mfma_f32_16x16x32_fp8_fp8, 64, widest};
}

/// The same for OCP's eight-bit floats: gfx950, where tiles of 32x32 take 64 at a time.
constexpr Xdl xdl_f8_ocp(bool a_is_bf8, bool b_is_bf8, index_t data_bits)
{
    const index_t widest = 128 / data_bits;
    return a_is_bf8
               ? b_is_bf8
                     ? Xdl{mfma_f32_32x32x64_e5m2_e5m2, mfma_f32_16x16x32_e5m2_e5m2, 64, widest}
                     : Xdl{mfma_f32_32x32x64_e5m2_e4m3, mfma_f32_16x16x32_e5m2_e4m3, 64, widest}
           : b_is_bf8 ? Xdl{mfma_f32_32x32x64_e4m3_e5m2, mfma_f32_16x16x32_e4m3_e5m2, 64, widest}
                      : Xdl{mfma_f32_32x32x64_e4m3_e4m3, mfma_f32_16x16x32_e4m3_e4m3, 64, widest};
}

/// 128 x 64 for each wave, or 64 x 128 if C has more columns than rows: filter taps times channels
/// against channels.
constexpr GemmTuning xdl_large(Direction direction, Xdl i, Vectors v)
{
    const bool wide = direction == Direction::backward_weight;
    return {.block_tile  = {wide ? 128 : 256, wide ? 256 : 128, i.k},
            .wave_m      = wide ? 64 : 128,
            .wave_n      = wide ? 128 : 64,
            .instruction = i.m32,
            .a_vector    = v.a,
            .b_vector    = v.b,
            .c_vector    = v.c};
}
constexpr GemmTuning xdl_128x128(Xdl i, Vectors v)
{
    return {.block_tile  = {128, 128, i.k},
            .wave_m      = 64,
            .wave_n      = 64,
            .instruction = i.m32,
            .a_vector    = v.a,
            .b_vector    = v.b,
            .c_vector    = v.c};
}
constexpr GemmTuning xdl_128x64(Xdl i, Vectors v)
{
    return {.block_tile  = {128, 64, i.k},
            .wave_m      = 64,
            .wave_n      = 32,
            .instruction = i.m32,
            .a_vector    = v.a,
            .b_vector    = v.b,
            .c_vector    = v.c};
}
constexpr GemmTuning xdl_64x64(Xdl i, Vectors v)
{
    return {.block_tile  = {64, 64, i.k},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = i.m32,
            .a_vector    = v.a,
            .b_vector    = v.b,
            .c_vector    = v.c};
}

/// Backward weight computes the place of each load in every slice. If a thread copies 16 elements
/// or more, longer loads still leave whole words to write to LDS. gfx90a, the problem of
/// docs/notes/amd_predicted_times.md: 6.6 instructions for each MFMA instead of 8.4 in tiles of 128
/// x 128.
constexpr Vectors large_vectors(Direction direction, index_t widest)
{
    return direction == Direction::backward_weight && widest == 8 ? Vectors{8, 8, 4}
                                                                  : wide_vectors(direction, widest);
}

constexpr auto xdl_rows(Direction direction, Xdl i)
{
    const Vectors large = large_vectors(direction, i.widest), v = wide_vectors(direction, i.widest);
    return std::array{
        // large problems: most reuse of loaded data
        xdl_large(direction, i, large),
        xdl_128x128(i, large),
        // fewer columns: 64
        xdl_128x64(i, v),
        // small problems: more workgroups
        xdl_64x64(i, v),
        // 32 columns
        GemmTuning{.block_tile  = {64, 32, 2 * i.k},
                   .wave_m      = 32,
                   .wave_n      = 32,
                   .instruction = i.m16,
                   .a_vector    = v.a,
                   .b_vector    = v.b,
                   .c_vector    = v.c},
    };
}

/// The same in slices of 64: a row of a slice is a line of L1 and L2 of 128 bytes (gfx942), of
/// which slices of 32 fetch each half separately. Packs are turned in LDS, which takes no padding,
/// so that two workgroups of 128 x 128 fit. Predicted by the timing model for gfx942, f16, forward,
/// in us: 24 256 512, 38x38, 3x3, stride 2: 42 instead of 59; 2 640 640, 64x64, 3x3: 133 instead of
/// 174; 408 128 128, 28x28, 3x3: 158 instead of 227; others: docs/notes/amd_predicted_times.md.
constexpr auto xdl_line_rows(Direction direction, Xdl i)
{
    const Vectors v = wide_vectors(direction, i.widest);
    const auto row  = [&](Tile tile, index_t wave_m, index_t wave_n) {
        return GemmTuning{.block_tile  = tile,
                           .wave_m      = wave_m,
                           .wave_n      = wave_n,
                           .instruction = i.m32,
                           .a_vector    = v.a,
                           .b_vector    = v.b,
                           .c_vector    = v.c};
    };
    return std::array{
        row({128, 128, 2 * i.k}, 64, 64),
        // tiles that share the units better
        row({96, 128, 2 * i.k}, 96, 32),
        // fewer columns: 64
        row({128, 64, 2 * i.k}, 64, 32),
        // small problems: more workgroups
        row({64, 64, 2 * i.k}, 32, 32),
    };
}

/// Whether a table has rows of whole lines: of two bytes by gfx90a's and gfx942's instructions.
constexpr bool has_line_rows(Direction direction, Xdl i)
{
    return direction != Direction::backward_weight && of_16_bits(i.m32) && i.widest == 8 &&
           arch::describe(i.m32).k == 8;
}

/// Whether operands are loaded straight to LDS: gfx950, where operands that lie along their rows
/// are transposed as they are read, if their elements have two bytes.
constexpr bool loads_to_lds(Direction direction, Xdl i)
{
    return arch::describe(i.m32).requirement == arch::Requirement::mfma_gfx950 &&
           (direction == Direction::forward || of_16_bits(i.m32));
}

/// A row with such loads and `stages` slices in LDS: at most 160 KiB of LDS.
constexpr GemmTuning
xdl_to_lds(Direction direction, arch::Matrix id, Xdl i, Tile tile, Tile wave, index_t stages)
{
    return {.block_tile  = tile,
            .wave_m      = wave.m,
            .wave_n      = wave.n,
            .instruction = id,
            .a_vector    = i.widest,
            .b_vector    = i.widest,
            .c_vector    = wide_vectors(direction, i.widest).c,
            .pipeline    = Pipeline::async_copies,
            .stages      = stages};
}

/// Predicted by the timing model, f16, in us, first for these rows, then through registers: N 64, K
/// and C 256, 56x56, 3x3 forward 165 and 247; N 128, K and C 256, 71x71, 3x3, stride 2 backward
/// data 177 and 212; the problem of docs/notes/amd_predicted_times.md in backward weight 33 and 61.
constexpr auto xdl_to_lds_rows(Direction direction, Xdl i)
{
    const index_t k = 2 * i.k; // 128 bytes
    const auto row  = [&](Tile tile, Tile wave, index_t stages) {
        return xdl_to_lds(direction, i.m32, i, tile, wave, stages);
    };
    return std::array{
        row({256, 128, k}, {64, 64, k}, 3),
        row({128, 128, k}, {64, 64, k}, 2),
        // fewer columns: 64
        row({128, 64, k}, {64, 32, k}, 3),
        // small problems: more workgroups
        row({64, 64, k}, {32, 32, k}, 3),
    };
}

/// Large problems: most reuse of loaded data. In backward weight threads would copy different rows
/// in each piece and look up their places, which takes twice as long.
constexpr auto xdl_largest_to_lds(Direction direction, Xdl i)
{
    return std::array{xdl_to_lds(direction, i.m32, i, {256, 256, i.k}, {128, 64, i.k}, 4)};
}

template <Direction direction, Xdl i>
inline constexpr auto xdl = [] {
    constexpr auto wide = [] {
        constexpr auto rows = xdl_rows(direction, i);
        if constexpr(has_line_rows(direction, i))
            return join(rows, xdl_line_rows(direction, i));
        else if constexpr(!loads_to_lds(direction, i))
            return rows;
        else
        {
            constexpr auto to_lds = join(xdl_to_lds_rows(direction, i), std::array{rows.back()});
            if constexpr(direction == Direction::backward_weight)
                return to_lds;
            else
                return join(to_lds, xdl_largest_to_lds(direction, i));
        }
    }();
    constexpr auto even = std::array{xdl_128x64(i, {2, 2, 2})};
    if constexpr(i.widest == 2) // doubles, whose sums take twice the registers
        return std::array{wide[1], wide[2], wide[3]};
    else if constexpr(i.widest == 4 || (direction == Direction::backward_weight && i.widest != 8))
        return join(wide, even);
    else
    {
        constexpr auto multiples_of_4 = std::array{xdl_128x128(i, {4, 4, 4})};
        // f16 rounded to eight bits: with tiles of 256x128 its loads go to scratch memory (clang
        // 22, gfx942)
        if constexpr(direction == Direction::backward_data && arch::input_bytes(i.m32) == 1 &&
                     i.widest == 8)
            return join(std::array{wide[1], wide[2], wide[3], wide[4]}, multiples_of_4, even);
        else
            return join(wide, multiples_of_4, even);
    }
}();

/// 1x1 with few channels in X or Y. Predicted by the timing model for gfx942, f16, 128 images, C to
/// K, forward, in us: 16 to 16 at 112x112 27 instead of 41, 24 to 144 at 56x56 31 instead of 49;
/// others: docs/notes/pointwise.md.
template <Matrix i>
inline constexpr auto xdl_pointwise = std::array{
    pointwise(i, 16, 32, 64, 8),
    pointwise(i, 16, 64, 64, 8),
    pointwise(i, 32, 32, 64, 8),
    pointwise(i, 32, 64, 64, 8),
    pointwise(i, 64, 32, 64, 4),
    pointwise(i, 64, 64, 64, 2),
    pointwise(i, 96, 32, 32, 4),
    pointwise(i, 160, 32, 32, 3),
};

/// The same, channels first, also predicted: docs/notes/layouts.md. 160 channels spill scalar
/// registers.
template <Matrix i>
inline constexpr auto xdl_pointwise_channels_first = std::array{
    pointwise_channels_first(i, 16, 128, 8, 4),
    pointwise_channels_first(i, 32, 192, 8, 4),
    pointwise_channels_first(i, 48, 128, 8, 3),
    pointwise_channels_first(i, 64, 128, 8, 3),
    pointwise_channels_first(i, 96, 96, 4, 2, 8),
};

/// Images of 1 to 8 channels, in tiles that leave room in LDS for two workgroups if two are better.
/// Predicted by the timing model for gfx942, f16, N C K, image, filter, stride, in us; "instead of"
/// is the best row of the other tables: 128 3 64, 224x224, 7x7, 2: 106 instead of 293; 128 3 32,
/// 224x224, 3x3, 2: 49 instead of 90; 8 3 64, 16x112x112, 3x3x3: 79 instead of 186; others:
/// docs/notes/first_layers.md.
template <Matrix i>
inline constexpr auto xdl_first_layers = std::array{
    // up to 4 channels: filters of 4x4
    first_layer(i, {256, 32, 16}, 32, 32, 4, 4, 1152, 1, 3),
    // 4x4 and 3x3x4
    first_layer(i, {256, 64, 16}, 32, 64, 4, 9, 1152, 1, 2),
    // 7x8
    first_layer(i, {256, 32, 32}, 32, 32, 4, 7, 1408, 1, 2),
    first_layer(i, {512, 64, 32}, 32, 64, 4, 7, 2816, 1, 1),
    // 3x7x8
    first_layer(i, {128, 32, 32}, 16, 32, 4, 21, 2368, 1, 1),
    // up to 8 channels: 3x4
    first_layer(i, {256, 64, 32}, 32, 64, 8, 3, 1152, 1, 2),
    first_layer(i, {256, 64, 32}, 32, 64, 8, 3, 1152, 8, 2),
};

/// 1x1 that is one small product, whose waves share the reduction; vectors across lines fill the
/// sixteen lanes that have different lines. Predicted by the timing model for gfx942, f16, 128
/// images of one pixel, in us: 480 to 20 channels forward 2.0 instead of 13.0, backward data 1.1
/// instead of 3.3; others: docs/notes/pointwise.md.
template <Direction direction, Matrix i>
inline constexpr auto xdl_intra_block_split_k = std::array{
    intra_block_split_k(i, {16, 16, 1024}, 16, 16, 8, {8, 8, 1}),
    intra_block_split_k(i, {16, 16, 512}, 16, 16, 8, {4, 4, 1}),
    intra_block_split_k(i, {16, 16, 256}, 16, 16, 8, {2, 2, 1}),
    intra_block_split_k(i, {16, 16, 256}, 16, 16, 8, {1, 1, 1}),
};
template <Matrix i>
inline constexpr auto xdl_intra_block_split_k<Direction::backward_data, i> = std::array{
    intra_block_split_k(i, {16, 32, 512}, 16, 32, 8, {8, 2, 1}),
    intra_block_split_k(i, {16, 32, 512}, 16, 32, 8, {4, 2, 1}),
    intra_block_split_k(i, {16, 16, 512}, 16, 16, 8, {4, 1, 1}),
    intra_block_split_k(i, {16, 16, 256}, 16, 16, 8, {2, 1, 1}),
    intra_block_split_k(i, {16, 16, 256}, 16, 16, 8, {1, 1, 1}),
};
/// 480 to 20 channels with one pixel 1.8 us instead of 4.1; 16 to 16 at 112x112 28 instead of 48.
template <Matrix i>
inline constexpr auto xdl_intra_block_split_k<Direction::backward_weight, i> = std::array{
    intra_block_split_k(i, {16, 16, 128}, 16, 16, 8, {1, 1, 1}),
    intra_block_split_k(i, {16, 32, 256}, 16, 32, 8, {1, 2, 1}, 3),
    intra_block_split_k(i, {32, 32, 128}, 32, 32, 4, {2, 2, 1}, 3),
};

/// Many small groups, as in few_channels(), in tiles with more rows for the same filters. Predicted
/// by the timing model for gfx942, f16, 128 images, 32 groups of 3x3, C of all groups, in us: 128
/// at 56x56 forward 127 instead of 163, backward data 140 instead of 172; others:
/// docs/notes/grouped_and_depthwise.md.
template <Xdl i>
inline constexpr GemmTuning xdl_small_groups{.block_tile  = {256, 32, 32},
                                             .wave_m      = 64,
                                             .wave_n      = 32,
                                             .instruction = i.m32,
                                             .a_vector    = 8,
                                             .b_vector    = 4,
                                             .c_vector    = 8,
                                             .reduction   = Reduction::merged};

template <Direction direction, Xdl i>
inline constexpr auto xdl_few_channels = [] {
    constexpr auto rows = few_channels(i.m16, i.widest);
    if constexpr(of_16_bits(i.m16) && arch::describe(i.m16).k == 16)
    {
        constexpr auto small =
            join(channel_slice_window_rows<i.m16>, std::array{xdl_small_groups<i>});
        if constexpr(direction == Direction::forward)
            return join(rows,
                        xdl_pointwise<i.m16>,
                        xdl_pointwise_channels_first<i.m16>,
                        xdl_first_layers<i.m16>,
                        xdl_intra_block_split_k<direction, i.m16>,
                        small);
        else
            return join(rows,
                        xdl_pointwise<i.m16>,
                        xdl_pointwise_channels_first<i.m16>,
                        xdl_intra_block_split_k<direction, i.m16>,
                        small);
    }
    else
        return rows;
}();

template <Direction direction, Xdl i>
inline constexpr auto xdl_any = [] {
    constexpr Vectors v = first_layer_vectors(direction, i.widest);
    constexpr auto any  = std::array{[] {
        GemmTuning t = xdl_64x64(i, {1, 1, 1});
        // 32 need more registers than clang 15 has for gfx908
        if(direction == Direction::backward_weight && of_16_bits(i.m32))
            t.block_tile.k = 16;
        return t;
    }()};
    if constexpr(direction == Direction::backward_data)
        return join(any,
                    std::array{GemmTuning{.block_tile  = {128, 16, std::max(32, i.k)},
                                          .wave_m      = 32,
                                          .wave_n      = 16,
                                          .instruction = i.m16,
                                          .a_vector    = v.a,
                                          .b_vector    = v.b,
                                          .c_vector    = v.c},
                               xdl_128x64(i, v)}); // more columns
    else if constexpr(direction == Direction::backward_weight && of_16_bits(i.m16) &&
                      arch::describe(i.m16).k == 16)
        return join(any, std::array{xdl_128x64(i, v)}, xdl_intra_block_split_k<direction, i.m16>);
    else
        return join(any, std::array{xdl_128x64(i, v)});
}();

/// For operands whose elements take more registers: from two tensors, or rounded to eight bits
/// before they are multiplied. At 256x128 their loads are in scratch memory (clang 22, gfx942);
/// with slices of 64 that are loaded one by one, places spill (clang 15, gfx90a). Places of single
/// bytes from two tensors spill with runs of slices, whatever the tile: 13 scalar registers (clang
/// 15, gfx90a) or 4 (clang 22, gfx942). A double buffer has no runs, and does not spill.
template <Direction direction, Xdl i>
inline constexpr auto xdl_small = std::array{xdl_128x128(i, wide_vectors(direction, i.widest))};
template <Direction direction, Xdl i>
inline constexpr auto xdl_small_any = [] {
    GemmTuning t   = xdl_64x64(i, {1, 1, 1});
    t.block_tile.k = std::max(t.block_tile.k / 2, arch::describe(i.m32).k);
    if(i.widest == 16) // for single bytes
        t.pipeline = Pipeline::double_buffer;
    return std::array{t};
}();

} // namespace ck::tables
