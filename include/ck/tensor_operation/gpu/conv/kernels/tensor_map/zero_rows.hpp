#pragma once
// Rows of dX that no filter tap reaches (stride longer than the filter). Otherwise idle warps store
// zeros to them, spread over the time of the multiplications.
#include "ck/arch/index.hpp"
#include "ck/arch/memory.hpp"
#include "ck/arch/sync.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/vector.hpp"

namespace ck::grid {

/// The rows of some phases of a Transform.
template <index_t most_phases>
struct ZeroRows
{
    static constexpr index_t batch = 32; ///< rows that a warp stores, one lane finding each

    index_t phases; ///< phases with zeros
    index_t phase_index[most_phases];
    Divisor batches;      ///< batches of a phase
    Divisor row_vectors;  ///< stores for a row
    index_t block_slices; ///< slices that a block multiplies, on average

    /// LDS of one warp: byte offsets of a batch's rows.
    struct Shared
    {
        arch::offset_t row[batch];
    };

    /// A vector of a batch's rows.
    struct Place
    {
        index_t row, column;
    };
    /// They are counted row after row.
    CK_DEVICE CK_INLINE Place place(index_t number) const
    {
        const index_t row = quotient(number, row_vectors);
        return {row, number - row * row_vectors.value};
    }
    /// Stores of a warp between looks at the others' progress, whose places it reads before. H200,
    /// f16, ms, 1x1 of stride 2, one store at a time and a look each batch, 4, 8: 64 images, 64 to
    /// 128 channels at 56x56 0.0167, 0.0139, 0.0132; 256 images, 1024 to 2048 at 14x14 0.0823,
    /// 0.0807, 0.0807. More: see docs/notes/hopper_kernels.md.
    static constexpr index_t at_once = 8;

    /// Who stores: one lane of one of the warps of each of the blocks.
    struct Worker
    {
        index_t blocks, warps, warp, lane;
    };
    /// The work of each lane of a warp. started: arch::Progress, slices of the block whose copies
    /// have been started (or more, at the end): `lead` more than have been multiplied.
    template <index_t vector, class Out, class Transform, class Progress>
    CK_DEVICE CK_INLINE void store(Out* out,
                                   const Transform& transform,
                                   index_t images,
                                   Shared& shared,
                                   const Worker& worker,
                                   Progress& started,
                                   index_t lead) const
    {
        const auto [blocks, warps, warp, lane] = worker;
        const arch::GlobalView<Out> view(out);
        const index_t all = phases * batches.value, step = blocks * warps,
                      groups = math::integer_divide_ceil(all, step) *
                               math::integer_divide_ceil(row_vectors.value, at_once);
        const float rate =
            static_cast<float>(block_slices) / static_cast<float>(math::max(1, groups));
        const Place first = place(lane), next = place(batch); // from each of a lane's to the next
        constexpr auto bytes = static_cast<arch::offset_t>(vector * sizeof(Out));
        index_t group = 0, so_far = 0;
        for(index_t number = arch::block_index() * warps + warp; number < all; number += step)
        {
            const index_t of_phase = quotient(number, batches);
            const auto c           = transform.make_phase(phase_index[of_phase], images).c;
            const index_t row      = (number - of_phase * batches.value) * batch + lane;
            arch::wave_sync<batch>(); // the previous offsets have been read
            shared.row[lane] = row < c.template extent<0>()
                                   ? static_cast<arch::offset_t>(c.template part<0>(row).offset) *
                                         static_cast<arch::offset_t>(sizeof(Out))
                                   : arch::nowhere;
            index_t r = first.row, column = first.column;
            for(index_t i = 0; i < row_vectors.value; i += at_once, ++group)
            {
                const index_t target =
                    lead + static_cast<index_t>(static_cast<float>(group) * rate);
                if(lane == 0 && so_far < target)
                    so_far = started.wait(target);
                arch::wave_sync<batch>(); // the offsets are there
                arch::offset_t to[at_once];
                unrolled<0, at_once>([&](auto u) {
                    to[u] = i + u < row_vectors.value
                                ? shared.row[r] + static_cast<arch::offset_t>(column) * bytes
                                : arch::nowhere;
                    r += next.row;
                    column += next.column;
                    if(column >= row_vectors.value)
                    {
                        column -= row_vectors.value;
                        ++r;
                    }
                });
                unrolled<0, at_once>([&](auto u) { view.template store<vector>({}, to[u]); });
            }
        }
    }
};

} // namespace ck::grid
