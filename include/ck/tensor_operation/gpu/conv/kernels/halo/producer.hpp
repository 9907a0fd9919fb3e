#pragma once
// The producer thread of GridwiseHaloConv: it starts the copies of all filters once, then those of
// the halo tiles of each tile of C, for the warpgroup whose turn it is.
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/box_place.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"
#include "ck/utility/number.hpp"

namespace ck::grid {

/// Kernel: GridwiseHaloConv of a tuning.
template <class Kernel>
struct HaloTileProducer
{
    CK_DEVICE CK_INLINE static void run(const auto& p, auto& shared)
    {
        copy_filters(p, shared);
        constexpr index_t warpgroups = Kernel::warpgroups;
        PipelineState of_warpgroup[warpgroups];
        const index_t bytes = p.halo_tiles.lines() * Kernel::a_bytes;
        Kernel::for_tiles(p, [&](const HaloTiles::Tile& tile, index_t warpgroup) {
            PipelineState stage = of_warpgroup[0];
            unrolled<1, warpgroups>(
                [&](auto i) { stage = i == warpgroup ? of_warpgroup[i] : stage; });
            const HaloTiles::Phase& c = p.halo_tiles.of_phase[tile.phase_index];
            for(index_t i = 0; i < c.tap_groups; ++i)
            {
                const HaloTiles::TapGroup& tap_group =
                    p.halo_tiles.tap_group[c.first_tap_group + i];
                arch::BoxPlace at = box_of_halo_tile(0, tile, tap_group);
                for(index_t line = 0; line < p.lines; ++line, stage.advance(p.stages))
                {
                    arch::TransactionBarrier& full =
                        shared.rest.pipeline[warpgroup].acquire(stage, bytes);
                    at.channel = line * Kernel::channels;
                    arch::copy_box<false>(Kernel::halo_tile(p, shared, warpgroup, stage),
                                          p.a_map[tap_group.plane],
                                          5,
                                          at,
                                          full);
                }
            }
            unrolled<0, warpgroups>(
                [&](auto i) { of_warpgroup[i] = i == warpgroup ? stage : of_warpgroup[i]; });
        });
    }

private:
    CK_DEVICE CK_INLINE static void copy_filters(const auto& p, auto& shared)
    {
        constexpr index_t box_bytes = Kernel::b_lines * Kernel::b_bytes;
        const index_t first_column  = Kernel::tiles_of_block(p).column * Kernel::columns;
        char* to                    = shared.pool;
        arch::arrive_expecting(shared.rest.filters, p.filter_bytes);
        for(index_t z = 0; z < p.taps[2]; ++z)
            for(index_t y = 0; y < p.taps[1]; ++y)
                for(index_t x = 0; x < p.taps[0]; ++x)
                    for(index_t line = 0; line < p.lines; ++line)
                        for(index_t box = 0; box < Kernel::slice_bytes / box_bytes; ++box)
                        {
                            arch::copy_box<false>(to,
                                                  p.b_map,
                                                  5,
                                                  box_of_filters<Kernel::b_along_k>(
                                                      first_column + box * Kernel::b_line,
                                                      line * Kernel::channels,
                                                      x,
                                                      y,
                                                      z),
                                                  shared.rest.filters);
                            to += box_bytes;
                        }
    }
};

} // namespace ck::grid
