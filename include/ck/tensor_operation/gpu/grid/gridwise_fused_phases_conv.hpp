#pragma once
// Backward data with strides of 2 and few channels on Hopper: a tile has the rows of all phases
//  of dX that are at the same positions, side by side (operator_transform/phase_grid.hpp). A
// workgroup keeps its filters in shared memory, one thread copies the pixels of dY at one shift
// after the other by tensor maps, and warpgroups multiply them with the filters of all phases that
// have a tap there (wgmma). With a tile for each phase dY would be copied once for each, and a
// phase of one tap would store a tile for every few slices.
#include "ck/arch/index.hpp"
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/grid/warp_specialized.hpp"
#include "ck/tensor_operation/gpu/warp/rows_fragment.hpp"
#include "ck/tensor_operation/operator_transform/phase_grid.hpp"

#include <bit>

namespace ck::grid {

/// What is wrong with a tuning of GridwiseFusedPhasesConv; empty if nothing is. Transform: of the
/// direction.
template <class Transform>
constexpr const char* why_no_fused_phases(const GemmTuning& t)
{
    const bool backward_data = Transform::a_along_k && !Transform::b_along_k;
    if(const char* reason = why_no_waves(t))
        return reason;
    if(!backward_data || t.reduction != Reduction::by_tap || !arch::takes_shared(t.instruction) ||
       arch::input_bytes(t.instruction) != 2)
        return "fused phases are backward data's, multiplied by wgmma, of elements of two bytes";
    if(t.min_blocks_per_cu != 1)
        return "fused phases have workgroups alone on their SM";
    if(t.fused.phases != 2 && t.fused.phases != 4 && t.fused.phases != 8)
        return "there are 2, 4 or 8 fused phases";
    const index_t run = t.fused.phases * t.block_tile.n;
    if(t.block_tile.k != 64 || t.wave_n != t.block_tile.n ||
       (t.wave_n != 32 && t.wave_n % 64 != 0) || (run != 128 && run != 256) ||
       (t.wave_m != 16 && t.wave_m != 32) || t.block_tile.m % (4 * t.wave_m) != 0)
        return "fused phases have slices of 64 channels, 128 or 256 columns of C in all, each 32 "
               "or whole 64, and warps of 16 or 32 rows";
    return nullptr;
}

/// The kernel for BackwardData of one group; interface as GridwiseConv's.
template <class Types, GemmTuning tuning>
struct GridwiseFusedPhasesConv : WarpSpecialized<GridwiseFusedPhasesConv<Types, tuning>>
{
    using Transform                = BackwardData;
    static constexpr index_t lanes = 32, waves_of_warpgroup = 4;
    static constexpr index_t rows = tuning.block_tile.m, columns = tuning.block_tile.n,
                             channels       = tuning.block_tile.k; ///< channels of dY in a slice
    static constexpr index_t phases         = tuning.fused.phases;
    static constexpr index_t bits           = std::countr_zero(static_cast<unsigned>(phases));
    static constexpr index_t waves          = rows / tuning.wave_m;
    static constexpr index_t warpgroups     = waves / waves_of_warpgroup;
    static constexpr index_t warpgroup_rows = rows / warpgroups;
    static constexpr index_t cells          = tuning.wave_m / 16; ///< instructions' rows of a warp
    using Wave        = warp::WarpgroupGemm<tuning.instruction, cells, phases * columns / 8>;
    using Accumulator = typename Wave::Accumulator;
    using Input       = typename Wave::InputM;
    static_assert(multiplied_as_in_memory<Types, Input, Input>(),
                  "tensor maps bring operands as they are in memory");

    static constexpr index_t c_bytes     = sizeof(typename Types::C);
    static constexpr index_t input_bytes = sizeof(Input);
    static constexpr bool narrow         = stored_narrow<Types, Accumulator>();
    static constexpr index_t room        = (20 << 10) / waves; ///< LDS of a wave for its stores
    using Store                          = StoreC<Transform,
                         Types,
                         Wave,
                         phases * rows,
                         tuning.c_vector,
                         narrow,
                         room,
                         StoredPartials::none,
                         SideBySide{columns, rows}>;

