#pragma once
// The end of a launch whose workgroups stay for several tiles: tiles too few to give every
// workgroup one. Their sums are cut into partial sums, so many that there is work for all.
#include "ck/utility/magic_division.hpp"

namespace ck::grid {

/// Which tiles of a TileMap are computed in partial sums: the last ones, all of the rows from
/// first_row on, of every column and phase.
struct StreamKTail
{
    index_t whole_tiles;         ///< computed by one workgroup each, or a cluster of them
    index_t first_row;           ///< of C, in each phase
    Divisor tiles, partial_sums; ///< in partial sums, and the partial sums of each

    /// What the work of a number is: a tile, and which partial of it.
    struct Item
    {
        index_t tile, partial;
        bool is_partial;
    };

    CK_HOST_DEVICE CK_INLINE constexpr Item operator()(index_t number) const
    {
        const index_t after = number - whole_tiles;
        if(after < 0)
            return {number, 0, false};
        const index_t partial = quotient(after, tiles);
        return {number - partial * tiles.value, partial, true};
    }

    /// All numbers of a launch.
    constexpr index_t size() const { return whole_tiles + tiles.value * partial_sums.value; }
};

} // namespace ck::grid
