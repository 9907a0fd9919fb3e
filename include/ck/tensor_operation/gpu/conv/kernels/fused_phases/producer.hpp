#pragma once
// The producer thread of GridwiseFusedPhasesConv: it starts the copies of all filters once, then
// those of the slices of each tile, for one warpgroup after another.
#include "ck/tensor_operation/gpu/conv/kernels/fused_phases/phase_slices.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/box_place.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"
#include "ck/tensor_operation/operator_transform/phase_grid.hpp"

namespace ck::grid {

/// Kernel: GridwiseFusedPhasesConv of a tuning.
template <class Kernel>
struct FusedPhasesProducer
{
    CK_DEVICE CK_INLINE static void run(const auto& p, auto& shared)
    {
        copy_filters(p, shared);
        PipelineState stage;
        const PixelWindows windows = p.grid.windows();
        const ColumnOfTiles tiles  = Kernel::tiles_of_block(p);
        for(index_t tile = tiles.first; tile < p.tiles.row_tiles.value; tile += tiles.every)
        {
            arch::BoxPlace at[warpgroups]{};
            for(index_t warpgroup = 0; warpgroup < warpgroups; ++warpgroup)
                at[warpgroup] = box_of_pixels(
                    0, windows.pixel(tile * Kernel::rows + warpgroup * Kernel::warpgroup_rows));
            for(Slices slices; slices.next(p);)
                for(index_t warpgroup = 0; warpgroup < warpgroups;
                    ++warpgroup, stage.advance(p.stages))
                {
                    arch::TransactionBarrier& full =
                        shared.rest.pipeline.acquire(stage, Kernel::slice_bytes);
                    at[warpgroup].channel = slices.channel;
                    for(int i = 0; i < 3; ++i)
                        at[warpgroup].offset[i] = p.grid.dimension[i].offset +
                                                  p.grid.dimension[i].offset_step * slices.shift[i];
                    arch::copy_box<true>(Kernel::slice(p, shared, stage),
                                         p.a_map,
                                         p.window_rank,
                                         at[warpgroup],
                                         full);
                }
        }
    }

private:
    static constexpr index_t warpgroups = Kernel::warpgroups;
    using Slices                        = PhaseSlices<Kernel::channels>;

    /// Copies the filters in the order of slices, and of phases.
    CK_DEVICE CK_INLINE static void copy_filters(const auto& p, auto& shared)
    {
        char* to = shared.pool;
        arch::arrive_expecting(shared.rest.filters, p.filter_bytes);
        for(Slices slices; slices.next(p);)
            for(index_t number = 0; number < Kernel::phases; ++number)
                if(phase_has_tap(number, slices.needed))
                {
                    const PhaseGrid::Phase& c = p.grid.of_phase[number];
                    arch::BoxPlace at{Kernel::first_column(p), {}, slices.channel, {}};
                    for(int i = 0; i < 3; ++i)
                        at.spatial[i] = c.filter[i] + c.filter_step[i] * slices.shift[i];
                    for(index_t box = 0; box < Kernel::b_boxes; ++box)
                    {
                        arch::copy_box<false>(to, p.b_map, 5, at, shared.rest.filters);
                        at.channel += Kernel::b_line;
                        to += Kernel::box_bytes;
                    }
                }
    }
};

} // namespace ck::grid
