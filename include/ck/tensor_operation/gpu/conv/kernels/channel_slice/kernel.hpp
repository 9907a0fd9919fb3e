#pragma once
// Hopper's convolution kernel for many small groups. A workgroup takes one line (128 bytes of
// channels of whole groups, see conv/kernels/channel_slice_geometry/channel_slice.hpp) and loops
// over tiles of output pixels. One thread copies each halo tile (operator_transform/halo_tiles.hpp)
// once for all filter taps. The filters are in shared memory in the order in which instructions
// take them. Each warp multiplies channel slices of the line by them; ldmatrix reads the pixels of
// a tap directly from the lines.
#include "ck/arch/index.hpp"
#include "ck/arch/local.hpp"
#include "ck/arch/named_barrier.hpp"
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_geometry/channel_slice.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/skeleton.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/own_group.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"
#include "ck/tensor_operation/operator_transform/halo_tiles.hpp"
#include "ck/tensor_operation/operator_transform/merged_backward_data.hpp"
#include "ck/tensor_operation/operator_transform/merged_forward.hpp"

#include <tuple>

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseChannelSliceConv; empty if it is valid.
constexpr const char* why_no_channel_slices(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    const index_t bytes = arch::input_bytes(t.instruction), pack = 16 / bytes;
    if(!arch::reads_matrices(instruction_of(t).requirement) || bytes > 2)
        return "channel slices are of elements of one or two bytes, multiplied by mma.sync";
    if(t.reduction != Reduction::merged || t.merged_groups != 0)
        return "the groups of a line are merged, as many as there are";
    if(t.window != Window{})
        return "only backward weight's channel slices have windows";
    if(t.block_tile.n != 8 * pack || t.block_tile.m % HaloTiles::sub_tile != 0)
        return "a line of channel slices has 128 bytes, and tiles have whole 64 output pixels";
    if(t.block_tile.k != pack && t.block_tile.k != 2 * pack && t.block_tile.k != 4 * pack &&
       t.block_tile.k != 8 * pack)
        return "a channel slice, block_tile.k, has channels of 16, 32, 64 or 128 bytes";
    if(t.wave_m % 16 != 0 || t.wave_n % (2 * pack) != 0 ||
       (t.wave_n % t.block_tile.k != 0 && t.block_tile.k % t.wave_n != 0))
        return "a warp has whole 16 pixels, and channels of whole 32 bytes: of channel slices, or "
               "of a part "
               "of one";
    if(t.a_vector != pack || t.b_vector != 1 || t.c_vector != pack)
        return "lines of channel slices are copied and stored in vectors of 16 bytes, filters are "
               "loaded one by one";
    if(block_size(t) > 1024)
        return "a workgroup has more than 1024 threads";
    return nullptr;
}

