#pragma once
// What the kernels have in common whose operands are copied by tensor maps into a ring of slots.
#include "ck/arch/sync.hpp"
#include "ck/arch/transaction_barrier.hpp"
#include "ck/arch/warpgroup.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"

namespace ck::grid {

/// Whether operands of these types can be multiplied as they are in memory, as a Gemm's InputA and
/// InputB. Compute: the type that the copies or the instruction round them to, if any.
template <class Types, class InputA, class InputB, class Compute = void>
constexpr bool multiplied_as_in_memory()
{
    return std::is_same_v<typename Types::A, InputA> && std::is_same_v<typename Types::B, InputB> &&
           thread::is_identity<typename Types::OperationA> &&
           thread::is_identity<typename Types::OperationB> &&
           std::is_same_v<typename Types::ComputeA, Compute> &&
           std::is_same_v<typename Types::ComputeB, Compute>;
}

/// Whether C is stored as its accumulators, rounded: then LDS holds it rounded.
template <class Types, class Accumulator>
constexpr bool stored_narrow()
{
    return Types::Ds::Size() == 0 && thread::is_identity<typename Types::OperationC> &&
           sizeof(typename Types::C) < sizeof(Accumulator);
}

/// Registers of a thread of blocks in which one warpgroup copies and `consumers` threads multiply,
/// which take some from the copying ones if they are `moved`. All multiples of eight.
template <index_t consumers_, index_t min_blocks_per_cu, bool moved, index_t copying = 56>
struct RegisterReallocation
{
    static constexpr index_t consumers  = consumers_;
    static constexpr index_t warpgroup  = 128;
    static constexpr index_t block_size = consumers + warpgroup;
    static constexpr index_t launched   = (1 << 16) / (min_blocks_per_cu * block_size) / 8 * 8;
    static constexpr index_t multiplying =
        (launched * block_size - copying * warpgroup) / consumers / 8 * 8;

    /// All threads of a warpgroup call the one or the other, once.
    CK_DEVICE CK_INLINE static void take()
    {
        if constexpr(moved)
            arch::take_registers<multiplying>();
    }
    CK_DEVICE CK_INLINE static void give_up()
    {
        if constexpr(moved)
            arch::give_up_registers<copying>();
    }
};

/// Whether `accumulators` accumulators are most of what a thread of halo tiles is launched with:
/// beside 96 of 128, or 128 of 168, nvcc 13 spills up to 28.
template <index_t consumers, index_t min_blocks_per_cu>
constexpr bool crowds(index_t accumulators)
{
    return 4 * accumulators >=
           3 * RegisterReallocation<consumers, min_blocks_per_cu, false>::launched;
}

/// Prepares the barriers of a ring's slots, by one thread: full when the copies have come that one
/// thread announces, empty when `readers` warps have read them.
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

/// A slot of a ring, and the parity of how often the ring has gone round.
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

/// The barriers of a ring of at most so many slots in shared memory.
template <index_t most_slots>
struct CopyRing
{
    arch::TransactionBarrier full[most_slots], empty[most_slots];

    /// Prepares them for a copying thread and `readers` warps that read each slot; by one thread.
    CK_DEVICE CK_INLINE void prepare(index_t readers)
    {
        prepare_ring(full, empty, most_slots, readers);
    }
    /// Waits, by the copying thread, until a slot has been read. Returns the barrier for copies of
    /// `bytes` bytes to it.
    CK_DEVICE CK_INLINE arch::TransactionBarrier& acquire(const RingSlot& slot, index_t bytes)
    {
        arch::TransactionBarrier& barrier = full[slot.number];
        arch::wait(empty[slot.number], slot.parity ^ 1);
        arch::arrive_expecting(barrier, bytes);
        return barrier;
    }
    /// Waits until the copies to a slot have come.
    CK_DEVICE CK_INLINE void wait(const RingSlot& slot)
    {
        arch::wait(full[slot.number], slot.parity);
    }
    /// Hands a slot back, by all lanes of a warp that have read it.
    CK_DEVICE CK_INLINE void release(const RingSlot& slot, index_t lane)
    {
        arch::wave_sync<32>(); // all lanes have seen it full, and are done with it
        if(lane == 0)
            arch::arrive(empty[slot.number]);
    }
};

} // namespace ck::grid
