#pragma once
// Without matrix units, on any GPU: dot products of pairs if the target has them, otherwise
// multiply-add. Not measured on a device yet, in any direction.
#include "tables/rows.hpp"

namespace ck::tables {

/// The instruction for a type, and the reduction elements in a slice. Slices are 32 bytes deep: at
/// 64, operands of clang 15 spill registers (gfx1030: 6 to 195 of 256).
struct Dl
{
    Matrix id;
    index_t k;

    constexpr index_t widest() const { return k / 2; }
};
inline constexpr Dl dl_f16{dot_f32_8x4x2_f16, 16};
inline constexpr Dl dl_bf16{dot_f32_8x4x2_bf16, 16};
inline constexpr Dl dl_f32{dot_f32_8x4x1_f32, 8};
inline constexpr Dl dl_f64{dot_f64_8x4x1_f64, 4};
inline constexpr Dl dl_i8{dot_i32_8x4x4_i8, 32};

constexpr GemmTuning dl_64x64(Dl i, Vectors v)
{
    return {.block_tile  = {64, 64, i.k},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = i.id,
            .a_vector    = v.a,
            .b_vector    = v.b,
            .c_vector    = v.c};
}

constexpr auto dl_rows(Dl i, Vectors v)
{
    return std::array{
        GemmTuning{.block_tile  = {128, 128, i.k},
                   .wave_m      = 64,
                   .wave_n      = 32,
                   .instruction = i.id,
                   .a_vector    = v.a,
                   .b_vector    = v.b,
                   .c_vector    = v.c},
        // small problems: more workgroups
        dl_64x64(i, v),
    };
}

/// Pipeline::direct; a thread has `vector` groups. Measured on an H200 with f16, best of ten, in
/// ms; "instead of" is the best of all other rows (mma.sync). N C, image, filter, stride (1 unless
/// stated), forward:
///   128  96 112x112    3x3   2    0.185 instead of 0.372
///    64 384  14x14     7x7        0.062 instead of 0.170
///    16  54  16x56x56  3x3x3      0.711 instead of 2.36
///    32 512  1024      31         0.131 instead of 0.404
constexpr GemmTuning depthwise(Matrix i, index_t vector)
{
    constexpr index_t lanes = 32, waves = 8;
    const index_t rows   = vector < 4 ? 8 : 4; // for each thread
    const index_t groups = std::min(64, lanes * vector);
    const index_t wave_m = rows * lanes * vector / groups;
    return {.block_tile  = {waves * wave_m, groups, 64},
            .wave_m      = wave_m,
            .wave_n      = groups,
            .instruction = i,
            .a_vector    = vector,
            .b_vector    = 1,
            .c_vector    = vector,
            .pipeline    = Pipeline::direct,
            .reduction   = Reduction::merged};
}

/// Pipeline::sliding_window. blocks: of 128 threads, on an SM, which limits their registers.
constexpr GemmTuning sliding_window(Direction direction, Matrix i, Window window, index_t blocks)
{
    constexpr index_t waves = 4, groups = 64;
    const index_t vector = direction == Direction::backward_weight ? 1 : window.vector;
    return {.block_tile        = {waves * window.columns, groups, window.z * window.y * window.x},
            .wave_m            = window.columns,
            .wave_n            = groups,
            .instruction       = i,
            .a_vector          = vector,
            .b_vector          = 1,
            .c_vector          = vector,
            .pipeline          = Pipeline::sliding_window,
            .min_blocks_per_cu = blocks,
            .reduction         = Reduction::merged,
            .window            = window};
}

/// Pipeline::long_filter; for each thread columns and groups. 32 taps of 64 groups take 8 KiB.
constexpr GemmTuning long_filter(Matrix i, index_t columns, index_t vector)
{
    constexpr index_t waves = 8, groups = 64, taps = 32;
    return {.block_tile        = {waves * columns, groups, taps},
            .wave_m            = columns,
            .wave_n            = groups,
            .instruction       = i,
            .a_vector          = vector,
            .b_vector          = 1,
            .c_vector          = vector,
            .pipeline          = Pipeline::long_filter,
            .min_blocks_per_cu = 2,
            .reduction         = Reduction::merged,
            .window            = {.columns = columns, .vector = vector}};
}

/// Pipeline::small_groups; a thread has `channels` channels and `columns` columns, and processes
/// `taps` taps of a row at once. LDS has 36 KiB of filters, for two blocks on an SM.
constexpr GemmTuning small_groups(Matrix i, index_t channels, index_t taps, index_t columns)
{
    constexpr index_t lanes = 32, all_channels = 32, vector = 4, held = 288;
    const index_t waves  = channels > vector ? 6 : 8; // 168 or 128 registers for each thread
    const index_t wave_m = lanes * channels / all_channels * columns;
    return {.block_tile        = {waves * wave_m, all_channels, held},
            .wave_m            = wave_m,
            .wave_n            = all_channels,
            .instruction       = i,
            .a_vector          = vector,
            .b_vector          = vector,
            .c_vector          = vector,
            .pipeline          = Pipeline::small_groups,
            .min_blocks_per_cu = 2,
            .reduction         = Reduction::merged,
            .window            = {.x = taps, .columns = columns}};
}

/// Pipeline::small_groups for backward weight; a thread has a number of channels of dY by four of
/// X, or of groups of one channel, by a number of taps, and takes several pixels in a step.
constexpr GemmTuning
small_groups_weight(Matrix i, bool depthwise, index_t channels, index_t taps, index_t columns)
{
    constexpr index_t all_channels = 32, vector = 4;
    const index_t waves = channels > vector ? 6 : 8; // 168 or 128 registers for each thread
    return {.block_tile        = {waves * channels, all_channels, columns},
            .wave_m            = channels,
            .wave_n            = all_channels,
            .instruction       = i,
            .a_vector          = depthwise ? 1 : vector,
            .b_vector          = depthwise ? 1 : vector,
            .c_vector          = 1,
            .pipeline          = Pipeline::small_groups,
            .min_blocks_per_cu = 2,
            .reduction         = Reduction::merged,
            .window = {.x = taps, .columns = columns, .vector = depthwise ? channels : 1}};
}

/// The lengths and stride of a window; the columns, groups and stages of a thread; planes; and
/// blocks on an SM, which limit registers for filters and sums. Rows in flight hide the
/// memory's latency if they are 32 KiB or more on an SM. docs/notes/grouped_and_depthwise.md
/// has times.
struct WindowRow
{
    Window window;
    index_t blocks;
};

/// Windows of forward and backward data; those with strides of 2 are only for forward.
inline constexpr WindowRow windows_of_16_bits[]{{{3, 3, 1, 7, 4, 3}, 2},
                                                {{3, 3, 1, 7, 2, 3}, 4},
                                                {{5, 5, 1, 7, 2, 2}, 2},
                                                {{7, 7, 1, 3, 2, 1}, 2},
                                                {{5, 5, 1, 1, 2, 5}, 4}, // few pixels
                                                {{7, 7, 1, 1, 2, 7}, 2},
                                                {{4, 1, 1, 1, 8, 8}, 3},
                                                {{3, 3, 1, 4, 2, 2, 3}, 3},
                                                {{3, 3, 2, 2, 4, 3}, 3},
                                                {{3, 3, 2, 4, 2, 3}, 4},
                                                {{5, 5, 2, 4, 2, 2}, 3},
                                                {{7, 7, 2, 2, 2, 1}, 2},
                                                {{3, 3, 2, 2, 2, 2, 3}, 3}};
inline constexpr WindowRow windows_of_8_bits[]{{{3, 3, 1, 7, 4, 3}, 2},
                                               {{3, 3, 1, 7, 2, 3}, 3},
                                               {{5, 5, 1, 4, 2, 2}, 2},
                                               {{7, 7, 1, 3, 2, 1}, 2},
                                               {{4, 1, 1, 1, 8, 8}, 3},
                                               {{3, 3, 1, 4, 2, 2, 3}, 2},
                                               {{3, 3, 2, 2, 4, 3}, 3},
                                               {{3, 3, 2, 4, 2, 3}, 3},
                                               {{5, 5, 2, 2, 2, 2}, 2},
                                               {{3, 3, 2, 2, 2, 2, 3}, 2}};
inline constexpr WindowRow windows_of_32_bits[]{{{3, 3, 1, 7, 2, 3}, 3},
                                                {{5, 5, 1, 7, 1, 5}, 3},
                                                {{7, 7, 1, 4, 1, 2}, 3},
                                                {{4, 1, 1, 1, 4, 8}, 4},
                                                {{3, 3, 1, 4, 1, 3, 3}, 3},
                                                {{3, 3, 2, 2, 2, 3}, 4},
                                                {{5, 5, 2, 2, 1, 3}, 4}};
inline constexpr WindowRow weight_windows_of_16_bits[]{{{3, 3, 1, 7, 2, 3}, 3},
                                                       {{3, 3, 2, 2, 2, 3}, 4},
                                                       {{5, 5, 1, 7, 2, 1}, 2},
                                                       {{5, 5, 2, 2, 2, 3}, 3},
                                                       {{7, 7, 1, 3, 2, 1}, 2},
                                                       {{4, 1, 1, 1, 8, 8}, 2},
                                                       {{3, 3, 1, 4, 2, 3, 3}, 2},
                                                       {{3, 3, 2, 2, 2, 2, 3}, 3}};
inline constexpr WindowRow weight_windows_of_8_bits[]{{{3, 3, 1, 7, 2, 3}, 3},
                                                      {{3, 3, 2, 2, 2, 3}, 4},
                                                      {{5, 5, 1, 7, 2, 1}, 2},
                                                      {{5, 5, 2, 2, 2, 3}, 3},
                                                      {{7, 7, 1, 2, 2, 1}, 2},
                                                      {{4, 1, 1, 1, 8, 8}, 2},
                                                      {{3, 3, 1, 4, 2, 3, 3}, 2},
                                                      {{3, 3, 2, 1, 2, 2, 3}, 2}};
inline constexpr WindowRow weight_windows_of_32_bits[]{{{3, 3, 1, 4, 2, 3}, 3},
                                                       {{3, 3, 2, 2, 2, 2}, 4},
                                                       {{5, 5, 1, 4, 2, 3}, 2},
                                                       {{5, 5, 2, 2, 1, 3}, 4},
                                                       {{7, 7, 1, 4, 1, 2}, 3},
                                                       {{4, 1, 1, 1, 4, 4}, 4},
                                                       {{3, 3, 1, 4, 1, 3, 3}, 3}};

/// The rows of `from` that a direction uses.
template <Direction direction, Matrix i, const auto& from>
constexpr auto rows_of_windows()
{
    constexpr auto has = [](const WindowRow& row) {
        return direction != Direction::backward_data || row.window.stride == 1;
    };
    std::array<GemmTuning, std::count_if(std::begin(from), std::end(from), has)> rows{};
    std::size_t count = 0;
    for(const WindowRow& row : from)
        if(has(row))
            rows[count++] = sliding_window(direction, i, row.window, row.blocks);
    return rows;
}

/// Windows of common depthwise layers.
template <Direction direction, Dl i>
constexpr auto windows()
{
    constexpr bool weight = direction == Direction::backward_weight;
    if constexpr(of_16_bits(i.id))
    {
        if constexpr(weight)
            return rows_of_windows<direction, i.id, weight_windows_of_16_bits>();
        else
            return rows_of_windows<direction, i.id, windows_of_16_bits>();
    }
    else if constexpr(i.id == dl_f32.id)
    {
        if constexpr(weight)
            return rows_of_windows<direction, i.id, weight_windows_of_32_bits>();
        else
            return rows_of_windows<direction, i.id, windows_of_32_bits>();
    }
    else
        return std::array<GemmTuning, 0>{};
}

/// Filters of any size. 14 columns have more products for each load, and divide 28 and 56; with
/// floats they would spill.
template <Dl i>
constexpr auto long_filters()
{
    if constexpr(of_16_bits(i.id))
        return std::array{long_filter(i.id, 8, 2), long_filter(i.id, 14, 2)};
    else
        return std::array{long_filter(i.id, 8, 2)};
}

/// Groups of 4 to 64 channels.
template <Dl i>
constexpr auto groups_of_few_channels()
{
    if constexpr(i.id == dl_f32.id)
        return std::array{small_groups(i.id, 8, 3, 7),
                          small_groups(i.id, 4, 3, 7),
                          small_groups(i.id, 8, 1, 7),
                          small_groups(i.id, 4, 1, 7)};
    else
        return std::array<GemmTuning, 0>{};
}

/// Groups of 4 to 64 channels, and of one channel with filters for which there is no window.
template <Dl i>
constexpr auto weight_of_few_channels()
{
    constexpr bool depthwise = true, groups = false;
    if constexpr(i.id == dl_f32.id)
        return std::array{small_groups_weight(i.id, groups, 8, 3, 2),
                          small_groups_weight(i.id, groups, 4, 3, 4),
                          small_groups_weight(i.id, groups, 8, 3, 1),
                          small_groups_weight(i.id, groups, 4, 3, 1),
                          small_groups_weight(i.id, depthwise, 4, 8, 4),
                          small_groups_weight(i.id, depthwise, 1, 8, 4),
                          small_groups_weight(i.id, depthwise, 2, 1, 4),
                          small_groups_weight(i.id, depthwise, 1, 1, 4)};
    else
        return std::array<GemmTuning, 0>{};
}

/// C in vectors of at most 8: a wave tile's eight rows of 32 have work for 32 lanes. Sums of
/// doubles take twice the registers, so tiles are small.
template <Direction direction, Dl i>
inline constexpr auto dl = [] {
    Vectors v = wide_vectors(direction, i.widest());
    v.c       = std::min(v.c, 8);
    if constexpr(of_64_bits(i.id))
        return std::array{dl_64x64(i, v)};
    else
        return dl_rows(i, v);
}();

/// Eight-bit elements: groups of one channel, with any filters and strides. Extracting bytes from
/// words needs registers: 5x5 has fewer columns than with 16 bits, and there are no long filters
/// with 14 columns, or they spill (gfx1100, sm_90a). Times: docs/notes/number_types.md.
template <Direction direction, Dl i>
inline constexpr auto dl_depthwise = [] {
    if constexpr(direction == Direction::backward_weight)
        return rows_of_windows<direction, i.id, weight_windows_of_8_bits>();
    else
        return join(std::array{depthwise(i.id, 8), depthwise(i.id, 2), depthwise(i.id, 1)},
                    rows_of_windows<direction, i.id, windows_of_8_bits>(),
                    std::array{long_filter(i.id, 8, 2)});
}();

template <Direction direction, Dl i>
inline constexpr auto dl_few_channels = [] {
    // Slices as deep and waves as large as in other engines spill up to 432 registers (clang 15).
    auto rows = few_channels(i.id, i.widest(), 4, 16);
    for(GemmTuning& row : rows)
    {
        row.block_tile.m = 64;
        row.wave_m       = 16;
    }
    return rows;
}();

/// Kernels of their own for groups of one channel, and with f32 of 4 to 64.
template <Direction direction, Dl i>
inline constexpr auto dl_groups = [] {
    if constexpr(direction == Direction::backward_weight)
        return join(windows<direction, i>(), weight_of_few_channels<i>());
    else
        return join(std::array{depthwise(i.id, i.widest()), depthwise(i.id, 2), depthwise(i.id, 1)},
                    windows<direction, i>(),
                    long_filters<i>(),
                    groups_of_few_channels<i>());
}();

template <Direction, Dl i>
inline constexpr auto dl_any = std::array{dl_64x64(i, {1, 1, 1})};

/// For operands whose elements take more registers: from two tensors, or rounded to eight bits
/// before they are multiplied. At 128x128, clang 15 spills one or two (gfx1030, bf16), and clang 19
/// some with 32 int8 loaded one by one (gfx1100).
template <Direction direction, Dl i>
inline constexpr auto dl_small = std::array{dl<direction, i>[of_64_bits(i.id) ? 0 : 1]};
template <Direction direction, Dl i>
inline constexpr auto dl_small_any = dl_any<direction, Dl{i.id, std::min(i.k, 16)}>;

/// int8 multiplied and added up as doubles, exact to 2^53: sums of any length, slowly. It is last
/// in a family, since its time is not modelled.
template <Direction direction, Dl i>
inline constexpr auto dl_exact_any = dl_any<direction, i>;

} // namespace ck::tables
