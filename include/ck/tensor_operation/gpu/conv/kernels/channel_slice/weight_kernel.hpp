#pragma once
// Hopper's backward weight kernel for many small groups. A workgroup takes one line of channels of
// whole groups (conv/kernels/channel_slice_geometry/channel_slice.hpp) and loops over tiles of
// output pixels. dY and the halo tile of X (operator_transform/halo_tiles.hpp) are copied once for
// all taps. A warp has one channel slice of the line, a whole number of groups, and keeps its dW in
// registers.
#include "ck/arch/index.hpp"
#include "ck/arch/local.hpp"
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_geometry/channel_slice.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/skeleton.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/operator_transform/halo_tiles.hpp"

#include <tuple>

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseChannelSliceWeightConv; empty if it is valid.
constexpr const char* why_no_weight_channel_slices(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    const index_t bytes = arch::input_bytes(t.instruction);
    if(instruction_of(t).requirement != arch::Requirement::mma_sync ||
       (bytes != 2 && t.instruction != arch::Matrix::mma_i32_16x8x32_s8) ||
       t.reduction != Reduction::by_tap)
        return "channel slices are of elements of two bytes or of int8, multiplied by mma.sync tap "
               "by "
               "tap";
    if(t.a_vector != 1 || t.b_vector != 1 || t.c_vector != 1)
        return "lines of channel slices are channels of several groups, whose tensors are accessed "
               "one by one";
    if(t.block_tile.m * bytes != ChannelLine<>::bytes || t.block_tile.k % HaloTiles::sub_tile != 0)
        return "a line of channel slices has 128 bytes of channels, and tiles have whole 64 output "
               "pixels";
    if((t.wave_m != 8 || bytes == 1) && t.wave_m != 16 && t.wave_m != 32 && t.wave_m != 64)
        return "a channel slice has 8 (not of int8), 16, 32 or 64 channels";
    if(t.window.x <= 0 || t.window.y <= 0 || t.window.stride != 1 || t.window.columns != 0 ||
       t.window.vector != 1 || t.block_tile.n != t.window.y * t.window.x * t.wave_m ||
       t.wave_n % t.wave_m != 0)
        return "a block of channel slices has the channels of a channel slice at each of its taps, "
               "a warp at "
               "a part of them";
    if(block_size(t) > 1024)
        return "a workgroup has more than 1024 threads";
    return nullptr;
}

