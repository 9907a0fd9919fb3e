#pragma once
// The warps of GridwiseTensorMapConv that neither multiply nor copy: they transpose operands in
// LDS, or store zeros to C's rows of phases without taps.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/work.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/copy_pipeline.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/slice_transposer.hpp"

namespace ck::grid {

/// Kernel: GridwiseTensorMapConv of the tuning.
template <class Kernel, GemmTuning tuning>
struct TensorMapAssistant
{
    using Params        = typename Kernel::Params;
    using SharedStorage = typename Kernel::SharedStorage;
    using Gemm          = typename Kernel::Gemm;
    using Work          = TensorMapWork<Kernel, tuning>;

    /// The work of one warp. thread: index among these warps' threads.
    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared, index_t thread)
    {
        if constexpr(Kernel::transposes)
            transpose(p, shared, thread);
        else if constexpr(Kernel::fills_zeros)
            fill_zeros(p, shared, thread);
    }

private:
    /// Stores zeros to the rows of phases without taps.
    CK_DEVICE CK_INLINE static void
    fill_zeros(const Params& p, SharedStorage& shared, index_t thread)
    {
        const index_t warp = thread / Gemm::lanes;
        arch::wait_for_previous_kernel();
        p.zeros.template store<tuning.c_vector>(
            p.c,
            p.transform,
            p.batch,
            shared.zero_rows[warp],
            {p.blocks, Kernel::other_warps, warp, thread % Gemm::lanes},
            shared.started,
            tuning.stages);
    }
    /// Transposes slices as they arrive.
    CK_DEVICE CK_INLINE static void
    transpose(const Params& p, SharedStorage& shared, index_t thread)
    {
        const SliceTransposer<warp::SquareOfLines<Kernel::input_bytes>, Kernel::other_warps> by{
            thread / Gemm::lanes, thread % Gemm::lanes};
        PipelineState stage;
        Work work;
        for(index_t number = Work::first_number(); work.find(p, number);)
            for(index_t s = 0; s < work.slices; ++s)
            {
                arch::wait(shared.full[stage.index], stage.parity);
                if constexpr(Kernel::transposes_a)
                    by.transpose(shared.slice[stage.index].a, Kernel::shape.m);
                if constexpr(Kernel::transposes_b)
                    by.transpose(shared.slice[stage.index].b, Kernel::shape.n);
                by.hand_over(shared.transposed[stage.index]);
                stage.advance(tuning.stages);
            }
    }
};

} // namespace ck::grid
