#pragma once
// Rows of dX that no filter tap meets, where the stride is longer than the filter: zeros, which
// warps store that have nothing else to do, spread over the time that the others multiply.
#include "ck/arch/index.hpp"
#include "ck/arch/memory.hpp"
#include "ck/arch/progress.hpp"
#include "ck/arch/sync.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/vector.hpp"

namespace ck::grid {

/// The rows of some residue classes of a Transform.
template <index_t most_classes>
struct ZeroRows
{
    static constexpr index_t batch = 32; ///< rows that a warp stores, one lane finding each

    index_t classes; ///< with zeros
    index_t class_index[most_classes];
    Divisor batches;      ///< of a class
    Divisor row_vectors;  ///< stores for a row
    index_t block_slices; ///< of products of one block, on average

    /// LDS of one warp: byte offsets of a batch's rows.
    struct Shared
    {
        arch::offset_t row[batch];
    };

    /// What warp `warp` of `warps` does in each of `blocks` blocks. started: slices of the block
    /// whose copies have been, or more at the end.
    template <index_t vector, class Out, class Transform>
    CK_DEVICE CK_INLINE void store(Out* out,
                                   const Transform& transform,
                                   index_t images,
                                   Shared& shared,
                                   index_t blocks,
                                   index_t warp,
                                   index_t warps,
                                   index_t lane,
                                   arch::Progress& started) const
    {
        const arch::GlobalView<Out> view(out);
        const index_t all = classes * batches.value, step = blocks * warps,
                      mine = math::integer_divide_ceil(all, step);
        index_t number     = arch::block_index() * warps + warp;
        for(index_t i = 0; number < all; number += step, ++i)
        {
            if(lane == 0)
                started.wait(static_cast<index_t>(long_index_t{i} * block_slices / mine));
            const index_t of_class = quotient(number, batches);
            const auto c           = transform.make_class(class_index[of_class], images).c;
            const index_t row      = (number - of_class * batches.value) * batch + lane;
            arch::wave_sync<batch>(); // the offsets before have been read
            shared.row[lane] = row < c.template extent<0>()
                                   ? static_cast<arch::offset_t>(c.template part<0>(row).offset) *
                                         static_cast<arch::offset_t>(sizeof(Out))
                                   : arch::nowhere;
            arch::wave_sync<batch>();
            for(index_t at = lane; at < batch * row_vectors.value; at += batch)
            {
                const index_t r = quotient(at, row_vectors);
                view.template store<vector>(
                    {},
                    shared.row[r] +
                        static_cast<arch::offset_t>((at - r * row_vectors.value) * vector) *
                            static_cast<arch::offset_t>(sizeof(Out)));
            }
        }
    }
};

} // namespace ck::grid
