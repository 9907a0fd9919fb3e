#pragma once
// How the sums of C's tiles are cut into partials for workgroups that stay for several: the
// partials of the first tiles fill whole rounds of workgroups; the last tiles, too few for that,
// have more and shorter ones, which fill one more.
#include "ck/utility/magic_division.hpp"

namespace ck::grid {

/// All items of work: partials of tiles, numbered so that those of a round have the same slices of
/// the sum where they can. Partials lie in the workspace one tile's after the other's, each a tile
/// of accumulators [row][column].
struct SplitTiles
{
    /// Tiles with the same number of partials, which follow each other.
    struct Kind
    {
        index_t first_number; ///< of their items
        index_t first_tile, first_partial;
        Divisor tiles;
        index_t partials; ///< of a tile
        index_t slices;   ///< of a partial
        index_t longer;   ///< first partials of a tile that have one more

        constexpr index_t size() const { return tiles.value * partials; }
    };
    Kind kind[2];  ///< the last one may have no partials
    index_t whole; ///< first items that are whole tiles, stored as C itself

    struct Item
    {
        index_t tile;
        index_t first, slices; ///< of the sum
        index_t partial;       ///< where it lies
        bool is_partial;       ///< else it is stored as C
    };

    CK_HOST_DEVICE CK_INLINE constexpr Item operator()(index_t number) const
    {
        const Kind& k         = kind[number >= kind[1].first_number];
        const index_t at      = number - k.first_number;
        const index_t partial = quotient(at, k.tiles), tile = at - partial * k.tiles.value;
        return {k.first_tile + tile,
                partial * k.slices + (partial < k.longer ? partial : k.longer),
                k.slices + (partial < k.longer ? 1 : 0),
                k.first_partial + tile * k.partials + partial,
                number >= whole};
    }

    /// Items of a launch.
    constexpr index_t size() const { return kind[1].first_number + kind[1].size(); }

    /// Partials that lie in the workspace.
    constexpr index_t partials() const { return size() - whole; }

    /// Splits `tiles` tiles of sums of `slices` slices in `partials` partials each, but the last
    /// `last_tiles`, fewer than all, in `last_partials`. whole: tiles of one partial are stored as
    /// C itself.
    static constexpr SplitTiles make(index_t tiles,
                                     index_t slices,
                                     index_t partials,
                                     index_t last_tiles,
                                     index_t last_partials,
                                     bool whole)
    {
        const index_t first = tiles - last_tiles, number = first * partials,
                      stored = whole && partials == 1 ? first : 0;
        return {{{0, 0, 0, make_divisor(first), partials, slices / partials, slices % partials},
                 {number,
                  first,
                  number - stored,
                  make_divisor(last_tiles > 0 ? last_tiles : 1),
                  last_tiles > 0 ? last_partials : 0,
                  slices / last_partials,
                  slices % last_partials}},
                stored};
    }
};

} // namespace ck::grid
