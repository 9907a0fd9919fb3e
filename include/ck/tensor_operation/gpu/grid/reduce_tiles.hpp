#pragma once
// ReducePartialSums for partial sums that are stored tile by tile (split_tiles.hpp).
// Deterministic.
#include "ck/tensor_operation/gpu/grid/split_tiles.hpp"
#include "ck/tensor_operation/gpu/grid/stored_sum.hpp"

#include <tuple>

namespace ck::grid {

/// Adds up partial sums: `sharers` threads, each with other partial sums, add up a run of
/// PartialSums::vector adjacent elements in a row of a tile. With `merged` groups, tiles have
/// `merged` times as many rows and channels. Only the diagonal blocks, where row and channel are in
/// the same group, belong to C.
template <class Transform,
          class Out,
          class Operation,
          class Elements = Tuple<>,
          class Partial  = float,
          class Total    = Partial>
struct ReduceTiles
{
    static constexpr index_t block_size = 256;
    /// Leaves registers for all loads in flight. H200, 16.8 MB in 16 partial sums: 4.15 us falls to
    /// 3.45 us.
    static constexpr index_t min_blocks_per_cu = 4, at_a_time = 8;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    static constexpr index_t vector = PartialSums::vector;

    /// Tiles with the same number of partial sums.
    struct Kind
    {
        index_t first_block; ///< first block of the launch
        index_t first_tile, first_partial;
        index_t partial_sums, sharers;
        long_index_t step; ///< elements from one partial of a sharer to the next
        Divisor runs;      ///< runs of a block; runs * sharers is block_size
        Divisor blocks_of_partial;
    };

    struct Params : StoredSum<Out, Operation, Elements>
    {
        const Partial* partial_sums;
        Transform transform;  // places of C in memory
        Kind kind[2];         // the one with longer sums first
        index_t partial_size; // elements of a workgroup's partial sum
        Divisor runs_of_row;  // runs of a row of it
        Divisor cluster;      // workgroups of a tile, whose partial sums follow each other
        index_t partial_rows; // rows from one workgroup's part of the tile to the next one's
        index_t tile_rows, tile_columns;
        Divisor column_tiles, row_tiles; // tiles of a group of C, or of merged groups
        Divisor rows;                    // rows of a group of C
        Divisor tap_channels, channels;  // with the taps of merged groups; of one group
        Divisor merged;                  // groups

        auto addresses() const
        {
            return std::tuple_cat(StoredSum<Out, Operation, Elements>::addresses(),
                                  std::tie(partial_sums));
        }
    };

    static bool starts_early(const Params&) { return true; }

    struct SharedStorage
    {
        Vector<Total, vector> sum[block_size];
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        const index_t block = arch::block_index(), thread = arch::thread_index();
        const Kind& kind     = p.kind[block >= p.kind[1].first_block];
        const index_t number = quotient(block - kind.first_block, kind.blocks_of_partial),
                      sharer = quotient(thread, kind.runs),
                      at     = (block - kind.first_block - number * kind.blocks_of_partial.value) *
                               kind.runs.value +
                           thread - sharer * kind.runs.value;
        const index_t of_kind = quotient(number, p.cluster),
                      rank    = number - of_kind * p.cluster.value;
        const index_t tile = kind.first_tile + of_kind, of_columns = quotient(tile, p.column_tiles),
                      first_group = quotient(of_columns, p.row_tiles),
                      row_tile    = of_columns - first_group * p.row_tiles.value,
                      row_in      = quotient(at, p.runs_of_row);
        const index_t row         = row_tile * p.tile_rows + rank * p.partial_rows + row_in;
        const index_t column      = (tile - of_columns * p.column_tiles.value) * p.tile_columns +
                               (at - row_in * p.runs_of_row.value) * vector;
        const bool exists = at * vector < p.partial_size && row < p.rows.value * p.merged.value &&
                            column < p.columns * p.merged.value;
        arch::wait_for_previous_kernel();
        Vector<Total, vector> sum{};
        if(exists)
        {
            const index_t first = kind.first_partial + of_kind * kind.partial_sums + sharer;
            sum                 = add_up(p.partial_sums +
                             (long_index_t{first * p.cluster.value + rank} * p.partial_size +
                              long_index_t{at} * vector),
                         (kind.partial_sums - sharer + kind.sharers - 1) / kind.sharers,
                         kind.step);
        }
        if(kind.sharers > 1)
            add_shares(shared.sum, sum, kind.sharers, kind.runs.value);
        if(!exists || sharer > 0)
            return;
        const auto of_phase = p.transform.make_phase(0, 1);
        if(p.merged.value == 1)
            p.store(of_phase.c, first_group, row, column, sum);
        else
            repeat<vector>([&](index_t e) {
                const index_t group    = quotient(row, p.rows),
                              tap      = quotient(column + e, p.tap_channels),
                              of_tap   = column + e - tap * p.tap_channels.value;
                const index_t of_group = of_tap - group * p.channels.value;
                if(column + e < p.columns * p.merged.value && of_group >= 0 &&
                   of_group < p.channels.value)
                    p.store_element(of_phase.c,
                                    first_group * p.merged.value + group,
                                    row - group * p.rows.value,
                                    tap * p.channels.value + of_group,
                                    sum[e]);
            });
    }

private:
    /// Returns the sum of `count` vectors, `step` elements apart.
    CK_DEVICE CK_INLINE static Vector<Total, vector>
    add_up(const Partial* from, index_t count, long_index_t step)
    {
        Vector<Total, vector> sum{};
        for(; count > 0; count -= at_a_time, from += at_a_time * step)
        {
            Vector<Partial, vector> partial[at_a_time];
            repeat<at_a_time>([&](index_t i) {
                partial[i] = {};
                if(i < count)
                    partial[i] = *reinterpret_cast<const Vector<Partial, vector>*>(from + i * step);
            });
            repeat<at_a_time>(
                [&](index_t i) { repeat<vector>([&](index_t e) { sum[e] += partial[i][e]; }); });
        }
        return sum;
    }
};

} // namespace ck::grid
