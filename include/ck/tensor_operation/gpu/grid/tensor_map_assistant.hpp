#pragma once
// What the warps of GridwiseTensorMapConv do that neither multiply nor copy: they transpose
// operands in LDS, or store zeros to C's rows of phases without taps.
#include "ck/tensor_operation/gpu/grid/copy_ring.hpp"
#include "ck/tensor_operation/gpu/grid/tensor_map_work.hpp"
#include "ck/tensor_operation/gpu/warp/transpose_lines.hpp"

namespace ck::grid {

/// Kernel: GridwiseTensorMapConv of the tuning.
template <class Kernel, GemmTuning tuning>
struct TensorMapAssistant
{
    using Params        = typename Kernel::Params;
    using SharedStorage = typename Kernel::SharedStorage;
    using Gemm          = typename Kernel::Gemm;
    using Work          = TensorMapWork<Kernel, tuning>;

    /// What a warp does. thread: of these warps'.
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
    /// Transposes the slices as they come.
    CK_DEVICE CK_INLINE static void
    transpose(const Params& p, SharedStorage& shared, index_t thread)
    {
        using Square       = warp::SquareOfLines<Kernel::input_bytes>;
        const index_t warp = thread / Gemm::lanes, lane = thread % Gemm::lanes;
        const auto transpose = [&](auto* operand, index_t rows) {
            constexpr index_t elements = Square::size * Square::size;
            for(index_t i = warp; i < rows / Square::size * Square::groups;
                i += Kernel::other_warps)
                Square::transpose(operand + i / Square::groups * elements,
                                  Square::start(lane),
                                  i % Square::groups);
        };
        RingSlot slot;
        Work work;
        for(index_t number = Work::first_number(); work.find(p, number);)
            for(index_t s = 0; s < work.slices; ++s)
            {
                arch::wait(shared.full[slot.number], slot.parity);
                if constexpr(Kernel::transposes_a)
                    transpose(shared.slice[slot.number].a, Kernel::shape.m);
                if constexpr(Kernel::transposes_b)
                    transpose(shared.slice[slot.number].b, Kernel::shape.n);
                arch::order_before_async_accesses();
                arch::wave_sync<Gemm::lanes>();
                if(lane == 0)
                    arch::arrive(shared.transposed[slot.number]);
                slot.advance(tuning.stages);
            }
    }
};

} // namespace ck::grid
