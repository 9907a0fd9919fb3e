#pragma once
// The order in which persistent workgroups take the tiles of several phases, whose sums have
// different numbers of filter taps.
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"

namespace ck::grid {

/// Neighbours have the same rows, as in TileMap, and read the same dY. Or, where workgroups have
/// few tiles, balanced: the phase of the longest sums comes first, with all its tiles, and the
/// workgroups take turns, in the opposite order from one round to the next, so that all end at
/// about the same time.
///
/// H200, f16, 3x3 with stride 2, balanced: see docs/notes/hopper_kernels.md.
struct PhaseOrder
{
    Divisor groups; ///< workgroups, or clusters of them, of a balanced order; else 0
    Divisor rows;   ///< balanced: row tiles of all sub-batches
    index_t size;   ///< numbers; number % groups is of that workgroup

    static PhaseOrder of_neighbours(index_t size)
    {
        return {make_divisor(0), make_divisor(1), size};
    }
    static PhaseOrder balanced(const TileMap& tiles, index_t groups)
    {
        const auto all = static_cast<index_t>(tiles.size());
        return {make_divisor(groups),
                make_divisor(tiles.row_tiles.value * tiles.sub_batches),
                math::integer_divide_ceil(all, groups) * groups};
    }

    CK_HOST_DEVICE constexpr bool is_balanced() const { return groups.value > 0; }

    /// The tile of item `number`. In a balanced order there is one group, and phase_index counts
    /// from the longest sums; if it is not a phase, there is no tile.
    CK_HOST_DEVICE CK_INLINE constexpr TileMap::Tile operator()(const TileMap& tiles,
                                                                index_t number) const
    {
        if(!is_balanced())
            return tiles.of_whole_sums<true>(number);
        const index_t round = quotient(number, groups),
                      at    = round % 2 == 0 ? number : (2 * round + 1) * groups.value - 1 - number,
                      of_columns = quotient(at, tiles.column_tiles);
        TileMap::Tile t{};
        t.column_tile = at - of_columns * tiles.column_tiles.value;
        t.phase_index = quotient(of_columns, rows);
        t.row_tile    = of_columns - t.phase_index * rows.value;
        if(tiles.sub_batches > 1)
        {
            t.sub_batch = quotient(t.row_tile, tiles.row_tiles);
            t.row_tile -= t.sub_batch * tiles.row_tiles.value;
        }
        return t;
    }
};

} // namespace ck::grid
