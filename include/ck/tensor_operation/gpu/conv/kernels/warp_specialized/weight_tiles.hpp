#pragma once
// Tiles of dW, one per block, each summed over a part of the output pixels: for backward weight
// kernels that compute several taps from one copy.
#include "ck/arch/index.hpp"
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"

namespace ck::grid {

/// The tiles of dW: by channels of Y, channels of X, and taps in x, y and z.
struct WeightTiles
{
    Divisor rows, channels, x, y, z;
    index_t in_channels, x_taps, y_taps; ///< channels and taps of dW

    /// Makes tiles of `rows` channels of Y, `channels` of X, and taps.
    static WeightTiles make(const ConvProblem& p,
                            index_t rows,
                            index_t channels,
                            index_t x_taps,
                            index_t y_taps,
                            index_t z_taps)
    {
        const auto tiles = [](long_index_t length, index_t of_tile) {
            return make_divisor(math::integer_divide_ceil(static_cast<index_t>(length), of_tile));
        };
        return {tiles(p.out_channels, rows),
                tiles(p.in_channels, channels),
                tiles(p.filter[2], x_taps),
                tiles(p.filter[1], y_taps),
                tiles(p.filter[0], z_taps),
                static_cast<index_t>(p.in_channels),
                static_cast<index_t>(p.filter[2]),
                static_cast<index_t>(p.filter[1])};
    }

    constexpr long_index_t size() const
    {
        return long_index_t{rows.value} * channels.value * x.value * y.value * z.value;
    }
    /// The number of a tap of dW.
    CK_HOST_DEVICE CK_INLINE constexpr index_t tap(index_t at_x, index_t at_y, index_t at_z) const
    {
        return (at_z * y_taps + at_y) * x_taps + at_x;
    }
};

/// A block's work: one tile, summed over slices [first, end) of the output pixels.
struct WeightTile
{
    index_t row, channel, x, y, z; ///< place of the tiles
    index_t split, first, end;

    /// Takes one of p.weight_tiles, and one of p.tiles.splits parts of `slices` slices.
    CK_DEVICE CK_INLINE WeightTile(const auto& p,
                                   index_t slices,
                                   index_t block = arch::block_index())
    {
        row                = split_off(block, p.weight_tiles.rows);
        channel            = split_off(block, p.weight_tiles.channels);
        x                  = split_off(block, p.weight_tiles.x);
        y                  = split_off(block, p.weight_tiles.y);
        z                  = split_off(block, p.weight_tiles.z);
        split              = block;
        const index_t each = math::integer_divide_ceil(slices, p.tiles.splits.value);
        first              = split * each;
        end                = math::min(first + each, slices);
    }

    /// Sets entry r of the table of the tile's `rows` rows.
    CK_DEVICE CK_INLINE void set_row(auto& table, const auto& p, index_t rows, index_t r) const
    {
        table.set(r, p, p.views(TileMap::Tile{}), row * rows + r);
    }
};

} // namespace ck::grid