/// Backward weight of groups with as many channels of X as of Y, which divide wave_m, the channels
/// of a channel slice. Sums between channels of two groups of a slice are computed but not stored.
/// A workgroup computes window.y x window.x neighbouring taps, of which each warp has
/// wave_n / wave_m. block_tile.k: output pixels of a tile.
///
/// The instruction's rows are 16 channels of X at a tap, or 8 at two taps; its columns 8 of dY, its
/// reduction 16 output pixels, of bytes 32. All are read as they lie in the lines, by ldmatrix. For
/// bytes it transposes pairs of channels, which are separated in registers: of 16 channels, those
/// with even numbers are the first 8 rows, or the first columns, those with odd ones the others.
///
/// Inf and NaN in X: as GridwiseHaloWeightConv.
template <class Types, GemmTuning tuning>
struct GridwiseChannelSliceWeightConv
    : WarpSpecialized<GridwiseChannelSliceWeightConv<Types, tuning>>
{
    using Transform                           = BackwardWeight;
    static constexpr arch::Matrix instruction = tuning.instruction;
    static constexpr index_t lanes            = 32;
    using Line                                = ChannelLine<arch::input_bytes(instruction)>;
    static constexpr bool of_bytes            = Line::pack == 16;
    static constexpr index_t line = Line::channels, line_bytes = Line::bytes,
                             pack          = Line::pack; ///< channels, except of bytes
    static constexpr index_t channel_slice = tuning.wave_m, channel_slices = line / channel_slice;
    static constexpr index_t x_taps = tuning.window.x, y_taps = tuning.window.y,
                             taps = x_taps * y_taps, taps_of_warp = tuning.wave_n / channel_slice;
    static constexpr index_t waves     = channel_slices * (taps / taps_of_warp);
    static constexpr index_t sub_tiles = tuning.block_tile.k / HaloTiles::sub_tile;

    /// An instruction's rows are channels of X (or half as many at each of two taps); its columns.
    static constexpr index_t tile_rows = 16, tile_columns = 8;
    static constexpr index_t taps_of_tile = channel_slice < tile_rows ? 2 : 1;
    static constexpr index_t row_tiles =
        taps_of_tile == 2 ? 1 : channel_slice / tile_rows; ///< at a tap
    static constexpr index_t tap_tiles    = math::integer_divide_ceil(taps_of_warp, taps_of_tile);
    static constexpr index_t column_tiles = channel_slice / tile_columns;
    static constexpr index_t two_columns_bytes = 2 * tile_columns * line_bytes / line;

    static constexpr index_t step_pixels = of_bytes ? 32 : 16;                ///< of an instruction
    static constexpr index_t steps       = tuning.block_tile.k / step_pixels; ///< steps of a tile
    /// Registers per thread: each quarter of a compute unit has this many for its warps.
    static constexpr index_t registers =
        (1 << 16) /
        (lanes * math::integer_least_multiple(tuning.min_blocks_per_cu * (waves + 1), 4));
    /// Steps whose loads are issued before the products of earlier steps: as many as fit beside the
    /// sums in registers; with more, nvcc 13 spills.
    static constexpr index_t steps_at_once =
        registers - 4 * tap_tiles * row_tiles * column_tiles < 48 ? 1 : math::min(steps, 4);

    using Input       = typename arch::MatrixTypes<instruction>::A;
    using Accumulator = typename arch::MatrixTypes<instruction>::Accumulator;
    static_assert(multiplied_as_in_memory<Types, Input, Input>(),
                  "tensor maps bring operands as they are in memory");

    using Registers                     = LaunchedRegisters<waves * lanes>; ///< one warp copies
    static constexpr index_t block_size = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = requirement_of(tuning);
    static constexpr index_t most_stages           = 8;

    struct Params : ConvParams<Transform, Types>
    {
        HaloTiles halo_tiles; ///< halo tiles of X
        arch::TensorMap a_map, b_map;
        /// Tiles of dW: by lines of channels, taps in z, blocks of taps in y and in x.
        Divisor lines, z_taps, y_blocks, x_blocks;
        index_t tap_line[taps];               ///< line of X in a stage with the tap's first pixel
        index_t a_step[steps], b_step[steps]; ///< bytes of a stage before a step's X and dY
        index_t filter[2];                    ///< taps x y
        index_t dilation[3];                  ///< x y z
        Divisor channels;                     ///< channels of a group
        index_t groups;
        index_t c_row, c_column; ///< elements of dW from one to the next, where it is stored
        index_t halo_lines;      ///< lines from one tap group's halo tile to the next
        index_t stage_bytes;     ///< bytes of a stage in shared memory
        index_t stages;

        auto addresses() const
        {
            return std::tuple_cat(ConvParams<Transform, Types>::addresses(),
                                  std::tie(a_map, b_map));
        }
    };

    static constexpr index_t own_bytes = tuning.block_tile.k * line_bytes; ///< dY of a tile

    static long_index_t grid_size(const Params& p)
    {
        return long_index_t{p.lines.value} * p.z_taps.value * p.y_blocks.value * p.x_blocks.value *
               p.tiles.splits.value;
    }

    struct Rest
    {
        CopyPipeline<most_stages> pipeline;
    };
    using SharedStorage = PooledStorage<Rest, (228 << 10) / min_blocks_per_cu - 1024>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for the tiles' pixels

    /// See GridwiseTensorMapConv.
    static bool starts_early(const Params& p) { return p.partial_sums.base == nullptr; }

private:
    friend struct WarpSpecialized<GridwiseChannelSliceWeightConv>;

    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        shared.rest.pipeline.prepare(waves);
    }

    /// The work of this block: a tile of dW, from tiles [first, end) of the output pixels.
    struct Work
    {
        index_t line_tile, first_tap[3]; ///< x y z
        index_t split, first, end;

        CK_DEVICE CK_INLINE explicit Work(const Params& p)
        {
            index_t rest = arch::block_index();
            line_tile    = split_off(rest, p.lines);
            first_tap[0] = split_off(rest, p.x_blocks) * x_taps;
            first_tap[1] = split_off(rest, p.y_blocks) * y_taps;
            first_tap[2] = split_off(rest, p.z_taps);
            split        = rest;
            const index_t each =
                math::integer_divide_ceil(p.halo_tiles.tile_count, p.tiles.splits.value);
            first = math::min(split * each, p.halo_tiles.tile_count);
            end   = math::min(first + each, p.halo_tiles.tile_count);
        }
    };

    /// The producer thread: starts the copies.
    CK_DEVICE CK_INLINE static void copy(const Params& p, SharedStorage& shared)
    {
        const Work work(p);
        const HaloTiles& x       = p.halo_tiles;
        const index_t tap_groups = x.of_phase[0].tap_groups,
                      bytes      = own_bytes + tap_groups * x.lines() * line_bytes;
        PipelineState stage;
        for(index_t number = work.first; number < work.end; ++number)
        {
            const HaloTiles::Tile tile     = x.tile(number);
            char* const to                 = shared.pool + stage.index * p.stage_bytes;
            arch::TransactionBarrier& full = shared.rest.pipeline.acquire(stage, bytes);
            arch::BoxPlace at{work.line_tile * line,
                              {tile.origin[0], tile.origin[1], tile.origin[2]},
                              tile.origin[3],
                              {}};
            arch::copy_box<false>(to, p.a_map, 5, at, full);
            for(index_t n = 0; n < tap_groups; ++n)
            {
                const HaloTiles::TapGroup& tap_group = x.tap_group[n];
                index_t plane                        = tap_group.plane;
                for(int i = 0; i < 3; ++i)
                {
                    const index_t next = plane / x.step[i];
                    at.spatial[i]      = (tap_group.first[i] + tile.origin[i]) * x.step[i] + plane -
                                    next * x.step[i] + work.first_tap[i] * p.dilation[i];
                    plane = next;
                }
                arch::copy_box<false>(
                    to + own_bytes + n * p.halo_lines * line_bytes, p.b_map, 5, at, full);
            }
            stage.advance(p.stages);
        }
    }

    using Sums = arch::MatrixC<instruction>[tap_tiles * row_tiles][column_tiles];

    /// A consumer warp: multiplies and stores.
    CK_DEVICE CK_INLINE static void multiply(const Params& p, SharedStorage& shared, index_t thread)
    {
        const index_t warp = thread / lanes, lane = thread % lanes,
                      channel_slice_number = warp % channel_slices,
                      first_tap            = warp / channel_slices * taps_of_warp,
                      first_pack           = channel_slice_number * (channel_slice / pack);
        const Work work(p);
        const HaloTiles& x        = p.halo_tiles;
        const HaloTiles::Own& own = x.own;
        // The 8 x 16-byte matrices that ldmatrix reads: two of channels (or taps) by two of pixels;
        // for bytes, four of pixels.
        const index_t row = lane % 8, low = of_bytes ? 0 : lane / 8 % 2,
                      high = of_bytes ? 0 : lane / 16, a_group = of_bytes ? lane / 8 : high,
                      b_group = of_bytes ? lane / 8 : low;
        index_t a_at[tap_tiles]; // where the lane reads X
        repeat<tap_tiles>([&](index_t i) {
            const index_t tap =
                taps_of_tile == 1 ? i : math::min(taps_of_tile * i + low, taps_of_warp - 1);
            a_at[i] = (p.tap_line[first_tap + tap] + row + a_group * x.group_lines) * line_bytes +
                      (first_pack + (taps_of_tile == 1 ? low : 0)) * 16;
        });
        const index_t b_at = (row + b_group * own.group_lines) * line_bytes +
                             (first_pack + (column_tiles > 1 ? high : 0)) * 16; // reads dY
        // The last line may have fewer channels.
        const bool has_groups =
            quotient(work.line_tile * line + channel_slice_number * channel_slice, p.channels) <
            p.groups;
        Sums sums;
        unrolled<0, tap_tiles * row_tiles>(
            [&](auto i) { unrolled<0, column_tiles>([&](auto j) { sums[i][j] = {}; }); });
        PipelineState stage;
        for(index_t number = work.first; number < work.end; ++number)
        {
            shared.rest.pipeline.wait(stage);
            const index_t at = stage.index * p.stage_bytes;
            for(index_t first = has_groups ? 0 : steps; first < steps; first += steps_at_once)
                unrolled<0, steps_at_once>([&](auto i) {
                    multiply_step(shared.pool,
                                  at + p.a_step[first + i],
                                  at + p.b_step[first + i],
                                  a_at,
                                  b_at,
                                  sums);
                });
            shared.rest.pipeline.release(stage, lane);
            stage.advance(p.stages);
        }
        store(sums, p, channel_slice_number, first_tap, lane);
    }

    /// Loads four matrices whose rows are pixels and whose columns are 16 channels, or 8 channels
    /// at two taps. Order: first half of the pixels with first and second channels, then the second
    /// half with both.
    CK_DEVICE CK_INLINE static Vector<std::uint32_t, 4> load_transposed(const char* at)
    {
        if constexpr(of_bytes)
            return arch::load_bytes_transposed(at);
        else
            return arch::load_matrices<4, true>(at);
    }

    /// Multiplies step_pixels output pixels. X begins `a` bytes and dY `b` bytes from the pool's
    /// begin.
    CK_DEVICE CK_INLINE static void multiply_step(const char* pool,
                                                  index_t a,
                                                  index_t b,
                                                  const index_t (&a_at)[tap_tiles],
                                                  index_t b_at,
                                                  Sums& sums)
    {
        using Columns = arch::MatrixB<instruction>;
        Columns columns[column_tiles];
        const index_t dy = Line::swizzled(b + b_at);
        if constexpr(column_tiles == 1)
            columns[0] = __builtin_bit_cast(Columns, arch::load_matrices<2, true>(pool + dy));
        else
            unrolled<0, column_tiles / 2>([&](auto j) {
                // Halves of dY have the opposite order: all pixels of the first channels come
                // first.
                constexpr index_t next = of_bytes ? 2 : 1, second = of_bytes ? 1 : 2;
                const auto two = load_transposed(pool + (dy ^ (j * two_columns_bytes)));
                columns[2 * j] =
                    __builtin_bit_cast(Columns, Vector<std::uint32_t, 2>{two[0], two[next]});
                columns[2 * j + 1] = __builtin_bit_cast(
                    Columns, Vector<std::uint32_t, 2>{two[second], two[second + next]});
            });
        unrolled<0, tap_tiles>([&](auto i) {
            const index_t x = Line::swizzled(a + a_at[i]);
            unrolled<0, row_tiles>([&](auto r) {
                const auto rows =
                    __builtin_bit_cast(arch::MatrixA<instruction>,
                                       load_transposed(pool + (x ^ (r * two_columns_bytes))));
                unrolled<0, column_tiles>([&](auto j) {
                    arch::multiply_accumulate<instruction>(
                        rows, columns[j], sums[i * row_tiles + r][j]);
                });
            });
        });
    }

    /// Distances, in elements, between groups, rows and columns of the stored result.
    struct Distance
    {
        long_index_t group;
        index_t row, column;
    };

    /// Returns which of 16 channels is row (or column) n of the instruction's first or second half;
    /// for bytes the halves are the even and the odd channels.
    CK_DEVICE CK_INLINE static index_t channel(index_t n, index_t half)
    {
        return of_bytes ? 2 * n + half : 8 * half + n;
    }

    /// Stores a warp's sums as a partial sum or as dW.
    CK_DEVICE CK_INLINE static void store(const Sums& sums,
                                          const Params& p,
                                          index_t channel_slice_number,
                                          index_t first_tap,
                                          index_t lane)
    {
        const Work work(p);
        const index_t first_group =
            quotient(work.line_tile * line + channel_slice_number * channel_slice, p.channels);
        const bool partial      = p.partial_sums.base != nullptr;
        const Distance distance = partial
                                      ? Distance{p.partial_sums.group, p.partial_sums.row_length, 1}
                                      : Distance{p.c_distance.group, p.c_row, p.c_column};
        auto* const part        = static_cast<Accumulator*>(p.partial_sums.base) +
                           (partial ? work.split * p.partial_sums.partial : 0);
        // Rows and columns of the instruction's tile: PTX ISA, "mma.m16n8k16", "mma.m16n8k32".
        repeat_in_place<2 * tap_tiles * row_tiles>([&](index_t half_tile) {
            const index_t i = half_tile / 2, half = half_tile % 2,
                          of_warp = i / row_tiles * taps_of_tile + (taps_of_tile == 2 ? half : 0),
                          tap = first_tap + of_warp, y = work.first_tap[1] + tap / x_taps,
                          x                  = work.first_tap[0] + tap % x_taps,
                          c_of_channel_slice = i % row_tiles * tile_rows +
                                               channel(lane / 4, taps_of_tile == 1 ? half : 0),
                          number = quotient(c_of_channel_slice, p.channels),
                          first  = number * p.channels.value; // channel of the group
            if(of_warp >= taps_of_warp || first_group + number >= p.groups || x >= p.filter[0] ||
               y >= p.filter[1])
                return;
            const index_t column =
                ((work.first_tap[2] * p.filter[1] + y) * p.filter[0] + x) * p.channels.value +
                c_of_channel_slice - first;
            const long_index_t at =
                (first_group + number) * distance.group + long_index_t{column} * distance.column;
            repeat_in_place<2 * column_tiles>([&](index_t j) {
                const index_t k =
                    j / 4 * 2 * tile_columns + channel(lane % 4 * 2 + j % 2, j / 2 % 2) - first;
                if(k < 0 || k >= p.channels.value)
                    return;
                const long_index_t to = at + long_index_t{k} * distance.row;
                const Accumulator sum = sums[i][j / 2][2 * half + j % 2];
                if(partial)
                    part[to] = sum;
                else
                    p.operation_c(p.c[to], sum);
            });
        });
    }
};

} // namespace ck::grid
