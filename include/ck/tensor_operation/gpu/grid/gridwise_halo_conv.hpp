#pragma once
// The convolution kernel of Hopper for few channels: a workgroup keeps its filters in shared
// memory, one thread copies the halo tiles of windows that tiles of C need
// (operator_transform/halo_tiles.hpp), and every tap multiplies the same halo tile (wgmma).
// Implicit GEMM would copy each pixel once for each tap, and few columns could not make up for
// that.
//
// Warpgroups take turns: while one stores its tile, another multiplies.
#include "ck/arch/index.hpp"
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/grid/warp_specialized.hpp"
#include "ck/tensor_operation/operator_transform/halo_tiles.hpp"

namespace ck::grid {

/// What is wrong with a tuning of GridwiseHaloConv; empty if nothing is.
constexpr const char* why_no_image_halo_tiles(const GemmTuning& t)
{
    if(const char* reason = why_no_halo_tiles(t))
        return reason;
    if(t.block_tile.k != 64 && t.block_tile.k != 32)
        return "halo tiles are lines of 64 or 32 channels";
    if(t.wave_m % 16 != 0 || t.block_tile.m % (4 * t.wave_m) != 0 || t.wave_n != t.block_tile.n ||
       !has_wgmma_of(t.wave_n))
        return "the four warps of each of wgmma's warpgroups have whole 16 rows and all columns of "
               "a block, 32, 64, 96, 128, 160, 192 or 256";
    return nullptr;
}

/// The kernel for Forward and BackwardData of one group; interface as GridwiseConv's. Each
/// warpgroup computes tiles of 4 * wave_m rows and wave_n columns; block_tile.m are the rows of all
/// warpgroups. block_tile.k: channels in a line, 64 or 32.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseHaloConv : WarpSpecialized<GridwiseHaloConv<Transform, Types, tuning>>
{
    static_assert(std::is_same_v<Transform, Forward> || std::is_same_v<Transform, BackwardData>);
    static constexpr index_t lanes = 32, waves_of_warpgroup = 4;
    static constexpr index_t waves      = tuning.block_tile.m / tuning.wave_m;
    static constexpr index_t warpgroups = waves / waves_of_warpgroup;
    static constexpr index_t cells      = tuning.wave_m / 16;
    using Wave        = warp::WarpgroupGemm<tuning.instruction, cells, tuning.wave_n / 8>;
    using Accumulator = typename Wave::Accumulator;
    using Input       = typename Wave::InputM;
    static_assert(multiplied_as_in_memory<Types, Input, Input>(),
                  "tensor maps bring operands as they are in memory");

    static constexpr index_t c_bytes = sizeof(typename Types::C);
    static constexpr bool narrow     = stored_narrow<Types, Accumulator>();
    static constexpr index_t room    = (20 << 10) / waves; ///< LDS of a wave for what it stores
    using Store =
        StoreC<Transform, Types, Wave, tuning.block_tile.m, tuning.c_vector, narrow, room>;

    static constexpr index_t columns = tuning.block_tile.n, channels = tuning.block_tile.k;
    static constexpr index_t k_per_step = Wave::k_per_step, steps = channels / k_per_step;
    /// Bytes of a line of a halo tile and of the filters: along the reduction, or along the
    /// columns.
    static constexpr bool b_along_k  = Transform::b_along_k;
    static constexpr index_t b_line  = b_along_k           ? channels
                                       : columns % 64 == 0 ? 64
                                                           : 32; // elements
    static constexpr index_t a_bytes = 2 * channels, b_bytes = 2 * b_line;
    /// Lines of a box of the filters: one tap and line of channels.
    static constexpr index_t b_lines     = b_along_k ? columns : channels;
    static constexpr index_t slice_bytes = 2 * columns * channels;

    static constexpr index_t consumers             = waves * lanes;
    using Registers                                = RegisterReallocation<consumers,
                                           tuning.min_blocks_per_cu,
                                           crowds<consumers, tuning.min_blocks_per_cu>(
                                               tuning.wave_m* tuning.wave_n / lanes)>;
    static constexpr index_t block_size            = Registers::block_size;
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = Wave::instruction.requirement;
    static constexpr index_t most_stages           = 4; ///< of a warpgroup

    struct Params : ConvParams<Transform, Types>
    {
        HaloTiles halo_tiles;
        arch::TensorMap a_map[HaloTiles::most_planes], b_map;
        index_t blocks;       ///< of the launch, a multiple of the column tiles
        index_t taps[3];      ///< of the filter: x y z
        index_t lines;        ///< of channels in a pixel
        index_t last_steps;   ///< of the reduction in the last of them
        index_t filter_bytes; ///< of shared memory, then come the halo tiles
        index_t halo_bytes;   ///< from one halo tile to the next
        index_t stages;       ///< halo tiles of a warpgroup
        index_t row_stride;   ///< bytes from each row of C to the next; 0: not evenly spaced
    };

    static long_index_t grid_size(const Params& p) { return p.blocks; }

    struct Rest
    {
        typename Store::Shared store[waves];
        typename Store::Rows rows;
        CopyRing<most_stages> ring[warpgroups];
        arch::TransactionBarrier filters;
    };
    using SharedStorage = PooledStorage<Rest, (228 << 10) / min_blocks_per_cu - 1024>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for filters and halo tiles

    static constexpr bool starts_early(const Params&) { return true; }

private:
    friend struct WarpSpecialized<GridwiseHaloConv>;

    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        for(index_t i = 0; i < warpgroups; ++i)
            shared.rest.ring[i].prepare(waves_of_warpgroup);
        arch::initialize(shared.rest.filters, 1);
    }