    static constexpr index_t consumers = waves * lanes;
    /// Two passes of a tile are stored while the next one is multiplied. H200, ms, none, one, two,
    /// as many as registers hold: 256 images, 128 channels at 56x56 0.131, 0.128, 0.125, 0.130; 64
    /// to 128 0.070, 0.069, 0.067, 0.070; 3D 32 to 64 at 128^3 0.205, 0.206, 0.208, 0.237.
    static constexpr bool defers             = narrow && tuning.c_vector > 1 && c_bytes == 2;
    using Registers                          = RegisterReallocation<consumers, 1, true, 40>;
    static constexpr index_t deferred_passes = defers ? math::min(Store::Store::passes, 2) : 0;
    using Deferred = DeferredStore<typename Store::Store, deferred_passes>;

    static constexpr index_t block_size            = Registers::block_size;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = Wave::instruction.requirement;

    /// Bytes of a line of dY, channels of a pixel, and of the filters, columns at a channel.
    static constexpr index_t b_line  = columns % 64 == 0 ? 64 : 32; ///< columns
    static constexpr index_t a_bytes = input_bytes * channels, b_bytes = input_bytes * b_line;
    static constexpr index_t slice_bytes = warpgroup_rows * a_bytes; ///< of a warpgroup
    static constexpr index_t box_bytes   = channels * b_bytes;
    static constexpr index_t b_boxes     = columns / b_line;            ///< of a phase
    static constexpr index_t steps       = channels / Wave::k_per_step; ///< of wgmma in a slice
    static constexpr index_t most_slots  = 16;

    using Fragment  = Vector<std::uint32_t, 4>;
    using Fragments = Fragment[steps][cells];

    struct Params : ConvParams<Transform, Types>
    {
        PhaseGrid grid;
        arch::TensorMap a_map, b_map; ///< boxes of windows, and of filters
        index_t window_rank;
        index_t blocks;       ///< of the launch, a multiple of the column tiles
        index_t reduction;    ///< channels of dY
        index_t filter_bytes; ///< of shared memory, then come the slices of dY
        /// Slices in shared memory, for the warpgroups in turns: a multiple of their number. Copies
        /// may end in another order than they began; a slot that was the other warpgroup's before
        /// could look full.
        index_t slots;
    };

    static long_index_t grid_size(const Params& p) { return p.blocks; }
    static constexpr bool starts_early(const Params&) { return true; }

    struct Rest
    {
        typename Store::Shared store[waves];
        typename Store::Rows c_rows; ///< of one phase after the other, as they are side by side
        CopyRing<most_slots> ring;
        arch::TransactionBarrier filters;
    };
    using SharedStorage                 = PooledStorage<Rest, (227 << 10)>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for filters and slices

private:
    friend struct WarpSpecialized<GridwiseFusedPhasesConv>;

    CK_DEVICE CK_INLINE static void prefetch(const Params& p)
    {
        arch::prefetch(p.a_map);
        arch::prefetch(p.b_map);
    }
    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        shared.rest.ring.prepare(waves_of_warpgroup);
        arch::initialize(shared.rest.filters, 1);
    }

    /// Whether phase `number` has a tap at a shift where its number needs these bits.
    static constexpr bool has_tap(index_t number, index_t needed)
    {
        return (number & needed) == needed;
    }

    /// Phases with a tap before phase `number`.
    static constexpr index_t before(index_t number, index_t needed)
    {
        index_t count = 0;
        for(index_t i = 0; i < number; ++i)
            count += has_tap(i, needed);
        return count;
    }

    CK_DEVICE CK_INLINE static ColumnOfTiles tiles_of_block(const Params& p)
    {
        return {arch::block_index(), p.tiles.column_tiles, p.blocks};
    }
    CK_DEVICE CK_INLINE static index_t first_column(const Params& p)
    {
        return tiles_of_block(p).column * columns;
    }
    CK_DEVICE CK_INLINE static Input*
    slice(const Params& p, SharedStorage& shared, const RingSlot& slot)
    {
        return reinterpret_cast<Input*>(shared.pool + p.filter_bytes + slot.number * slice_bytes);
    }

    /// The slices of a tile, in order: all channels at one shift after the other.
    struct Slices
    {
        index_t shift[3]{}, channel = -channels;
        index_t needed = 0; ///< bits that the numbers of the phases with a tap have

        /// Goes to the first, then from each to the next; false if there is none.
        CK_DEVICE CK_INLINE bool next(const Params& p)
        {
            channel += channels;
            if(channel < p.reduction)
                return true;
            channel = 0;
            for(int i = 0; i < 3; ++i)
            {
                if(++shift[i] < p.grid.dimension[i].shifts)
                {
                    needed = 0;
                    for(int j = 0; j < 3; ++j)
                        if(shift[j] + 1 == p.grid.dimension[j].shifts)
                            needed |= p.grid.dimension[j].last_needs;
                    return true;
                }
                shift[i] = 0;
            }
            return false;
        }
    };

