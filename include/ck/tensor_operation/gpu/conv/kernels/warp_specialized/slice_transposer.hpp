#pragma once
// The work of warps that neither multiply nor copy, if operands lie along their rows: they
// transpose slices in LDS, square by square, after the copy and before the multiplication.
#include "ck/arch/transaction_barrier.hpp"
#include "ck/arch/warpgroup.hpp"
#include "ck/tensor_operation/gpu/warp/transpose_lines.hpp"

namespace ck::grid {

/// Square: a warp::SquareOfLines. warps: number of warps that share the work.
template <class Square, index_t warps>
struct SliceTransposer
{
    index_t warp, lane;

    /// Transposes an operand of `lines` lines, whose squares are consecutive.
    template <class Input>
    CK_DEVICE CK_INLINE void transpose(Input* operand, index_t lines) const
    {
        const auto start = Square::start(lane);
        CK_NOT_UNROLLED
        for(index_t i = warp; i < lines / Square::size * Square::groups; i += warps)
            Square::transpose(operand + i / Square::groups * (Square::size * Square::size),
                              start,
                              i % Square::groups);
    }
    /// Passes a slice to the consumers.
    CK_DEVICE CK_INLINE void hand_over(arch::TransactionBarrier& transposed) const
    {
        arch::order_before_async_accesses();
        arch::wave_sync<32>();
        if(lane == 0)
            arch::arrive(transposed);
    }
};

} // namespace ck::grid
