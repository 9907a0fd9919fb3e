#pragma once
// The consumer warps of GridwiseHaloConv: warpgroups take turns at the tiles of C. Each multiplies
// a tile's halo tiles with all taps that read them, and stores the tile.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/operator_transform/halo_tiles.hpp"

namespace ck::grid {

/// Kernel: GridwiseHaloConv of the tuning.
template <class Kernel, GemmTuning tuning>
struct HaloTileConsumer
{
    using Wave = typename Kernel::Wave;

    CK_DEVICE CK_INLINE static void run(const auto& p, auto& shared, index_t thread)
    {
        const index_t warp = thread / lanes, lane = thread % lanes,
                      warpgroup = warp / Kernel::waves_of_warpgroup;
        arch::wait(shared.rest.filters, 0);
        PipelineState stage;
        Kernel::for_tiles(p, [&](const HaloTiles::Tile& tile, index_t whose) {
            if(whose != warpgroup)
                return;
            const HaloTiles::Phase& c = p.halo_tiles.of_phase[tile.phase_index];
            Wave wave;
            wave.clear();
            for(index_t i = 0; i < c.tap_groups; ++i)
                for(index_t line = 0; line < p.lines; ++line, stage.advance(p.stages))
                {
                    shared.rest.pipeline[warpgroup].wait(stage);
                    multiply(wave,
                             p,
                             p.halo_tiles.tap_group[c.first_tap_group + i],
                             line,
                             Kernel::halo_tile(p, shared, warpgroup, stage),
                             shared.pool);
                    shared.rest.pipeline[warpgroup].release(stage, lane);
                }
            store(wave, p, shared, tile, warp, lane);
        });
    }

private:
    static constexpr index_t lanes = Kernel::lanes, k_per_step = Wave::k_per_step,
                             steps   = Kernel::channels / k_per_step;
    static constexpr index_t a_bytes = Kernel::a_bytes, b_bytes = Kernel::b_bytes;
    static constexpr bool b_along_k = Kernel::b_along_k;

    /// Multiplies a halo tile with all taps of its tap group. Other warpgroups use the time until
    /// the last multiplication is done.
    CK_DEVICE CK_INLINE static void multiply(Wave& wave,
                                             const auto& p,
                                             const HaloTiles::TapGroup& tap_group,
                                             index_t line,
                                             const char* halo,
                                             const char* filters)
    {
        const auto a = arch::SharedOperand::make(
            halo, Kernel::pixels * a_bytes, p.halo_tiles.group_lines * a_bytes, 0);
        const auto b =
            arch::SharedOperand::make(filters, b_bytes, 8 * b_bytes, Kernel::b_lines * b_bytes);
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
                        multiply_tap(a + first * a_bytes,
                                     b + (tap * p.lines + line) * Kernel::slice_bytes);
                    }
        };
        const auto step = [&](const auto& a_tap, const auto& b_tap, index_t s) {
            unrolled<0, Wave::m_tiles>([&](auto u) {
                arch::multiply_shared<tuning.instruction, false, !b_along_k>(
                    a_tap + (u * p.halo_tiles.sub_tile_lines * a_bytes + s * 2 * k_per_step),
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
                                          const auto& p,
                                          auto& shared,
                                          const HaloTiles::Tile& tile,
                                          index_t warp,
                                          index_t lane)
    {
        const TileMap::Tile of_c{Kernel::tiles_of_block(p).column, tile.phase_index, 0, 0, 0, 0};
        const auto views       = p.views(of_c);
        const index_t wave_row = warp * tuning.wave_m;
        for(index_t i = lane; i < tuning.wave_m; i += lanes)
        {
            const index_t row = p.halo_tiles.row(
                tile, i / 16, warp % Kernel::waves_of_warpgroup * 16 + i % 16, p.batch);
            if(row < 0)
                shared.rest.rows.clear(wave_row + i);
            else if(Kernel::Params::Ds::count == 0 && p.row_stride > 0)
                shared.rest.rows.c[wave_row + i] =
                    static_cast<arch::offset_t>(row) * static_cast<arch::offset_t>(p.row_stride);
            else
                shared.rest.rows.set(wave_row + i, p, views, row);
        }
        arch::wave_sync<lanes>();
        Kernel::Store::run(wave,
                           shared.rest.store[warp],
                           shared.rest.rows,
                           p,
                           views,
                           of_c,
                           wave_row,
                           of_c.column_tile * Kernel::columns,
                           lane);
        arch::wave_sync<lanes>(); // the rows have been read
    }
};

} // namespace ck::grid
