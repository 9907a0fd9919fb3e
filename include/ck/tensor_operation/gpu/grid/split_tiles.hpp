#pragma once
// How the sums of C's tiles are split into partial sums for persistent workgroups. The partial sums
// of the first tiles fill whole rounds of workgroups. The last tiles, too few for a round, have
// more and shorter partial sums, which fill one more round.
#include "ck/utility/magic_division.hpp"

namespace ck::grid {

/// All work items: partial sums of tiles, numbered so that items of one round have the same slices
/// of the sum if possible. The workspace stores them tile by tile; each is a tile of accumulators
/// [row][column].
struct SplitTiles
{
    /// Tiles with the same number of partial sums, numbered consecutively.
    struct Kind
    {
        index_t first_number; ///< number of their first item
        index_t first_tile, first_partial;
        Divisor tiles;
        index_t partial_sums; ///< partial sums of a tile
        index_t slices;       ///< slices of a partial sum
        index_t longer;       ///< how many first partial sums of a tile have one slice more

        constexpr index_t size() const { return tiles.value * partial_sums; }
    };
    Kind kind[2];  ///< the second kind may have no partial sums
    index_t whole; ///< number of first items that are whole tiles, stored as C itself

    struct Item
    {
        index_t tile;
        index_t first, slices; ///< first slice and number of slices of the item's sum
        index_t partial;       ///< where it is stored among the partial sums
        bool is_partial;       ///< otherwise it is stored as C
    };

    CK_HOST_DEVICE CK_INLINE constexpr Item operator()(index_t number) const
    {
        const Kind& k         = kind[number >= kind[1].first_number];
        const index_t at      = number - k.first_number;
        const index_t partial = quotient(at, k.tiles), tile = at - partial * k.tiles.value;
        return {k.first_tile + tile,
                partial * k.slices + (partial < k.longer ? partial : k.longer),
                k.slices + (partial < k.longer ? 1 : 0),
                k.first_partial + tile * k.partial_sums + partial,
                number >= whole};
    }

    /// Number of items in a launch.
    constexpr index_t size() const { return kind[1].first_number + kind[1].size(); }

    /// Number of partial sums in the workspace.
    constexpr index_t partial_sums() const { return size() - whole; }

    /// Splits `tiles` tiles, with sums of `slices` slices, into `partial_sums` partial sums each;
    /// the last `last_tiles` (fewer than all) into `last_partial_sums`. whole: tiles with one
    /// partial sum are stored as C itself.
    static constexpr SplitTiles make(index_t tiles,
                                     index_t slices,
                                     index_t partial_sums,
                                     index_t last_tiles,
                                     index_t last_partial_sums,
                                     bool whole)
    {
        const index_t first = tiles - last_tiles, number = first * partial_sums,
                      stored = whole && partial_sums == 1 ? first : 0;
        return {{{0,
                  0,
                  0,
                  make_divisor(first),
                  partial_sums,
                  slices / partial_sums,
                  slices % partial_sums},
                 {number,
                  first,
                  number - stored,
                  make_divisor(last_tiles > 0 ? last_tiles : 1),
                  last_tiles > 0 ? last_partial_sums : 0,
                  slices / last_partial_sums,
                  slices % last_partial_sums}},
                stored};
    }
};

} // namespace ck::grid
