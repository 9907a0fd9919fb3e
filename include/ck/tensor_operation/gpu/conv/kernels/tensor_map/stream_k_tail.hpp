#pragma once
// The end of a launch with persistent workgroups: too few tiles to give every workgroup one. Their
// sums are split into enough partial sums to give all workgroups work.
#include "ck/utility/magic_division.hpp"

namespace ck::grid {

/// Which tiles of a TileMap are computed in partial sums: those of all rows from first_row on, in
/// every column and phase.
struct StreamKTail
{
    index_t whole_tiles;         ///< computed by one workgroup each, or a cluster of them
    index_t first_row;           ///< first row of C, in each phase
    Divisor tiles, partial_sums; ///< tiles in partial sums, and partial sums of each

    /// A work item: a tile, and one of its partial sums.
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

    /// Number of items in a launch.
    constexpr index_t size() const { return whole_tiles + tiles.value * partial_sums.value; }
};

} // namespace ck::grid
