#pragma once
// The end of a launch whose workgroups stay for several tiles: tiles too few to give every
// workgroup one. Their sums are cut into parts, so many that there is work for all.
#include "ck/utility/magic_division.hpp"

namespace ck::grid {

/// Which tiles of a TileMap are computed in parts: the last ones, all of the rows from first_row
/// on, of every column and class.
struct Remainder
{
    index_t whole_tiles;  ///< computed by one workgroup each, or a cluster of them
    index_t first_row;    ///< of C, in each class
    Divisor tiles, parts; ///< in parts, and the parts of each

    /// What the work of a number is: a tile, and which part of it.
    struct Item
    {
        index_t tile, part;
        bool in_parts;
    };

    CK_HOST_DEVICE CK_INLINE constexpr Item operator()(index_t number) const
    {
        const index_t after = number - whole_tiles;
        if(after < 0)
            return {number, 0, false};
        const index_t part = quotient(after, tiles);
        return {number - part * tiles.value, part, true};
    }

    /// All numbers of a launch.
    constexpr index_t size() const { return whole_tiles + tiles.value * parts.value; }
};

} // namespace ck::grid