    CK_DEVICE CK_INLINE static char*
    halo_tile(const Params& p, SharedStorage& shared, index_t warpgroup, const RingSlot& slot)
    {
        return shared.pool + p.filter_bytes + (warpgroup * p.stages + slot.number) * p.halo_bytes;
    }

    /// Calls each(tile, warpgroup) for the tiles of this block, in order.
    template <class Each>
    CK_DEVICE CK_INLINE static void for_tiles(const Params& p, const Each& each)
    {
        const ColumnOfTiles tiles = tiles_of_block(p);
        index_t warpgroup         = 0;
        for(index_t number = tiles.first; number < p.halo_tiles.tile_count; number += tiles.every)
            if(const HaloTiles::Tile tile = p.halo_tiles.tile(number); tile.exists(p.halo_tiles))
            {
                each(tile, warpgroup);
                warpgroup = warpgroup + 1 == warpgroups ? 0 : warpgroup + 1;
            }
    }
    CK_DEVICE CK_INLINE static ColumnOfTiles tiles_of_block(const Params& p)
    {
        return {arch::block_index(), p.tiles.column_tiles, p.blocks};
    }

    /// What the copying thread does.
    CK_DEVICE CK_INLINE static void copy(const Params& p, SharedStorage& shared)
    {
        copy_filters(p, shared);
        RingSlot of_warpgroup[warpgroups];
        const index_t bytes = p.halo_tiles.lines() * a_bytes;
        for_tiles(p, [&](const HaloTiles::Tile& tile, index_t warpgroup) {
            RingSlot slot = of_warpgroup[0];
            unrolled<1, warpgroups>(
                [&](auto i) { slot = i == warpgroup ? of_warpgroup[i] : slot; });
            const HaloTiles::Phase& c = p.halo_tiles.of_phase[tile.phase_index];
            for(index_t i = 0; i < c.tap_groups; ++i)
            {
                const HaloTiles::TapGroup& tap_group =
                    p.halo_tiles.tap_group[c.first_tap_group + i];
                arch::BoxPlace at{};
                for(int a = 0; a < 3; ++a)
                    at.spatial[a] = tap_group.first[a] + tile.origin[a];
                at.last = tile.origin[3];
                for(index_t line = 0; line < p.lines; ++line)
                {
                    arch::TransactionBarrier& full =
                        shared.rest.ring[warpgroup].acquire(slot, bytes);
                    at.channel = line * channels;
                    arch::copy_box<false>(halo_tile(p, shared, warpgroup, slot),
                                          p.a_map[tap_group.plane],
                                          5,
                                          at,
                                          full);
                    slot.advance(p.stages);
                }
            }
            unrolled<0, warpgroups>(
                [&](auto i) { of_warpgroup[i] = i == warpgroup ? slot : of_warpgroup[i]; });
        });
    }
    CK_DEVICE CK_INLINE static void copy_filters(const Params& p, SharedStorage& shared)
    {
        const index_t first_column = tiles_of_block(p).column * columns;
        char* to                   = shared.pool;
        arch::arrive_expecting(shared.rest.filters, p.filter_bytes);
        for(index_t z = 0; z < p.taps[2]; ++z)
            for(index_t y = 0; y < p.taps[1]; ++y)
                for(index_t x = 0; x < p.taps[0]; ++x)
                    for(index_t line = 0; line < p.lines; ++line)
                        for(index_t box = 0; box < slice_bytes / (b_lines * b_bytes); ++box)
                        {
                            const index_t channel = line * channels,
                                          column  = first_column + box * b_line;
                            arch::copy_box<false>(to,
                                                  p.b_map,
                                                  5,
                                                  {b_along_k ? channel : column,
                                                   {x, y, z},
                                                   b_along_k ? column : channel,
                                                   {}},
                                                  shared.rest.filters);
                            to += b_lines * b_bytes;
                        }
    }

