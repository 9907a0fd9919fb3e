#pragma once
// How the sums of C's tiles are cut into parts for workgroups that stay for several: the parts of
// the first tiles fill whole rounds of workgroups; the last tiles, too few for that, have more and
// shorter ones, which fill one more.
#include "ck/utility/magic_division.hpp"

namespace ck::grid {

/// All items of work: parts of tiles, numbered so that those of a round have the same slices of the
/// sum where they can. Parts lie in the workspace one tile's after the other's, each a tile of
/// accumulators [row][column].
struct SplitTiles
{
    /// Tiles of so many parts, which follow each other.
    struct Kind
    {
        index_t first_number; ///< of their items
        index_t first_tile, first_part;
        Divisor tiles;
        index_t parts;  ///< of a tile
        index_t slices; ///< of a part
        index_t longer; ///< first parts of a tile that have one more

        constexpr index_t size() const { return tiles.value * parts; }
    };
    Kind kind[2];  ///< the last one may have no parts
    index_t whole; ///< first items that are whole tiles, stored as C itself

    struct Item
    {
        index_t tile;
        index_t first, slices; ///< of the sum
        index_t part;          ///< where it lies
        bool in_parts;         ///< else it is stored as C
    };

    CK_HOST_DEVICE CK_INLINE constexpr Item operator()(index_t number) const
    {
        const Kind& k      = kind[number >= kind[1].first_number];
        const index_t at   = number - k.first_number;
        const index_t part = quotient(at, k.tiles), tile = at - part * k.tiles.value;
        return {k.first_tile + tile,
                part * k.slices + (part < k.longer ? part : k.longer),
                k.slices + (part < k.longer ? 1 : 0),
                k.first_part + tile * k.parts + part,
                number >= whole};
    }

    /// Of a launch.
    constexpr index_t size() const { return kind[1].first_number + kind[1].size(); }

    /// That lie in the workspace.
    constexpr index_t parts() const { return size() - whole; }

    /// `tiles` tiles of sums of `slices` slices, in `parts` parts, but the last `last_tiles`, fewer
    /// than all, in `last_parts`. whole: tiles of one part are stored as C itself.
    static constexpr SplitTiles make(index_t tiles,
                                     index_t slices,
                                     index_t parts,
                                     index_t last_tiles,
                                     index_t last_parts,
                                     bool whole)
    {
        const index_t first = tiles - last_tiles, number = first * parts,
                      stored = whole && parts == 1 ? first : 0;
        return {{{0, 0, 0, make_divisor(first), parts, slices / parts, slices % parts},
                 {number,
                  first,
                  number - stored,
                  make_divisor(last_tiles > 0 ? last_tiles : 1),
                  last_tiles > 0 ? last_parts : 0,
                  slices / last_parts,
                  slices % last_parts}},
                stored};
    }
};

} // namespace ck::grid
