#pragma once
// The producer thread of GridwiseTensorMapConv: it starts the copies of A's and B's slices, tile by
// tile, as stages become free.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/pixels_producer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/taps_producer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/work.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"

namespace ck::grid {

/// Kernel: GridwiseTensorMapConv of the tuning.
template <class Kernel, GemmTuning tuning>
struct TensorMapProducer
{
    using Params        = typename Kernel::Params;
    using SharedStorage = typename Kernel::SharedStorage;
    using Work          = TensorMapWork<Kernel, tuning>;

    /// The producer thread: starts the copies.
    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        PipelineState stage;
        bool waited     = false;
        const auto next = [&](index_t bytes, const auto& start) {
            arch::TransactionBarrier& full = shared.full[stage.index];
            arch::wait(shared.empty[stage.index], stage.parity ^ 1);
            if(!waited)
            {
                if constexpr(fetches)
                    start(shared.slice[stage.index], full, ToL2{});
                arch::wait_for_previous_kernel();
                waited = true;
            }
            arch::arrive_expecting(full, bytes);
            start(shared.slice[stage.index], full, ToLds{});
            stage.advance(tuning.stages);
            if constexpr(Kernel::fills_zeros)
                shared.started.advance();
        };
        Work work;
        index_t resident = 0; // slices of B whose copies have been started
        for(index_t number = Work::first_number(); work.find(p, number);)
            if constexpr(by_pixels)
                TensorMapPixelsProducer<Kernel>::run(p, work, next);
            else
                TensorMapTapsProducer<Kernel>::run(p, shared, work, resident, next);
        if(!waited) // all blocks wait, so that earlier kernels have ended when this one ends
            arch::wait_for_previous_kernel();
        if constexpr(Kernel::fills_zeros)
            shared.started.advance(1 << 30); // no more slices will come
    }

private:
    static constexpr bool by_pixels = Kernel::by_pixels;
    /// Whether the first slice is prefetched to the L2 cache while the previous kernel still runs.
    /// H200, 1x1 with few tiles per workgroup: 2 to 5 % less time. Backward weight takes 1 to 2 %
    /// more; with resident filters nvcc 13 spills.
    static constexpr bool fetches = !by_pixels && Kernel::resident_filters == 0;
};

} // namespace ck::grid
