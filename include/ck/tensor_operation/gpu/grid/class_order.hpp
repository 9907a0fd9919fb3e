#pragma once
// In which order workgroups that stay take the tiles of several residue classes, whose sums have
// different numbers of filter taps.
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"

namespace ck::grid {

/// Neighbours have the same rows: column tile fastest, then residue class, row tile, chunk of the
/// batch; so they read the same dY. Or, where workgroups have few tiles, balanced: the class of the
/// longest sums comes first, with all its tiles, and the workgroups take turns, in the opposite
/// order from one round to the next, so that all end at about the same time.
///
/// H200, f16, 3x3 with stride 2, balanced: see docs/measurements.md.
struct ClassOrder
{
    Divisor groups; ///< workgroups, or clusters of them, of a balanced order; else 0
    Divisor inner;  ///< classes; balanced: row tiles of all chunks
    index_t size;   ///< numbers; number % groups is of that workgroup

    static ClassOrder of_neighbours(const TileMap& tiles, index_t size)
    {
        return {make_divisor(0), tiles.classes, size};
    }
    static ClassOrder balanced(const TileMap& tiles, index_t groups)
    {
        const auto all = static_cast<index_t>(tiles.size());
        return {make_divisor(groups),
                make_divisor(tiles.row_tiles.value * tiles.chunks),
                math::integer_divide_ceil(all, groups) * groups};
    }

    CK_HOST_DEVICE constexpr bool is_balanced() const { return groups.value > 0; }

    /// Of a balanced order class_index counts from the longest sums, and there is no tile if it is
    /// not a class.
    CK_HOST_DEVICE CK_INLINE constexpr TileMap::Tile operator()(const TileMap& tiles,
                                                                index_t number) const
    {
        index_t at = number;
        if(is_balanced())
        {
            const index_t round = quotient(number, groups);
            if(round % 2 != 0)
                at = (2 * round + 1) * groups.value - 1 - number;
        }
        const index_t of_columns = quotient(at, tiles.column_tiles),
                      outer = quotient(of_columns, inner), rest = of_columns - outer * inner.value,
                      row = is_balanced() ? rest : outer;
        TileMap::Tile t{};
        t.column_tile = at - of_columns * tiles.column_tiles.value;
        t.class_index = is_balanced() ? outer : rest;
        t.chunk       = quotient(row, tiles.row_tiles);
        t.row_tile    = row - t.chunk * tiles.row_tiles.value;
        return t;
    }
};

} // namespace ck::grid