/// Forward and backward data of groups with equal numbers of channels in X and Y that divide a
/// channel slice; interface as GridwiseConv's. A tile has block_tile.m output pixels and
/// block_tile.n channels (a line; the last one may have fewer groups than the others); a warp
/// computes wave_m x wave_n of it. block_tile.k: channels of a channel slice.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseChannelSliceConv
    : WarpSpecialized<GridwiseChannelSliceConv<Transform, Types, tuning>>
{
    static_assert(std::is_same_v<Transform, MergedForward> ||
                  std::is_same_v<Transform, MergedBackwardData>);
    static constexpr index_t lanes         = 32;
    static constexpr index_t channel_slice = tuning.block_tile.k;
    static constexpr index_t waves         = wave_count(tuning);
    static constexpr index_t row_waves     = tuning.block_tile.m / tuning.wave_m;
    static constexpr index_t sub_tiles     = tuning.block_tile.m / HaloTiles::sub_tile;
    static constexpr index_t m_tiles = tuning.wave_m / 16, n_tiles = tuning.wave_n / 8;
    using Wave        = warp::WaveGemm<tuning.instruction, m_tiles, n_tiles>;
    using Accumulator = typename Wave::Accumulator;
    using Input       = typename Wave::InputM;
    using Filters     = arch::MatrixB<tuning.instruction>; ///< filters of a lane for 8 columns
    using Line        = ChannelLine<index_t{sizeof(Input)}>;
    static_assert(multiplied_as_in_memory<Types, Input, Input>(),
                  "tensor maps bring operands as they are in memory");

    /// The two packs of an instruction's reduction are the packs of a channel slice at two taps, or
    /// at one tap.
    static constexpr index_t taps_of_step = channel_slice == Line::pack ? 2 : 1;
    static constexpr index_t depth        = 2 * Line::pack; ///< channels that it multiplies
    static constexpr index_t k_steps      = math::max(1, channel_slice / depth); ///< in one step
    static constexpr index_t channel_slices_of_wave   = math::max(1, tuning.wave_n / channel_slice);
    static constexpr index_t n_tiles_of_channel_slice = n_tiles / channel_slices_of_wave;
    static constexpr index_t line_tiles               = Line::channels / 8;
    static constexpr index_t most_steps               = 32;
    /// Bytes of shared memory that the filters of a step take.
    static constexpr index_t step_bytes = k_steps * line_tiles * lanes * index_t{sizeof(Filters)};

    static constexpr bool narrow  = stored_narrow<Types, Accumulator>();
    static constexpr index_t room = (16 << 10) / waves; ///< LDS of a wave for what it stores
    using Store =
        StoreC<Transform, Types, Wave, waves * tuning.wave_m, tuning.c_vector, narrow, room>;

    using Registers                     = LaunchedRegisters<waves * lanes>; ///< one warp copies
    static constexpr index_t block_size = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = requirement_of(tuning);
    static constexpr bool has_epilogue   = has_channel_epilogue<Transform, Types>(requirement);
    static constexpr bool takes_gelu     = true;
    static constexpr index_t most_stages = 8;

    /// The taps that one instruction multiplies: one or two.
    struct Step
    {
        index_t line[taps_of_step];   ///< line of a halo tile where the tap's first pixel lies
        index_t filter[taps_of_step]; ///< elements from the filter's begin; below 0: no tap
    };

    struct Params : ConvParams<Transform, Types>
    {
        HaloTiles halo_tiles;
        arch::TensorMap a_map[HaloTiles::most_planes];
        Step step[most_steps + 1];                          ///< steps of all phases
        index_t first_step[HaloTiles::most_tap_groups + 1]; ///< per tap group, and the end
        Divisor channels;                                   ///< channels of a group
        index_t all_channels;                               ///< channels of all groups
        index_t filter_group, filter_row, filter_column;    ///< elements from a group, a channel of
                                                            ///< C, and one of A, to the next
        index_t blocks;                                 ///< in the launch, a multiple of the lines
        index_t filter_bytes;                           ///< in shared memory, before the stages
        index_t halo_bytes;                             ///< distance from one halo tile to the next
        index_t stages;                                 ///< halo tiles
        arch::offset_t c_first[HaloTiles::most_phases]; ///< bytes, of a phase's first pixel in C
        arch::offset_t c_step[4]; ///< bytes from a pixel of a phase to the next, w h d n

        auto addresses() const
        {
            return std::tuple_cat(ConvParams<Transform, Types>::addresses(), std::tie(a_map));
        }
    };

    static long_index_t grid_size(const Params& p) { return p.blocks; }

    struct Rest
    {
        typename Store::Shared store[waves];
        typename Store::Rows rows;
        CopyPipeline<most_stages> pipeline;
        arch::NamedBarrier<waves * lanes> filters;
        index_t channels; ///< channels of this block's line; here, because registers are few
    };
    using SharedStorage = PooledStorage<Rest, (228 << 10) / min_blocks_per_cu - 1024>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for filters and halo tiles

    static constexpr bool starts_early(const Params&) { return true; }

private:
    friend struct WarpSpecialized<GridwiseChannelSliceConv>;

    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        shared.rest.filters.prepare();
    }
    /// Prepares the pipeline for the warps that have columns of the line: the others return.
    CK_DEVICE CK_INLINE static void set_up(const Params& p, SharedStorage& shared, index_t thread)
    {
        if(thread != 0)
            return;
        const index_t channels = line_channels(p);
        shared.rest.channels   = channels;
        shared.rest.pipeline.prepare(row_waves *
                                     math::integer_divide_ceil(channels, tuning.wave_n));
        arch::publish_barriers();
    }

    CK_DEVICE CK_INLINE static char*
    halo_tile(const Params& p, SharedStorage& shared, const PipelineState& stage)
    {
        return shared.pool + p.filter_bytes + stage.index * p.halo_bytes;
    }

    /// The tiles of this block: a column of them is a line.
    CK_DEVICE CK_INLINE static ColumnOfTiles tiles_of_block(const Params& p)
    {
        return {arch::block_index(), p.tiles.groups, p.blocks};
    }
    template <class Each>
    CK_DEVICE CK_INLINE static void for_tiles(const Params& p, const Each& each)
    {
        const ColumnOfTiles tiles = tiles_of_block(p);
        for(index_t number = tiles.first; number < p.halo_tiles.tile_count; number += tiles.every)
            if(const HaloTiles::Tile tile = p.halo_tiles.tile(number); tile.exists(p.halo_tiles))
                each(tile);
    }

    /// Where this block's line begins: a line is a group of the merged problem.
    CK_DEVICE CK_INLINE static index_t first_channel(const Params& p)
    {
        return tiles_of_block(p).column * p.transform.groups.count.value * p.channels.value;
    }

    /// Channels of this block's line.
    CK_DEVICE CK_INLINE static index_t line_channels(const Params& p)
    {
        return math::min(p.transform.groups.count.value * p.channels.value,
                         p.all_channels - first_channel(p));
    }

    /// The producer thread: starts the copies.
    CK_DEVICE CK_INLINE static void copy(const Params& p, SharedStorage& shared)
    {
        const index_t channel = first_channel(p), bytes = p.halo_tiles.lines() * Line::bytes;
        PipelineState stage;
        for_tiles(p, [&](const HaloTiles::Tile& tile) {
            const HaloTiles::Phase& c = p.halo_tiles.of_phase[tile.phase_index];
            for(index_t i = 0; i < c.tap_groups; ++i)
            {
                const HaloTiles::TapGroup& tap_group =
                    p.halo_tiles.tap_group[c.first_tap_group + i];
                arch::BoxPlace at{};
                at.channel = channel;
                for(int a = 0; a < 3; ++a)
                    at.spatial[a] = tap_group.first[a] + tile.origin[a];
                at.last                        = tile.origin[3];
                arch::TransactionBarrier& full = shared.rest.pipeline.acquire(stage, bytes);
                arch::copy_box<false>(
                    halo_tile(p, shared, stage), p.a_map[tap_group.plane], 5, at, full);
                stage.advance(p.stages);
            }
        });
    }

    /// Fills the filters' shared memory, with all multiplying warps: the operands of a lane for
    /// each instruction, lane after lane, in the order of steps and columns. Values that all steps
    /// share are computed once.
    CK_DEVICE CK_INLINE static void
    load_filters(const Params& p, SharedStorage& shared, index_t warp, index_t lane)
    {
        constexpr arch::MatrixInstruction instruction = instruction_of(tuning);
        constexpr index_t values = instruction.b_values, together = 4, // whose loads wait together
            parts          = math::max(1, waves / line_tiles);
        const index_t line = tiles_of_block(p).column, channels = line_channels(p),
                      steps = p.filter_bytes / step_bytes;
        const arch::GlobalView<const typename Types::B> from(p.b + line * p.b_distance.group);
        const auto bytes = [](index_t elements) {
            return static_cast<arch::offset_t>(elements) *
                   static_cast<arch::offset_t>(sizeof(typename Types::B));
        };
        Filters* const to = reinterpret_cast<Filters*>(shared.pool) + lane;
        if(warp >= parts * line_tiles)
            return;
        for(index_t tile = warp % line_tiles; tile < line_tiles; tile += waves)
        {
            const index_t column = tile * 8 + instruction.b(lane, 0).row,
                          group = quotient(column, p.channels), first = group * p.channels.value,
                          at = group * p.filter_group + (column - first) * p.filter_row;
            unrolled<0, k_steps>([&](auto k) {
                arch::offset_t offset[values];
                repeat<values>([&](index_t v) {
                    const index_t row = tile * 8 / channel_slice * channel_slice + k * depth +
                                        instruction.b(lane, v).column % (depth / taps_of_step);
                    offset[v] = column < channels && row >= first && row < first + p.channels.value
                                    ? bytes(at + (row - first) * p.filter_column)
                                    : arch::nowhere;
                });
                for(index_t number = warp / line_tiles; number < steps; number += together * parts)
                {
                    Filters loaded[together];
                    repeat<together>([&](index_t n) {
                        const Step& step = p.step[math::min(number + n * parts, steps - 1)];
                        repeat<values>([&](index_t v) {
                            const index_t filter =
                                step.filter[instruction.b(0, v).column / (depth / taps_of_step)];
                            loaded[n][v] = from.template load<1>(
                                filter < 0 ? arch::nowhere : offset[v], bytes(filter))[0];
                        });
                    });
                    repeat<together>([&](index_t n) {
                        if(const index_t of_step = number + n * parts; of_step < steps)
                            arch::write_whole(to + ((of_step * k_steps + k) * line_tiles + tile) *
                                                       lanes,
                                              loaded[n]);
                    });
                }
            });
        }
    }

    /// A row of a tile. Each lane knows some of them.
    struct Row
    {
        index_t at[4];         ///< coordinates in the tile: w h d n
        arch::offset_t offset; ///< offset in C from the tile's first pixel

        CK_DEVICE CK_INLINE void set(const Params& p, index_t number)
        {
            p.halo_tiles.place(at, number / HaloTiles::sub_tile, number % HaloTiles::sub_tile);
            offset = bytes(p, at);
        }
        CK_DEVICE CK_INLINE static arch::offset_t bytes(const Params& p, const index_t (&at)[4])
        {
            arch::offset_t sum = 0;
            repeat<4>([&](index_t i) { sum += static_cast<arch::offset_t>(at[i]) * p.c_step[i]; });
            return sum;
        }
        /// Whether a row of the tile is a row of C.
        CK_DEVICE CK_INLINE bool exists(const Params& p, const HaloTiles::Tile& tile) const
        {
            const auto& count = p.halo_tiles.of_phase[tile.phase_index].count;
            bool inside       = tile.origin[3] + at[3] < p.batch;
            repeat<3>([&](index_t i) { inside = inside & (tile.origin[i] + at[i] < count[i]); });
            return inside;
        }
    };
    static constexpr index_t rows_of_lane = math::integer_divide_ceil(tuning.wave_m, lanes);

    /// Position of a warp's tile of C in the block's tile.
    struct Place
    {
        index_t row, column, lane;
    };

    /// A consumer warp: multiplies and stores.
    CK_DEVICE CK_INLINE static void multiply(const Params& p, SharedStorage& shared, index_t thread)
    {
        const index_t warp = thread / lanes, lane = thread % lanes;
        load_filters(p, shared, warp, lane);
        shared.rest.filters.arrive_and_wait();
        const Place at{warp % row_waves * tuning.wave_m, warp / row_waves * tuning.wave_n, lane};
        if(at.column >= shared.rest.channels)
            return; // the line does not have these columns
        // The lane addresses a row of an 8-pixel matrix, in one of the two halves of the
        // instruction's pixels and of its reduction (arch::load_matrices).
        index_t first_line[m_tiles];
        repeat<m_tiles>([&](index_t i) {
            const index_t row = at.row + 16 * i, pair = row % HaloTiles::sub_tile / 16;
            first_line[i] = row / HaloTiles::sub_tile * p.halo_tiles.sub_tile_lines +
                            (2 * pair + lane / 8 % 2) * p.halo_tiles.group_lines + lane % 8;
        });
        Row rows[rows_of_lane];
        repeat<rows_of_lane>([&](index_t i) { rows[i].set(p, at.row + lane + i * lanes); });
        PipelineState stage;
        for_tiles(p, [&](const HaloTiles::Tile& tile) {
            Wave wave;
            wave.clear();
            const HaloTiles::Phase& c = p.halo_tiles.of_phase[tile.phase_index];
            for(index_t i = c.first_tap_group; i < c.first_tap_group + c.tap_groups; ++i)
            {
                shared.rest.pipeline.wait(stage);
                const char* const halo = halo_tile(p, shared, stage);
                const index_t first = p.first_step[i], end = p.first_step[i + 1];
                Step next = p.step[first]; // read before the previous one is multiplied
                for(index_t number = first; number < end; ++number)
                {
                    const Step step = next;
                    next            = p.step[number + 1];
                    multiply_step(
                        wave, step, shared.pool + number * step_bytes, halo, first_line, at);
                }
                shared.rest.pipeline.release(stage, lane);
                stage.advance(p.stages);
            }
            store(wave, p, shared, tile, rows, warp, at);
        });
    }

    CK_DEVICE CK_INLINE static void multiply_step(Wave& wave,
                                                  const Step& step,
                                                  const char* filters,
                                                  const char* halo,
                                                  const index_t (&first_line)[m_tiles],
                                                  const Place& at)
    {
        const index_t second = at.lane / 16;
        index_t tap_line     = step.line[0];
        // A missing tap has no filters; it must also have no pixels, because zero times Inf is NaN.
        std::uint32_t there = ~std::uint32_t{0};
        if constexpr(taps_of_step > 1)
        {
            tap_line = second != 0 ? step.line[1] : tap_line;
            there    = step.filter[1] < 0 ? 0 : there;
        }
        const Filters* const of_lane =
            reinterpret_cast<const Filters*>(filters) + at.column / 8 * lanes + at.lane;
        unrolled<0, channel_slices_of_wave>([&](auto s) {
            unrolled<0, k_steps>([&](auto k) {
                Filters b[n_tiles_of_channel_slice];
                unrolled<0, n_tiles_of_channel_slice>([&](auto j) {
                    b[j] = arch::read_unsplit<Filters>(
                        of_lane + (k * line_tiles + s * n_tiles_of_channel_slice + j) * lanes);
                });
                const index_t pack =
                    (at.column + s * channel_slice) / channel_slice * (channel_slice / Line::pack) +
                    (taps_of_step > 1 ? 0 : 2 * k + second);
                unrolled<0, m_tiles>([&](auto i) {
                    const index_t first = Line::swizzled((first_line[i] + tap_line) * Line::bytes);
                    auto words          = arch::load_matrices<4>(halo + (first ^ pack * 16));
                    if constexpr(taps_of_step > 1)
                    {
                        words[2] &= there;
                        words[3] &= there;
                    }
                    const auto a = __builtin_bit_cast(arch::MatrixA<tuning.instruction>, words);
                    unrolled<0, n_tiles_of_channel_slice>([&](auto j) {
                        arch::multiply_accumulate<tuning.instruction>(
                            a, b[j], wave.c[i][s * n_tiles_of_channel_slice + j]);
                    });
                });
            });
        });
    }

    CK_DEVICE CK_INLINE static void store(Wave& wave,
                                          const Params& p,
                                          SharedStorage& shared,
                                          const HaloTiles::Tile& tile,
                                          const Row (&rows)[rows_of_lane],
                                          index_t warp,
                                          const Place& at)
    {
        const TileMap::Tile of_c{0, tile.phase_index, 0, 0, tiles_of_block(p).column, 0};
        const index_t table_row = warp * tuning.wave_m;
        if constexpr(std::is_floating_point_v<Accumulator>)
            if(p.channels.value < channel_slice)
                add_up_again(wave, p, shared.rest.channels, tile, of_c, at);
        [[maybe_unused]] const arch::offset_t first =
            p.c_first[tile.phase_index] + Row::bytes(p, tile.origin);
        repeat<rows_of_lane>([&](index_t i) {
            const index_t number = at.lane + i * lanes;
            if(number >= tuning.wave_m)
                return;
            if(!rows[i].exists(p, tile))
                shared.rest.rows.clear(table_row + number);
            else if constexpr(Types::Ds::Size() == 0)
                shared.rest.rows.c[table_row + number] = first + rows[i].offset;
            else
                shared.rest.rows.set(
                    table_row + number, p, p.views(of_c), row_of(p, tile, at.row + number));
        });
        arch::wave_sync<lanes>();
        Store::run(wave,
                   shared.rest.store[warp],
                   shared.rest.rows,
                   p,
                   p.views(TileMap::Tile{}), // columns are the same in all phases
                   of_c,
                   table_row,
                   at.column,
                   at.lane,
                   shared.rest.channels);
        arch::wave_sync<lanes>(); // the rows have been read
    }

    /// The row of C of row `number` of a tile; -1 if there is none.
    CK_DEVICE CK_INLINE static index_t
    row_of(const Params& p, const HaloTiles::Tile& tile, index_t number)
    {
        return p.halo_tiles.row(
            tile, number / HaloTiles::sub_tile, number % HaloTiles::sub_tile, p.batch);
    }

    /// See own_group.hpp.
    CK_DEVICE CK_INLINE static void add_up_again(Wave& wave,
                                                 const Params& p,
                                                 index_t channels,
                                                 const HaloTiles::Tile& tile,
                                                 const TileMap::Tile& of_c,
                                                 const Place& at)
    {
        constexpr index_t bytes = sizeof(Input);
        replace_not_finite(wave, at.lane, [&](index_t row, index_t column) {
            const auto views    = p.views(of_c);
            const index_t c_row = row_of(p, tile, at.row + row), c_column = at.column + column;
            if(c_row < 0 || c_column >= channels)
                return Accumulator{0};
            const auto element = [&](const Input* base, const Distance& d, arch::offset_t place) {
                return type_convert<Accumulator>(
                    arch::GlobalView<const Input>(base + of_c.group * d.group)
                        .template load<1>(place)[0]);
            };
            return sum_of_own_group<Accumulator>(
                views.a,
                views.b,
                thread::place_entry<std::remove_cvref_t<decltype(views.a)>>(
                    views.a.template part<0>(c_row), bytes),
                thread::place_entry<std::remove_cvref_t<decltype(views.b)>>(
                    views.b.template part<0>(c_column), bytes),
                bytes,
                bytes,
                [&](arch::offset_t place) { return element(p.a, p.a_distance, place); },
                [&](arch::offset_t place) { return element(p.b, p.b_distance, place); });
        });
    }
};

} // namespace ck::grid
