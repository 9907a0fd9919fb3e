#pragma once
// The producer thread of GridwiseFilterRowConv: for each slice of output pixels it starts the
// copies of dY and of the lines of X that a filter row reads.
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/box_place.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"

namespace ck::grid {

/// Kernel: GridwiseFilterRowConv of a tuning.
template <class Kernel>
struct FilterRowProducer
{
    CK_DEVICE CK_INLINE static void run(const auto& p, auto& shared)
    {
        if(p.rank == 3)
            copy<3>(p, shared);
        else if(p.rank == 4)
            copy<4>(p, shared);
        else
            copy<5>(p, shared);
    }

private:
    /// Copies by maps of a rank.
    template <index_t rank>
    CK_DEVICE CK_INLINE static void copy(const auto& p, auto& shared)
    {
        constexpr index_t pixels = Kernel::pixels, line_bytes = Kernel::line_bytes,
                          channels = Kernel::Fragment::channels;
        const auto work            = Kernel::work(p);
        const PixelWindows y       = a_windows(p.transform, 0);
        const index_t bytes        = Kernel::a_bytes + Kernel::b_boxes * p.x.lines * line_bytes;
        const auto tap             = p.windows.tap(
            (work.z * p.weight_tiles.y.value + work.y) * p.weight_tiles.x.value + work.x);
        PipelineState stage;
        for(index_t number = work.first; number < work.end; ++number, stage.advance(p.stages))
        {
            const index_t pixel = number * pixels, row = quotient(pixel, p.x.row);
            arch::TransactionBarrier& full = shared.rest.pipeline.full[stage.index];
            char* const to                 = shared.pool + stage.index * p.stage_bytes;
            const auto own                 = y.pixel(pixel);
            const auto first = p.windows.pixel(row * p.x.span() + pixel - row * p.x.row.value);
            // The last stage is handed back once more than it was filled, see FilterRowConsumer.
            arch::wait(shared.rest.pipeline.empty[stage.index],
                       stage.parity ^ (stage.index != p.stages - 1));
            arch::arrive_expecting(full, bytes);
            for(index_t i = 0; i < Kernel::a_boxes; ++i)
                arch::copy_box<true>(to + i * (pixels * line_bytes),
                                     p.a_map,
                                     rank,
                                     box_of_pixels(work.row * Kernel::rows + i * channels, own),
                                     full);
            for(index_t i = 0; i < Kernel::b_boxes; ++i)
                arch::copy_box<true>(
                    to + Kernel::a_bytes + i * p.x.lines * line_bytes,
                    p.b_map,
                    rank,
                    box_of_pixels(work.channel * Kernel::channels + i * channels, first, tap),
                    full);
        }
    }
};

} // namespace ck::grid
