#pragma once
// The ring of slots in shared memory to which tensor maps copy operands.
#include "ck/arch/sync.hpp"
#include "ck/arch/transaction_barrier.hpp"

namespace ck::grid {

/// Initializes the barriers of a ring's slots; call it in one thread. `full`: the announced copies
/// have arrived. `empty`: `readers` warps have read them.
CK_DEVICE CK_INLINE void prepare_ring(arch::TransactionBarrier* full,
                                      arch::TransactionBarrier* empty,
                                      index_t slots,
                                      index_t readers)
{
    for(index_t slot = 0; slot < slots; ++slot)
    {
        arch::initialize(full[slot], 1);
        arch::initialize(empty[slot], readers);
    }
}

/// A slot of a ring, and the parity of the number of rounds.
struct RingSlot
{
    index_t number = 0, parity = 0;

    CK_DEVICE CK_INLINE void advance(index_t slots)
    {
        if(++number == slots)
        {
            number = 0;
            parity ^= 1;
        }
    }
};

/// The barriers of a ring of at most `most_slots` slots in shared memory.
template <index_t most_slots>
struct CopyRing
{
    arch::TransactionBarrier full[most_slots], empty[most_slots];

    /// Initializes them for a producer thread and `readers` warps per slot; call it in one thread.
    CK_DEVICE CK_INLINE void prepare(index_t readers)
    {
        prepare_ring(full, empty, most_slots, readers);
    }
    /// The producer thread waits until a slot has been read. Returns the barrier for copies of
    /// `bytes` bytes to it.
    CK_DEVICE CK_INLINE arch::TransactionBarrier& acquire(const RingSlot& slot, index_t bytes)
    {
        arch::TransactionBarrier& barrier = full[slot.number];
        arch::wait(empty[slot.number], slot.parity ^ 1);
        arch::arrive_expecting(barrier, bytes);
        return barrier;
    }
    /// Waits until the copies to a slot have arrived.
    CK_DEVICE CK_INLINE void wait(const RingSlot& slot)
    {
        arch::wait(full[slot.number], slot.parity);
    }
    /// Returns a slot to the producer; all lanes of a warp that has read it call this.
    CK_DEVICE CK_INLINE void release(const RingSlot& slot, index_t lane)
    {
        arch::wave_sync<32>(); // all lanes saw it full and are done with it
        if(lane == 0)
            arch::arrive(empty[slot.number]);
    }
};

} // namespace ck::grid