    /// What the copying thread does.
    CK_DEVICE CK_INLINE static void copy(const Params& p, SharedStorage& shared)
    {
        copy_filters(p, shared);
        RingSlot slot;
        const PixelWindows windows = p.grid.windows();
        const ColumnOfTiles tiles  = tiles_of_block(p);
        for(index_t tile = tiles.first; tile < p.tiles.row_tiles.value; tile += tiles.every)
        {
            arch::BoxPlace at[warpgroups]{};
            for(index_t warpgroup = 0; warpgroup < warpgroups; ++warpgroup)
            {
                const PixelWindows::Pixel pixel =
                    windows.pixel(tile * rows + warpgroup * warpgroup_rows);
                for(int i = 0; i < 3; ++i)
                    at[warpgroup].spatial[i] = pixel.spatial[i];
                at[warpgroup].last = pixel.image;
            }
            for(Slices slices; slices.next(p);)
                for(index_t warpgroup = 0; warpgroup < warpgroups;
                    ++warpgroup, slot.advance(p.slots))
                {
                    arch::TransactionBarrier& full = shared.rest.ring.acquire(slot, slice_bytes);
                    at[warpgroup].channel          = slices.channel;
                    for(int i = 0; i < 3; ++i)
                        at[warpgroup].offset[i] = p.grid.dimension[i].offset +
                                                  p.grid.dimension[i].offset_step * slices.shift[i];
                    arch::copy_box<true>(
                        slice(p, shared, slot), p.a_map, p.window_rank, at[warpgroup], full);
                }
        }
    }
    /// Copies the filters in the order of slices, and of phases.
    CK_DEVICE CK_INLINE static void copy_filters(const Params& p, SharedStorage& shared)
    {
        char* to = shared.pool;
        arch::arrive_expecting(shared.rest.filters, p.filter_bytes);
        for(Slices slices; slices.next(p);)
            for(index_t number = 0; number < phases; ++number)
                if(has_tap(number, slices.needed))
                {
                    const PhaseGrid::Phase& c = p.grid.of_phase[number];
                    arch::BoxPlace at{first_column(p), {}, slices.channel, {}};
                    for(int i = 0; i < 3; ++i)
                        at.spatial[i] = c.filter[i] + c.filter_step[i] * slices.shift[i];
                    for(index_t box = 0; box < b_boxes; ++box)
                    {
                        arch::copy_box<false>(to, p.b_map, 5, at, shared.rest.filters);
                        at.channel += b_line;
                        to += box_bytes;
                    }
                }
    }

    /// What a warp that multiplies does.
    CK_DEVICE CK_INLINE static void multiply(const Params& p, SharedStorage& shared, index_t thread)
    {
        const index_t warp = thread / lanes, lane = thread % lanes;
        const index_t wave_row = warp * tuning.wave_m;
        RingSlot slot;
        const auto advance = [&](index_t slots) {
            for(index_t i = 0; i < slots; ++i)
                slot.advance(p.slots);
        };
        advance(warp / waves_of_warpgroup);
        [[maybe_unused]] Deferred deferred;
        Fragments fragments;
        const index_t first_of_warp   = warp % waves_of_warpgroup * 16 * channels,
                      offset          = warp::FragmentOfRows::lane_offset(lane);
        typename Store::Shared& store = shared.rest.store[warp];
        arch::wait(shared.rest.filters, 0);
        const ColumnOfTiles tiles = tiles_of_block(p);
        for(index_t tile = tiles.first; tile < p.tiles.row_tiles.value; tile += tiles.every)
        {
            Wave wave;
            wave.clear();
            const char* filters = shared.pool;
            for(Slices slices; slices.next(p); advance(warpgroups))
            {
                shared.rest.ring.wait(slot);
                wave.template wait_mma<0>(); // what is multiplied reads the fragments
                load(fragments, slice(p, shared, slot) + first_of_warp, offset);
                start(wave, fragments, slices.needed, filters);
                // Multiplications have the registers, so what is read of the slot has arrived: nvcc
                // 13 lets a barrier's arrival pass loads whose results nothing has waited for, and
                // 3 of 257760 launches had a pixel of the copy after. A fence before them instead:
                // 2 to 7 % more time.
                shared.rest.ring.release(slot, lane);
                if constexpr(deferred_passes > 0)
                    deferred.store_pass(store.c, shared.rest.c_rows.c + wave_row, lane);
            }
            if constexpr(deferred_passes > 0)
                deferred.store_rest(store.c, shared.rest.c_rows.c + wave_row, lane);

            arch::wave_sync<lanes>(); // the rows of the tile before have been read
            set_rows(shared.rest.c_rows, p, tile * rows, wave_row, lane);
            arch::wave_sync<lanes>();
            wave.template wait_mma<0>();
            const TileMap::Tile of_c{0, 0, tile, 0, 0, 0};
            const auto views = p.views(of_c);
            if constexpr(deferred_passes > 0)
                deferred.defer(wave,
                               store.c,
                               shared.rest.c_rows.c + wave_row,
                               Store::base(p, of_c),
                               first_column(p),
                               views.c.template extent<1>(),
                               lane);
            else
                Store::run(wave,
                           store,
                           shared.rest.c_rows,
                           p,
                           views,
                           of_c,
                           wave_row,
                           first_column(p),
                           lane);
        }
        if constexpr(deferred_passes > 0)
            deferred.store_rest(store.c, shared.rest.c_rows.c + wave_row, lane);
    }

