#pragma once
// The producer thread of GridwiseHaloWeightConv: for each tile of output pixels it starts the
// copies of dY and of the halo tile of X.
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/box_place.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"

namespace ck::grid {

/// Kernel: GridwiseHaloWeightConv of a tuning.
template <class Kernel>
struct HaloWeightProducer
{
    CK_DEVICE CK_INLINE static void run(const auto& p, auto& shared)
    {
        const auto work      = Kernel::work(p);
        const HaloTiles& x   = p.halo_tiles;
        const index_t bytes  = Kernel::own_bytes + x.lines() * Kernel::b_bytes;
        const index_t tap[3] = {work.x * Kernel::taps, work.y * Kernel::warpgroups, work.z};
        PipelineState stage;
        for(index_t number = work.first; number < work.end; ++number, stage.advance(p.stages))
        {
            const HaloTiles::Tile tile     = x.tile(number);
            char* const to                 = shared.pool + stage.index * p.stage_bytes;
            arch::TransactionBarrier& full = shared.rest.pipeline.acquire(stage, bytes);
            arch::copy_box<false>(to,
                                  p.a_map,
                                  5,
                                  {work.row * Kernel::rows,
                                   {tile.origin[0], tile.origin[1], tile.origin[2]},
                                   tile.origin[3],
                                   {}},
                                  full);
            arch::BoxPlace at = box_of_halo_tile(work.channel * Kernel::line, tile, x.tap_group[0]);
            for(int i = 0; i < 3; ++i)
                at.spatial[i] += tap[i] * p.dilation[i];
            arch::copy_box<false>(to + Kernel::own_bytes, p.b_map, 5, at, full);
        }
    }
};

} // namespace ck::grid
