#pragma once
// The backward weight kernel of Hopper for few channels: dW of a few taps and channels stays in
// registers while a workgroup goes through tiles of output pixels, whose dY and halo tile of X
// (operator_transform/halo_tiles.hpp) are copied once for all of these taps.
#include "ck/arch/index.hpp"
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/grid/warp_specialized.hpp"
#include "ck/tensor_operation/operator_transform/halo_tiles.hpp"

namespace ck::grid {

/// What is wrong with a tuning of GridwiseHaloWeightConv; empty if nothing is.
constexpr const char* why_no_weight_halo_tiles(const GemmTuning& t)
{
    if(const char* reason = why_no_halo_tiles(t))
        return reason;
    return t.block_tile.m == 64 && t.wave_m == 16 && t.block_tile.n % t.wave_n == 0 &&
                   (t.wave_n == 192 || t.wave_n == 96) && t.block_tile.k % 64 == 0
               ? nullptr
               : "warpgroups have 64 rows and three taps of 64 or 32 channels, tiles whole 64 "
                 "output pixels";
}

/// Backward weight of one group, stride 1. A workgroup computes block_tile.m rows, 64 channels of
/// Y, of a line of channels of X, 64 or 32, at `taps` neighbouring taps in x for each of its
/// warpgroups, which are neighbours in y: wave_n is taps * line. block_tile.k: output pixels of a
/// tile.
///
/// Tiles that reach beyond an image read zeros of dY there, but pixels of X that a tap does not
/// meet in the image: an infinity or NaN among them makes a NaN of that tap's dW, too, not only of
/// those that meet it.
template <class Types, GemmTuning tuning>
struct GridwiseHaloWeightConv : WarpSpecialized<GridwiseHaloWeightConv<Types, tuning>>
{
    using Transform                             = BackwardWeight;
    static constexpr index_t lanes              = 32;
    static constexpr index_t waves_of_warpgroup = 4;
    static constexpr index_t warpgroups         = tuning.block_tile.n / tuning.wave_n;
    static constexpr index_t waves              = waves_of_warpgroup * warpgroups;
    static constexpr index_t cells              = tuning.block_tile.k / HaloTiles::cell;
    static constexpr index_t taps               = 3; ///< in x
    static constexpr index_t rows = 64, line = tuning.wave_n / taps;

    using Wave        = warp::WarpgroupGemm<tuning.instruction, 1, tuning.wave_n / 8>;
    using TapWave     = warp::WarpgroupGemm<tuning.instruction, 1, line / 8>;
    using Accumulator = typename Wave::Accumulator;
    using Input       = typename Wave::InputM;
    static_assert(multiplied_as_in_memory<Types, Input, Input>(),
                  "tensor maps bring operands as they are in memory");

    static constexpr index_t c_bytes = sizeof(typename Types::C);
    static constexpr bool narrow     = stored_narrow<Types, Accumulator>();
    static constexpr index_t room    = (20 << 10) / waves; ///< LDS of a wave for what it stores
    using Store = StoreC<Transform, Types, TapWave, rows, tuning.c_vector, narrow, room>;

    static constexpr index_t k_per_step = Wave::k_per_step;
    static constexpr index_t a_bytes = 2 * rows, b_bytes = 2 * line; ///< of a pixel
    static constexpr index_t consumers             = waves * lanes;
    using Registers                                = RegisterReallocation<consumers,
                                           tuning.min_blocks_per_cu,
                                           crowds<consumers, tuning.min_blocks_per_cu>(
                                               16 * tuning.wave_n / lanes)>;
    static constexpr index_t block_size            = Registers::block_size;
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = Wave::instruction.requirement;
    static constexpr index_t most_stages           = 8;

    struct Params : ConvParams<Transform, Types>
    {
        HaloTiles halo_tiles; ///< of X; there is one tap group
        arch::TensorMap a_map, b_map;
        /// Tiles of dW: by rows, lines of X's channels, taps in z, groups of taps in y and in x.
        Divisor row_tiles, lines, z_taps, y_groups, x_groups;
        index_t y_taps, x_taps;
        index_t dilation[3];             ///< x y z
        index_t channels;                ///< of X
        index_t halo_bytes, stage_bytes; ///< of shared memory
        index_t stages;
    };

    static constexpr index_t own_bytes = tuning.block_tile.k * a_bytes; ///< dY of a tile

    static long_index_t grid_size(const Params& p)
    {
        return long_index_t{p.row_tiles.value} * p.lines.value * p.z_taps.value * p.y_groups.value *
               p.x_groups.value * p.tiles.splits.value;
    }

    struct Rest
    {
        typename Store::Shared store[waves];
        typename Store::Rows c_rows;
        CopyRing<most_stages> ring;
    };
    using SharedStorage = PooledStorage<Rest, (228 << 10) / min_blocks_per_cu - 1024>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for the tiles' pixels

    /// See GridwiseTensorMapConv.
    static bool starts_early(const Params& p) { return p.partials.base == nullptr; }

private:
    friend struct WarpSpecialized<GridwiseHaloWeightConv>;

    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        shared.rest.ring.prepare(waves);
    }
    CK_DEVICE CK_INLINE static void set_up(const Params& p, SharedStorage& shared, index_t thread)
    {
        if(thread < rows)
            shared.rest.c_rows.set(
                thread, p, p.views(TileMap::Tile{}), Work(p).row_tile * rows + thread);
    }

