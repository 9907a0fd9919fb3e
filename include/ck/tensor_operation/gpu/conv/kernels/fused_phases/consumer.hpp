#pragma once
// The consumer warps of GridwiseFusedPhasesConv: they read the slices of a tile into registers,
// multiply them with the filters of all phases that have a tap there, and store the tile, partly
// while they multiply the next one.
#include "ck/arch/index.hpp"
#include "ck/arch/warpgroup.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/fused_phases/phase_slices.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/warp/rows_fragment.hpp"
#include "ck/tensor_operation/operator_transform/phase_grid.hpp"

namespace ck::grid {

/// Kernel: GridwiseFusedPhasesConv of the tuning.
template <class Kernel, GemmTuning tuning>
struct FusedPhasesConsumer
{
    using Wave  = typename Kernel::Wave;
    using Store = typename Kernel::Store;
    using Input = typename Kernel::Input;

    CK_DEVICE CK_INLINE static void run(const auto& p, auto& shared, index_t thread)
    {
        const index_t warp = thread / lanes, lane = thread % lanes;
        const index_t wave_row = warp * tuning.wave_m;
        PipelineState stage;
        const auto advance = [&](index_t count) {
            for(index_t i = 0; i < count; ++i)
                stage.advance(p.stages);
        };
        advance(warp / Kernel::waves_of_warpgroup);
        typename Kernel::Deferred deferred;
        Fragments fragments;
        const index_t first_of_warp   = warp % Kernel::waves_of_warpgroup * 16 * channels,
                      offset          = warp::FragmentOfRows::lane_offset(lane);
        typename Store::Shared& store = shared.rest.store[warp];
        arch::wait(shared.rest.filters, 0);
        const ColumnOfTiles tiles = Kernel::tiles_of_block(p);
        for(index_t tile = tiles.first; tile < p.tiles.row_tiles.value; tile += tiles.every)
        {
            Wave wave;
            wave.clear();
            const char* filters = shared.pool;
            for(Slices slices; slices.next(p); advance(Kernel::warpgroups))
            {
                shared.rest.pipeline.wait(stage);
                wave.template wait_mma<0>(); // what is multiplied reads the fragments
                load(fragments, Kernel::slice(p, shared, stage) + first_of_warp, offset);
                start(wave, fragments, slices.needed, filters);
                // The registers are in use by multiplications, so all reads of the stage have
                // arrived. nvcc 13 lets a barrier's arrival pass loads whose results nothing waits
                // for: 3 of 257760 launches read a pixel of the next copy. A fence instead takes 2
                // to 7 % more time.
                shared.rest.pipeline.release(stage, lane);
                deferred.store_pass(store.c, shared.rest.c_rows.c + wave_row, lane);
            }
            deferred.store_rest(store.c, shared.rest.c_rows.c + wave_row, lane);

            arch::wave_sync<lanes>(); // the previous tile's rows have been read
            set_rows(shared.rest.c_rows, p, tile * rows, wave_row, lane);
            arch::wave_sync<lanes>();
            wave.template wait_mma<0>();
            const TileMap::Tile of_c{0, 0, tile, 0, 0, 0};
            const auto views = p.views(of_c);
            if constexpr(Kernel::deferred_passes > 0)
                deferred.defer(wave,
                               store.c,
                               shared.rest.c_rows.c + wave_row,
                               Store::base(p, of_c),
                               Kernel::first_column(p),
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
                           Kernel::first_column(p),
                           lane);
        }
        deferred.store_rest(store.c, shared.rest.c_rows.c + wave_row, lane);
    }

private:
    static constexpr index_t lanes = Kernel::lanes, rows = Kernel::rows, columns = Kernel::columns,
                             channels = Kernel::channels, phases = Kernel::phases,
                             sub_tiles = Kernel::sub_tiles, steps = Kernel::steps,
                             b_bytes = Kernel::b_bytes;
    using Slices                     = PhaseSlices<channels>;
    using Fragments                  = Vector<std::uint32_t, 4>[steps][sub_tiles];

    /// Reads a slice's pixels into registers, because all phases use the same. If the instruction
    /// read them from LDS, it would do so for each phase: H200, 9 to 27 % more time.
    CK_DEVICE CK_INLINE static void load(Fragments& fragment, const Input* a, index_t offset)
    {
        unrolled<0, steps>([&](auto step) {
            arch::pin(fragment[step]);
            unrolled<0, sub_tiles>([&](auto sub_tile) {
                fragment[step][sub_tile] =
                    warp::FragmentOfRows::load(a + sub_tile * 64 * channels, offset, step);
            });
            arch::pin(fragment[step]);
        });
    }

    /// Starts a slice's multiplications for the phases that have a tap, and moves to the next
    /// slice's filters. All instructions use one phase's accumulators: nvcc 13 serializes them if
    /// some use more.
    template <index_t some = 0>
    CK_DEVICE CK_INLINE static void
    start(Wave& wave, const Fragments& fragment, index_t needed, const char*& filters)
    {
        if(some + 1 == phases || needed == some)
        {
            const auto b =
                arch::SharedOperand::make(filters, b_bytes, 8 * b_bytes, Kernel::box_bytes)
                    .of_first_lane();
            wave.begin();
            unrolled<0, steps>([&](auto step) {
                unrolled<0, phases>([&](auto number) {
                    if constexpr(phase_has_tap(number, some))
                        unrolled<0, sub_tiles>([&](auto sub_tile) {
                            arch::multiply_registers<tuning.instruction, true>(
                                fragment[step][sub_tile],
                                b + (phases_before(number, some) * Kernel::b_boxes *
                                         Kernel::box_bytes +
                                     step * Wave::k_per_step * b_bytes),
                                wave.template columns_from<columns>(number * columns, sub_tile));
                        });
                });
            });
            arch::end_multiplication_group();
            filters += phases_before(phases, some) * Kernel::b_boxes * Kernel::box_bytes;
        }
        else if constexpr(some + 1 < phases)
            start<some + 1>(wave, fragment, needed, filters);
    }

    /// Sets the table entries of a warp's rows for all phases.
    CK_DEVICE CK_INLINE static void set_rows(typename Store::Rows& table,
                                             const auto& p,
                                             index_t first_row,
                                             index_t wave_row,
                                             index_t lane)
    {
        constexpr index_t at_once = lanes / tuning.wave_m; // phases
        const index_t r = lane % tuning.wave_m, whose = lane / tuning.wave_m;
        const PixelWindows::Pixel at = p.grid.windows().pixel(first_row + Wave::row(wave_row, r));
        const index_t offset         = p.grid.offset(at, p.transform.dx_n);
        unrolled<0, phases>([&](auto number) { // lanes look no phase up
            const PhaseGrid::Phase& c = p.grid.of_phase[number];
            if(number % at_once != whose)
                return;
            const index_t to = number * rows + wave_row + r;
            if(p.grid.exists(at, c, p.batch))
                table.set_pixel(to,
                                p,
                                p.grid.pixel(at, c),
                                static_cast<arch::offset_t>(offset + c.offset) *
                                    static_cast<arch::offset_t>(Kernel::c_bytes));
            else
                table.clear(to);
        });
    }
};

} // namespace ck::grid
