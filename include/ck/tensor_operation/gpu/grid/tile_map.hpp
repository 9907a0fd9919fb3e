#pragma once
// Maps block numbers to tiles. Consecutive blocks share operands: column tile is fastest, then
// phase, row tile, partial sum, group, sub-batch.
#include "ck/utility/magic_division.hpp"

#include <initializer_list>

namespace ck::grid {

struct TileMap
{
    Divisor column_tiles, phases, row_tiles, splits, groups;
    index_t sub_batches;

    struct Tile
    {
        index_t column_tile, phase_index, row_tile, split, group, sub_batch;
    };

    CK_HOST_DEVICE CK_INLINE constexpr Tile operator()(index_t block) const
    {
        Tile t{};
        t.column_tile = next(block, column_tiles);
        t.phase_index = next(block, phases);
        t.row_tile    = block;
        if(block >= row_tiles.value) // else all that follow are 0: mostly there is one of each
        {
            t.row_tile  = next(block, row_tiles);
            t.split     = next(block, splits);
            t.group     = next(block, groups);
            t.sub_batch = block;
        }
        return t;
    }

    /// The same if sums are not split: one division less per tile, and no division if there is one
    /// group. Persistent workgroups would wait for it between their tiles.
    template <bool has_phases>
    CK_HOST_DEVICE CK_INLINE constexpr Tile of_whole_sums(index_t block) const
    {
        Tile t{};
        t.column_tile = next(block, column_tiles);
        if(has_phases && phases.value > 1)
            t.phase_index = next(block, phases);
        t.row_tile = block;
        if(sub_batches > 1 || groups.value > 1)
        {
            t.row_tile  = next(block, row_tiles);
            t.group     = next(block, groups);
            t.sub_batch = block;
        }
        return t;
    }

    /// Number of blocks, saturating at the largest long_index_t. It may exceed the limit of a grid.
    constexpr long_index_t size() const
    {
        long_index_t blocks = 1;
        for(const index_t count : {column_tiles.value,
                                   phases.value,
                                   row_tiles.value,
                                   splits.value,
                                   groups.value,
                                   sub_batches})
            blocks = math::saturating_product(blocks, long_index_t{count});
        return blocks;
    }

private:
    CK_HOST_DEVICE CK_INLINE static constexpr index_t next(index_t& rest, const Divisor& length)
    {
        const index_t number = rest;
        rest                 = quotient(number, length);
        return number - rest * length.value;
    }
};

/// The tiles of a block that stays in one column of tiles: first, first + every ... The launch has
/// `blocks` blocks, a multiple of the number of columns.
struct ColumnOfTiles
{
    index_t column, first, every;

    CK_DEVICE CK_INLINE ColumnOfTiles(index_t block, const Divisor& columns, index_t blocks)
        : column(block - quotient(block, columns) * columns.value),
          first(quotient(block, columns)),
          every(quotient(blocks, columns))
    {}
};

} // namespace ck::grid
