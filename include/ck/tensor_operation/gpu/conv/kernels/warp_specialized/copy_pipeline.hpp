#pragma once
// The stages in shared memory to which tensor maps copy operands: a circular buffer.
#include "ck/arch/sync.hpp"
#include "ck/arch/transaction_barrier.hpp"

namespace ck::grid {

/// Initializes the barriers of all stages; call it in one thread. `full`: the announced copies
/// have arrived. `empty`: `readers` warps have read them.
CK_DEVICE CK_INLINE void initialize_barriers(arch::TransactionBarrier* full,
                                             arch::TransactionBarrier* empty,
                                             index_t stages,
                                             index_t readers)
{
    for(index_t stage = 0; stage < stages; ++stage)
    {
        arch::initialize(full[stage], 1);
        arch::initialize(empty[stage], readers);
    }
}

/// A stage, and the parity of the number of rounds through all stages.
struct PipelineState
{
    index_t index = 0, parity = 0;

    CK_DEVICE CK_INLINE void advance(index_t stages)
    {
        if(++index == stages)
        {
            index = 0;
            parity ^= 1;
        }
    }
};

/// The barriers of at most `most_stages` stages in shared memory.
template <index_t most_stages>
struct CopyPipeline
{
    arch::TransactionBarrier full[most_stages], empty[most_stages];

    /// Initializes them for a producer thread and `readers` warps per stage; call it in one thread.
    CK_DEVICE CK_INLINE void prepare(index_t readers)
    {
        initialize_barriers(full, empty, most_stages, readers);
    }
    /// The producer thread waits until a stage has been read. Returns the barrier for copies of
    /// `bytes` bytes to it.
    CK_DEVICE CK_INLINE arch::TransactionBarrier& acquire(const PipelineState& stage, index_t bytes)
    {
        arch::TransactionBarrier& barrier = full[stage.index];
        arch::wait(empty[stage.index], stage.parity ^ 1);
        arch::arrive_expecting(barrier, bytes);
        return barrier;
    }
    /// Waits until the copies to a stage have arrived.
    CK_DEVICE CK_INLINE void wait(const PipelineState& stage)
    {
        arch::wait(full[stage.index], stage.parity);
    }
    /// Returns a stage to the producer; all lanes of a warp that has read it call this.
    CK_DEVICE CK_INLINE void release(const PipelineState& stage, index_t lane)
    {
        arch::wave_sync<32>(); // all lanes saw it full and are done with it
        if(lane == 0)
            arch::arrive(empty[stage.index]);
    }
};

} // namespace ck::grid