    /// Reads a slice's pixels into registers: all phases have the same. As the instruction's first
    /// operand in LDS they would be read for each: H200, 9 to 27 % more time.
    CK_DEVICE CK_INLINE static void load(Fragments& fragment, const Input* a, index_t offset)
    {
        unrolled<0, steps>([&](auto step) {
            arch::pin(fragment[step]);
            unrolled<0, cells>([&](auto cell) {
                fragment[step][cell] =
                    warp::FragmentOfRows::load(a + cell * 64 * channels, offset, step);
            });
            arch::pin(fragment[step]);
        });
    }

    /// Starts the multiplications of a slice for the phases that have a tap, and goes to the next
    /// one's filters. All of the instructions have the accumulators of one phase: nvcc 13
    /// serializes them where some have those of more.
    template <index_t some = 0>
    CK_DEVICE CK_INLINE static void
    start(Wave& wave, const Fragments& fragment, index_t needed, const char*& filters)
    {
        if(some + 1 == phases || needed == some)
        {
            const auto b =
                arch::SharedOperand::make(filters, b_bytes, 8 * b_bytes, box_bytes).of_first_lane();
            wave.begin();
            unrolled<0, steps>([&](auto step) {
                unrolled<0, phases>([&](auto number) {
                    if constexpr(has_tap(number, some))
                        unrolled<0, cells>([&](auto cell) {
                            arch::multiply_registers<tuning.instruction, true>(
                                fragment[step][cell],
                                b + (before(number, some) * b_boxes * box_bytes +
                                     step * Wave::k_per_step * b_bytes),
                                wave.template columns_from<columns>(number * columns, cell));
                        });
                });
            });
            arch::end_multiplication_group();
            filters += before(phases, some) * b_boxes * box_bytes;
        }
        else if constexpr(some + 1 < phases)
            start<some + 1>(wave, fragment, needed, filters);
    }

    /// Sets the entries of a warp's rows for all phases.
    CK_DEVICE CK_INLINE static void set_rows(typename Store::Rows& table,
                                             const Params& p,
                                             index_t first_row,
                                             index_t wave_row,
                                             index_t lane)
    {
        constexpr index_t at_once = lanes / tuning.wave_m; // phases
        const index_t r = lane % tuning.wave_m, whose = lane / tuning.wave_m;
        const PixelWindows::Pixel at = p.grid.windows().pixel(first_row + Wave::row(wave_row, r));
        const index_t offset         = p.grid.offset(at, p.transform.dx_n);
        unrolled<0, phases>([&](auto number) { // no lane looks a phase up for itself
            const PhaseGrid::Phase& c = p.grid.of_phase[number];
            if(number % at_once != whose)
                return;
            const index_t to = number * rows + wave_row + r;
            if(p.grid.exists(at, c, p.batch))
                table.set_pixel(to,
                                p,
                                p.grid.pixel(at, c),
                                static_cast<arch::offset_t>(offset + c.offset) *
                                    static_cast<arch::offset_t>(c_bytes));
            else
                table.clear(to);
        });
    }
};

} // namespace ck::grid