    /// What a warp that multiplies does.
    CK_DEVICE CK_INLINE static void multiply(const Params& p, SharedStorage& shared, index_t thread)
    {
        const index_t warp = thread / lanes, lane = thread % lanes,
                      warpgroup = warp / waves_of_warpgroup;
        arch::wait(shared.rest.filters, 0);
        RingSlot slot;
        for_tiles(p, [&](const HaloTiles::Tile& tile, index_t whose) {
            if(whose != warpgroup)
                return;
            const HaloTiles::Phase& c = p.halo_tiles.of_phase[tile.phase_index];
            Wave wave;
            wave.clear();
            for(index_t i = 0; i < c.tap_groups; ++i)
                for(index_t line = 0; line < p.lines; ++line)
                {
                    shared.rest.ring[warpgroup].wait(slot);
                    multiply_halo_tile(wave,
                                       p,
                                       p.halo_tiles.tap_group[c.first_tap_group + i],
                                       line,
                                       halo_tile(p, shared, warpgroup, slot),
                                       shared.pool);
                    shared.rest.ring[warpgroup].release(slot, lane);
                    slot.advance(p.stages);
                }
            store(wave, p, shared, tile, warp, lane);
        });
    }

    /// Multiplies a halo tile with all taps of its tap group. The other warpgroups fill the time
    /// until the last multiplication is done.
    CK_DEVICE CK_INLINE static void multiply_halo_tile(Wave& wave,
                                                       const Params& p,
                                                       const HaloTiles::TapGroup& tap_group,
                                                       index_t line,
                                                       const char* halo,
                                                       const char* filters)
    {
        const auto a =
            arch::SharedOperand::make(halo, a_bytes, p.halo_tiles.group_lines * a_bytes, 0);
        const auto b = arch::SharedOperand::make(filters, b_bytes, 8 * b_bytes, b_lines * b_bytes);
        const auto& line_step = p.halo_tiles.line_step;
        const auto& tap_step  = p.halo_tiles.tap_step;
        const auto for_taps   = [&](const auto& multiply_tap) {
            for(index_t z = 0; z < tap_group.taps[2]; ++z)
                for(index_t y = 0; y < tap_group.taps[1]; ++y)
                    for(index_t x = 0; x < tap_group.taps[0]; ++x)
                    {
                        const index_t first = tap_group.first_line + z * line_step[2] +
                                              y * line_step[1] + x * line_step[0];
                        const index_t tap = tap_group.first_tap + z * tap_step[2] +
                                            y * tap_step[1] + x * tap_step[0];
                        multiply_tap(a + first * a_bytes, b + (tap * p.lines + line) * slice_bytes);
                    }
        };
        const auto step = [&](const auto& a_tap, const auto& b_tap, index_t s) {
            unrolled<0, cells>([&](auto u) {
                arch::multiply_shared<tuning.instruction, false, !b_along_k>(
                    a_tap + (u * p.halo_tiles.cell_lines * a_bytes + s * 2 * k_per_step),
                    b_tap + s * k_per_step * (b_along_k ? 2 : b_bytes),
                    wave.c[u]);
            });
        };
        if(line + 1 < p.lines || p.last_steps == steps)
            for_taps([&](const auto& a_tap, const auto& b_tap) {
                wave.begin();
                unrolled<0, steps>([&](auto s) { step(a_tap, b_tap, s); });
                arch::end_multiplication_group();
            });
        else
            for_taps([&](const auto& a_tap, const auto& b_tap) {
                for(index_t s = 0; s < p.last_steps; ++s)
                {
                    wave.begin();
                    step(a_tap, b_tap, s);
                    arch::end_multiplication_group();
                }
            });
        wave.template wait_mma<0>();
    }

    CK_DEVICE CK_INLINE static void store(const Wave& wave,
                                          const Params& p,
                                          SharedStorage& shared,
                                          const HaloTiles::Tile& tile,
                                          index_t warp,
                                          index_t lane)
    {
        const TileMap::Tile of_c{tiles_of_block(p).column, tile.phase_index, 0, 0, 0, 0};
        const auto views       = p.views(of_c);
        const index_t wave_row = warp * tuning.wave_m;
        for(index_t i = lane; i < tuning.wave_m; i += lanes)
        {
            const index_t row =
                p.halo_tiles.row(tile, i / 16, warp % waves_of_warpgroup * 16 + i % 16, p.batch);
            if(row < 0)
                shared.rest.rows.clear(wave_row + i);
            else if(Types::Ds::Size() == 0 && p.row_stride > 0)
                shared.rest.rows.c[wave_row + i] =
                    static_cast<arch::offset_t>(row) * static_cast<arch::offset_t>(p.row_stride);
            else
                shared.rest.rows.set(wave_row + i, p, views, row);
        }
        arch::wave_sync<lanes>();
        Store::run(wave,
                   shared.rest.store[warp],
                   shared.rest.rows,
                   p,
                   views,
                   of_c,
                   wave_row,
                   of_c.column_tile * columns,
                   lane);
        arch::wave_sync<lanes>(); // the rows have been read
    }
};

} // namespace ck::grid