    /// What this block computes: a tile of dW, from tiles [first, end) of the output pixels.
    struct Work
    {
        index_t row_tile, line_tile, z, first_y, first_x; // taps
        index_t split, first, end;

        CK_DEVICE CK_INLINE explicit Work(const Params& p)
        {
            index_t rest = arch::block_index();
            row_tile     = split_off(rest, p.row_tiles);
            line_tile    = split_off(rest, p.lines);
            first_x      = split_off(rest, p.x_groups) * taps;
            first_y      = split_off(rest, p.y_groups) * warpgroups;
            z            = split_off(rest, p.z_taps);
            split        = rest;
            const index_t each =
                math::integer_divide_ceil(p.halo_tiles.tile_count, p.tiles.splits.value);
            first = split * each;
            end   = math::min(first + each, p.halo_tiles.tile_count);
        }
    };

    /// What the copying thread does.
    CK_DEVICE CK_INLINE static void copy(const Params& p, SharedStorage& shared)
    {
        const Work work(p);
        const HaloTiles& x   = p.halo_tiles;
        const index_t bytes  = own_bytes + x.lines() * b_bytes;
        const index_t tap[3] = {work.first_x, work.first_y, work.z};
        RingSlot slot;
        for(index_t number = work.first; number < work.end; ++number)
        {
            const HaloTiles::Tile tile     = x.tile(number);
            char* const to                 = shared.pool + slot.number * p.stage_bytes;
            arch::TransactionBarrier& full = shared.rest.ring.acquire(slot, bytes);
            arch::copy_box<false>(to,
                                  p.a_map,
                                  5,
                                  {work.row_tile * rows,
                                   {tile.origin[0], tile.origin[1], tile.origin[2]},
                                   tile.origin[3],
                                   {}},
                                  full);
            arch::BoxPlace at{work.line_tile * line, {}, tile.origin[3], {}};
            for(int i = 0; i < 3; ++i)
                at.spatial[i] = x.tap_group[0].first[i] + tile.origin[i] + tap[i] * p.dilation[i];
            arch::copy_box<false>(to + own_bytes, p.b_map, 5, at, full);
            slot.advance(p.stages);
        }
    }

    /// What a warp that multiplies does.
    CK_DEVICE CK_INLINE static void multiply(const Params& p, SharedStorage& shared, index_t thread)
    {
        const index_t warp = thread / lanes, lane = thread % lanes,
                      warpgroup = warp / waves_of_warpgroup;
        const Work work(p);
        const HaloTiles& x        = p.halo_tiles;
        const HaloTiles::Own& own = x.own;
        const index_t first_tap   = x.line_step[1] * warpgroup;
        RingSlot slot;
        Wave wave;
        wave.clear();
        for(index_t number = work.first; number < work.end; ++number)
        {
            shared.rest.ring.wait(slot);
            const char* const stage = shared.pool + slot.number * p.stage_bytes;
            const auto a = arch::SharedOperand::make(stage, a_bytes, own.group_lines * a_bytes, 0);
            const auto b = arch::SharedOperand::make(stage + own_bytes + first_tap * b_bytes,
                                                     b_bytes,
                                                     x.group_lines * b_bytes,
                                                     x.line_step[0] * b_bytes);
            wave.begin();
            unrolled<0, cells>([&](auto u) {
                unrolled<0, HaloTiles::cell / k_per_step>([&](auto s) {
                    constexpr index_t group = s * k_per_step / HaloTiles::group;
                    arch::multiply_shared<tuning.instruction, true, true>(
                        a + (u * own.cell_lines + group * own.group_lines) * a_bytes,
                        b + (u * x.cell_lines + group * x.group_lines) * b_bytes,
                        wave.c[0]);
                });
            });
            arch::end_multiplication_group();
            wave.template wait_mma<0>();
            shared.rest.ring.release(slot, lane);
            slot.advance(p.stages);
        }
        store(wave, p, work, shared, warp, lane);
    }

    CK_DEVICE CK_INLINE static void store(const Wave& wave,
                                          const Params& p,
                                          const Work& work,
                                          SharedStorage& shared,
                                          index_t warp,
                                          index_t lane)
    {
        const index_t y = work.first_y + warp / waves_of_warpgroup;
        if(y >= p.y_taps)
            return;
        TileMap::Tile of_c{};
        of_c.split       = work.split;
        const auto views = p.views(of_c);
        unrolled<0, taps>([&](auto i) {
            const index_t x = work.first_x + i;
            if(x >= p.x_taps)
                return;
            const index_t column = ((work.z * p.y_taps + y) * p.x_taps + x) * p.channels;
            TapWave of_tap;
            unrolled<0, TapWave::n_tiles>(
                [&](auto j) { of_tap.c[0][j] = wave.c[0][i * TapWave::n_tiles + j]; });
            Store::run(of_tap,
                       shared.rest.store[warp],
                       shared.rest.c_rows,
                       p,
                       views,
                       of_c,
                       warp % waves_of_warpgroup * 16,
                       column + work.line_tile * line,
                       lane,
                       column + p.channels);
        });
    }
};

} // namespace ck::grid
